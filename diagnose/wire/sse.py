"""Server-sent events: bytes in, events out, whatever the chunks. Sans-IO.

After the WHATWG HTML standard, section 9.2.6 (interpreting an event stream): lines end in LF, CR or CR LF; one byte order
mark at the start is dropped; the encoding is UTF-8 whatever the headers say; an event without its blank line never was.
"""

from __future__ import annotations

from typing import Final

from diagnose.record import record
from diagnose.wire.message import Payload, read
from diagnose.wire.oddity import QUOTED, Oddity, quote

#: The type of events that carry messages; it is also that of an event without one. Others are for other listeners: a
#: page that reads a stream hears of them only where it asked for their type (HTML standard, 9.2.6, dispatch).
MESSAGE: Final = "message"
#: The longest event, in bytes. A list of a thousand tools is one event of more than a megabyte.
MAX_EVENT: Final = 64 * 1024 * 1024
#: Longer waits than a day (in milliseconds) are none that a server can mean.
MAX_RETRY: Final = 86_400_000
_BOM: Final = b"\xef\xbb\xbf"


@record
class Event:
    """One event. ``last_id`` is the stream's last event id when the event was dispatched."""

    data: bytes
    type: str = MESSAGE
    last_id: str = ""
    number: int = 0
    """Its place in the stream; the first is 1."""

    @property
    def where(self) -> str:
        """The place of this event, for reports."""
        return f"event {self.number}"


def payload_of(event: Event) -> Payload:
    """Return what an event carries: nothing unless its type is that of messages.

    A message in an event of another type is an oddity: who reads as the standard says never sees it.
    """
    if not event.data:
        return Payload()
    payload = read(event.data, event.where)
    if event.type == MESSAGE or not payload.messages:
        return payload if event.type == MESSAGE else Payload(size=payload.size)
    flaw = Oddity(kind="other-event", where=event.where, detail=f"event: {quote(event.type)}")
    return Payload(oddities=(flaw,), size=payload.size)


class SseParser:
    """Reads an event stream.

    ``last_id`` and ``retry`` (milliseconds, None until given) follow the stream. ``oddities`` collects what was wrong;
    an event larger than ``max_event`` bytes is passed over and reported there. With ``comments``, what only keeps the
    stream alive is collected there, for whoever asks whether it does.
    """

    def __init__(self, *, max_event: int = MAX_EVENT, last_id: str = "", comments: list[bytes] | None = None) -> None:
        self.last_id = last_id
        self.retry: int | None = None
        self.oddities: list[Oddity] = []
        self._max_event = max_event
        self._comments = comments
        self._line = bytearray()
        self._after_cr = False
        self._first_line = True
        self._number = 0
        self._next_id = last_id
        self._data: list[bytes] = []
        self._type = ""
        self._size = 0

    def feed(self, chunk: bytes) -> list[Event]:
        """Take in a chunk and return the events that it completes."""
        if not chunk:
            return []
        if self._after_cr and chunk.startswith(b"\n"):
            # The LF of a CR LF that was split between two chunks ends no second line.
            chunk = chunk[1:]
            self._after_cr = False
            if not chunk:
                return []
        self._after_cr = chunk.endswith(b"\r")
        events: list[Event] = []
        # For bytes, splitlines knows LF, CR and CR LF and nothing else: just the line ends of the standard.
        for piece in chunk.splitlines(keepends=True):
            line = piece.rstrip(b"\r\n")
            self._hold(line)
            if len(line) != len(piece) and (event := self._end_line()) is not None:
                events.append(event)
        return events

    def _hold(self, line: bytes) -> None:
        self._size += len(line)
        room = self._max_event if self._size <= self._max_event else QUOTED
        self._line += line[: max(0, room - len(self._line))]

    def _end_line(self) -> Event | None:
        line = bytes(self._line)
        self._line.clear()
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(_BOM)
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        if not name:
            # A comment keeps the stream alive and belongs to no event.
            self._size -= len(line)
            if self._comments is not None:
                self._comments.append(line)
        else:
            self._field(name, value.removeprefix(b" "))
        return None

    def _field(self, name: bytes, value: bytes) -> None:
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._type = self._text(value)
        elif name == b"id" and b"\0" not in value:
            self._next_id = self._text(value)
        elif name == b"retry" and value.isdigit():
            self.retry = int(value) if len(value) < len(str(MAX_RETRY)) else MAX_RETRY
        if self._size > self._max_event:
            # Only the start is kept of what is passed over.
            self._data = [b"".join(self._data)[:QUOTED]]

    def _end_event(self) -> Event | None:
        data, kind, size = self._data, self._type, self._size
        self._data, self._type, self._size = [], "", 0
        # The id counts from here on, also for an event without data: a cut event must not move it.
        self.last_id = self._next_id
        if not data:
            return None
        self._number += 1
        if size > self._max_event:
            self._flaw("oversized-line", quote(b"".join(data)[:QUOTED]))
            return None
        return Event(data=b"\n".join(data), type=kind or MESSAGE, last_id=self.last_id, number=self._number)

    def _text(self, value: bytes) -> str:
        try:
            return value.decode()
        except UnicodeDecodeError:
            self._flaw("invalid-utf8", quote(value))
            return value.decode("utf-8", "replace")

    def _flaw(self, kind: str, detail: str) -> None:
        self.oddities.append(Oddity(kind=kind, where=f"event {self._number or 1}", detail=detail))
