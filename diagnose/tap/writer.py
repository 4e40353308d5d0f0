"""The file of a recording: one whole line a write, at most so large and so long, and a new part after that."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MAX_TRIED: Final = 10_000
#: A part holds at least so much, whatever was asked for: a header and a message must fit.
SMALLEST: Final = 64 * 1024
#: Room that is kept for the line that ends a part.
_LAST_LINE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one part holds: bytes, and seconds of the session; and how many parts are kept, the first one always."""

    size: int = 256 * 1024 * 1024
    seconds: float = 86_400.0
    parts: int = 8


class Writer:
    """Writes events below a header. Nothing is buffered: what was written when this process is killed is in the file.

    A file that exists is never written over: the recording then gets the next free number, as in `session-2.jsonl`. Raises
    `OSError` where no file can be made; a write that fails later ends the recording, and `failure` says why.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], limits: Limits) -> None:
        self._wanted = path
        self._header = header
        self._limits = limits
        self._parts: list[Path] = []
        self._began = 0.0
        self._number = self._count = 0
        self._size = self._written = 0
        self._descriptor = -1
        self.failure: OSError | None = None
        self._open()

    @property
    def path(self) -> Path:
        """The file of the newest part."""
        return self._parts[-1]

    def write(self, t: float, event: Mapping[str, Any]) -> None:
        """Write one event that happened ``t`` seconds after the start; begins a new part where this one is full."""
        if self.failure is not None:
            return
        line = encode({"t": round(t, 6), **event})
        too_large = self._size + len(line) + _LAST_LINE > max(self._limits.size, SMALLEST)
        try:
            if self._written and (too_large or t - self._began > self._limits.seconds):
                self._turn(t)
            self._append(line)
            self._written += 1
        except OSError as error:
            self.failure = error
            self.close()

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = -1

    def _turn(self, t: float) -> None:
        self._append(encode({"t": round(t, 6), "from": "tap", "kind": "end", "reason": "limit"}))
        self.close()
        self._open()
        self._began = t
        if len(self._parts) > max(self._limits.parts, 2):
            # The first part holds the handshake, without which no other can be judged.
            self._parts.pop(1).unlink(missing_ok=True)

    def _open(self) -> None:
        self._size = self._written = 0
        self._descriptor, path, self._number = _create(self._wanted, self._number + 1)
        self._count += 1
        part = {"part": self._count, "after": self._parts[-1].name} if self._parts else {}
        self._parts.append(path)
        self._append(encode({**self._header, **part}))

    def _append(self, line: bytes) -> None:
        """Write a whole line or none of it: half a line is taken back."""
        done = 0
        try:
            while done < len(line):
                done += os.write(self._descriptor, line[done:] if done else line)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise
        self._size += done


def encode(value: Mapping[str, Any]) -> bytes:
    """Return one line of JSON. What UTF-8 cannot carry (a lone surrogate) is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": ")).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value).encode() + b"\n"


def _create(wanted: Path, start: int) -> tuple[int, Path, int]:
    """Create a file that was not there, readable for its owner alone; returns also the number that it got."""
    for number in range(start, start + MAX_TRIED):
        path = wanted if number == 1 else wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
        with contextlib.suppress(FileExistsError):
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), path, number
    raise FileExistsError(17, "every number is taken", str(wanted))
