"""Lines of the stdio transport: bytes in, lines out, whatever the chunks. Sans-IO.

A message is one line that ends in LF (MCP 2026-07-28, transports/stdio). CR LF is read and reported, a line that is too
long is reported and passed over. What stands inside a line (a byte order mark, invalid UTF-8) is for the reader of
messages to tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from diagnose.wire.oddity import QUOTED, Oddity, quote

MAX_LINE: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line without its ending; ``number`` counts from 1. A line that was too long is empty and says so."""

    number: int
    data: bytes
    oddities: tuple[Oddity, ...] = ()

    @property
    def where(self) -> str:
        """The place of this line, for reports."""
        return f"stdout line {self.number}"


class LineFramer:
    """Splits a stream of bytes at LF. Blank lines count, and are not handed out.

    ``max_line`` is the longest line in bytes without its LF; no more than that is held.
    """

    def __init__(self, *, max_line: int = MAX_LINE) -> None:
        self._max_line = max_line
        self._pieces: list[bytes] = []
        self._length = 0
        self._number = 0

    def feed(self, chunk: bytes) -> list[Line]:
        """Take in a chunk and return the lines that it completes."""
        lines: list[Line] = []
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._hold(chunk[start:end])
            lines += self._complete()
            start = end + 1
        self._hold(chunk[start:])
        return lines

    def close(self) -> list[Line]:
        """Tell that the stream has ended; what is left of it is the last line, which may have been cut."""
        return self._complete() if self._length else []

    @property
    def begun(self) -> Line | None:
        """What has come of a line that has not ended yet, shortened; None between two lines."""
        start = b"".join(self._pieces)[:QUOTED]
        return Line(number=self._number + 1, data=start) if start else None

    def _hold(self, piece: bytes) -> None:
        if not piece:
            return
        held = min(self._length, self._max_line)
        self._length += len(piece)
        if self._length > self._max_line:
            # Of a line that is passed over, only the start is kept, to be quoted.
            piece = piece[: max(0, QUOTED - held)]
            self._pieces = [b"".join(self._pieces)[:QUOTED]]
        self._pieces.append(piece)

    def _complete(self) -> list[Line]:
        data, length = b"".join(self._pieces), self._length
        self._pieces, self._length = [], 0
        self._number += 1
        where = f"stdout line {self._number}"
        if length > self._max_line:
            flaw = Oddity(kind="oversized-line", where=where, detail=quote(data[:QUOTED]))
            return [Line(number=self._number, data=b"", oddities=(flaw,))]
        oddities: tuple[Oddity, ...] = ()
        if data.endswith(b"\r"):
            data = data[:-1]
            oddities = (Oddity(kind="crlf", where=where, detail=quote(data)),)
        return [Line(number=self._number, data=data, oddities=oddities)] if data or oddities else []
