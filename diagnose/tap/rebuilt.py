"""A recording made of what another program kept of a session: through the same recorders as a live one, and as redacted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.evidence.redact import Redactor
from diagnose.tap.entries import Entries
from diagnose.tap.frames import FACT, SERVER, Frame
from diagnose.tap.http_record import HttpRecord
from diagnose.tap.stdio_record import StdioRecord


def rebuilt(
    frames: Iterable[Frame],
    key: bytes,
    *,
    transport: Literal["stdio", "http"],
    start: float,
    source: str,
    notes: Iterable[str] = (),
    **header: Any,
) -> Recording:
    """Return the recording of these frames; ``start`` is the wall clock of their zero, in seconds since the epoch.

    Secrets become fingerprints under ``key``, and arguments and results are left out.
    """
    lines: list[dict[str, Any]] = []
    entries = Entries(
        lambda t, event: lines.append({"t": round(t, 6), **event}), key=key, redactor=Redactor(), payloads=False
    )
    record = HttpRecord(entries) if transport == "http" else StdioRecord(entries)
    last = 0.0
    for frame in sorted(frames, key=lambda frame: frame.t):
        record.take(frame)
        last = frame.t
    record.close(last)
    began = datetime.fromtimestamp(start, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    head = {"schema": SCHEMA, "startedAt": began, "transport": transport, "hop": "client-server", "client": {}}
    said = {"notes": told} if (told := list(notes)) else {}
    return Recording.of_objects([{**head, **header, **said}, *lines], source=source)


def fact(number: int, t: float, **told: Any) -> Frame:
    """Return a frame that tells something about an exchange."""
    return Frame(FACT, t, number, json.dumps(told).encode())


def request(number: int, t: float, method: str, target: str, headers: Iterable[tuple[str, str]]) -> Frame:
    """Return the frame of the head of a request."""
    return fact(number, t, do="request", method=method, target=target, headers=list(headers))


def answered(
    number: int, t: float, method: str, status: int, headers: list[tuple[str, str]], data: bytes
) -> Iterator[Frame]:
    """Yield the frames of an answer that was kept whole.

    Of a stream that was kept without what came on it nothing is told: it would look like one on which nothing came.
    """
    kind = {name.lower(): value for name, value in headers}.get("content-type", "")
    if method.upper() == "GET" and kind.startswith("text/event-stream") and not data:
        return
    yield fact(number, t, do="response", status=status, headers=headers)
    yield Frame(SERVER, t, number, data)
    yield fact(number, t, do="ended", by="server", whole=True)


def moment(text: Any) -> float | None:
    """Return the seconds since the epoch of a time as text; None where it is none."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a member that has to be an object; empty where it is none."""
    member = value.get(name)
    return member if isinstance(member, Mapping) else {}
