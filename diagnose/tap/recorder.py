"""The recording process: frames in at stdin, a redacted recording out; on stdout it says what became of it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Protocol

from diagnose.evidence.imprint import Imprint
from diagnose.evidence.recording import SCHEMA
from diagnose.evidence.redact import Redactor
from diagnose.store.files import reason
from diagnose.tap.entries import Entries
from diagnose.tap.feed import UNRECORDED
from diagnose.tap.frames import FACT, Frame, unpack
from diagnose.tap.http_record import HttpRecord
from diagnose.tap.orphan import Orphan
from diagnose.tap.stdio_record import StdioRecord
from diagnose.tap.writer import Limits, Writer

#: How far the recorder steps back (nice(2)) for the session: what it writes a moment later is still in time.
YIELDING = 10


class Record(Protocol):
    """What makes entries of the frames of one transport."""

    def take(self, frame: Frame) -> None:
        """Take in one frame."""
        ...

    def close(self, t: float) -> None:
        """Put what was not complete."""
        ...


def record(source: IO[bytes], say: Callable[..., None]) -> int:
    """Record until the source ends; the first line of it holds the settings. Returns the exit code.

    A source that ends without a word belongs to a tap that was killed: the recording then has no `end`.
    """
    settings: dict[str, Any] = json.loads(source.readline())
    redactor, key = Redactor(settings["secrets"]), bytes.fromhex(settings["key"])
    imprint = Imprint(key, redactor)
    try:
        writer = Writer(Path(settings["path"]), _header(settings, imprint), Limits(**settings["limits"]))
    except OSError as error:
        say(problem=f"{settings['path']} cannot be written: {reason(error)}; {UNRECORDED}")
        return 2
    say(open=str(writer.path))
    told = False
    entries = Entries(writer.write, key=key, redactor=redactor, payloads=settings["payloads"])
    taken: Record = HttpRecord(entries) if settings["transport"] == "http" else StdioRecord(entries)
    t, why, server = 0.0, None, None
    for frame in unpack(source.read):
        t = frame.t
        fact = frame.fact if frame.kind == FACT else {}
        if fact.get("do") == "end":
            why = str(fact.get("reason"))
            continue
        if fact.get("event") == "start":
            server = Orphan(int(fact["pid"]))
        taken.take(frame)
        if writer.failure is not None and not told:
            told = True
            say(problem=f"{writer.path} cannot be written any more: {reason(writer.failure)}; {UNRECORDED}")
    taken.close(t)
    if why is not None:
        entries.put(t, "tap", "end", reason=why)
    writer.close()
    if why is None and server is not None:
        server.end()
    return 0


def _header(settings: Mapping[str, Any], imprint: Imprint) -> dict[str, Any]:
    target = dict(settings["header"]["target"])
    if "endpoint" in target:
        target["endpoint"] = imprint.path(target["endpoint"])
    return {"schema": SCHEMA, **settings["header"], "target": target}


def main() -> int:
    """Run the recorder of one tap."""

    def say(**news: str) -> None:
        try:
            sys.stdout.write(json.dumps(news) + "\n")
            sys.stdout.flush()
        except OSError:
            return  # the tap was killed; what it had seen is written all the same

    with contextlib.suppress(AttributeError, OSError):
        os.nice(YIELDING)
    return record(sys.stdin.buffer, say)
