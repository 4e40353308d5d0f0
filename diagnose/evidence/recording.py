"""The recording: a session as it crossed the wire, one event a line (`diagnose.recording/1`)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from diagnose.errors import InputError
from diagnose.surface import JsonError, parse_json

SCHEMA = "diagnose.recording/1"

Kind: TypeAlias = Literal[
    "message", "request", "response", "stream-open", "stream-close", "stderr", "process", "raw", "action", "end"
]
KINDS: frozenset[str] = frozenset(
    {"message", "request", "response", "stream-open", "stream-close", "stderr", "process", "raw", "action", "end"}
)
SENDERS: frozenset[str] = frozenset({"client", "server", "tap"})
Hop: TypeAlias = Literal["client-server", "client-gateway", "gateway-server"]
_HOPS: dict[str, Hop] = {
    "client-server": "client-server",
    "client-gateway": "client-gateway",
    "gateway-server": "gateway-server",
}
HOPS: frozenset[str] = frozenset(_HOPS)

_MAX_LINE = 64 << 20
#: No recording is longer than this many seconds; what says otherwise states no time.
_LONGEST = 1e10
_MAX_NOTES = 20
_LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line: when, over which transport, at which hop, and whose session it is."""

    started_at: str | None = None
    transport: Literal["stdio", "http"] = "stdio"
    hop: Literal["client-server", "client-gateway", "gateway-server"] = "client-server"
    client: Mapping[str, Any] = field(default_factory=dict)
    target: Any = None
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line behind the header. ``frame`` is its number, the header being 1; ``t`` is seconds since the start."""

    frame: int
    t: float
    sender: str
    kind: str
    message: Any = None
    channel: str | None = None
    connection: str | None = None
    """Which connection of a client a request came on; it tells apart who has no session id."""
    method: str | None = None
    path: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    purpose: str | None = None
    by: str | None = None
    clean: bool | None = None
    data: bytes | None = None
    """Raw bytes, of a `raw` event: its text, or its base64 decoded."""
    text: str | None = None
    event: str | None = None
    code: int | None = None
    session: str | None = None
    principal: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A whole recording. ``notes`` say what could not be read; ``ended`` is the reason of its `end`, None where it was cut."""

    header: Header
    events: tuple[Event, ...]
    notes: tuple[str, ...] = ()
    source: str = ""

    @property
    def ended(self) -> str | None:
        """The reason of the `end` event; None where the recording was cut."""
        return next((event.reason or "stopped" for event in reversed(self.events) if event.kind == "end"), None)

    @staticmethod
    def of_lines(lines: Iterable[bytes | str], *, source: str = "") -> Recording:
        """Read a recording from its lines. Raises `InputError` where the header is none."""
        reader = RecordingReader(lines)
        events = tuple(reader.events())
        return Recording(header=reader.header, events=events, notes=tuple(reader.notes), source=source)

    @staticmethod
    def of_objects(objects: Iterable[Any], *, source: str = "") -> Recording:
        """Read a recording from its lines as objects, as an inline layer of a bundle holds them."""
        items = list(objects)
        if not items or not isinstance(items[0], Mapping) or items[0].get("schema") != SCHEMA:
            raise _no_header("an array whose first item is no header")
        notes = _told(items[0])
        events = (_event(item, frame, notes) for frame, item in enumerate(items[1:], 2))
        kept = tuple(event for event in events if event is not None)
        return Recording(header=_header(items[0]), events=kept, notes=tuple(notes), source=source)


class RecordingReader:
    """Reads events one at a time, so that a recording of any length needs the memory of one line.

    A last line that was cut is passed over with a note (a recorder may be killed at any moment), and so is any line that
    is no event. ``before`` lines came in earlier parts of the same recording; frames are counted on from there.
    """

    def __init__(self, lines: Iterable[bytes | str], *, before: int = 0) -> None:
        self._lines = iter(lines)
        self.frame = before + 1
        self.notes: list[str] = []
        first = next(self._lines, b"")
        value = self._parse(first, 1)
        if not isinstance(value, Mapping) or value.get("schema") != SCHEMA:
            raise _no_header(_shown(first))
        self.header = _header(value)
        self.notes.extend(_told(value))

    def events(self) -> Iterator[Event]:
        """Yield the events in their order; can be walked once."""
        for line in self._lines:
            event = self.take(line)
            if event is not None:
                yield event

    def take(self, line: bytes | str) -> Event | None:
        """Take in the next line, and return the event in it; None where it holds none."""
        self.frame += 1
        if not line.strip():
            return None
        value = self._parse(line, self.frame)
        return _event(value, self.frame, self.notes) if value is not None else None

    def _parse(self, line: bytes | str, frame: int) -> Any:
        try:
            return parse_json(line, max_bytes=_MAX_LINE).value
        except JsonError as error:
            if frame > 1:
                _note(self.notes, f"line {frame} is no event ({error}); a recording that was cut ends so")
            return None


def _no_header(came: str) -> InputError:
    return InputError(
        f"this is no recording: expected a first line with schema {SCHEMA!r}, and {came} came",
        advice="Record one with `diagnose tap`; `diagnose triage` reads a bundle.",
    )


def _told(header: Mapping[str, Any]) -> list[str]:
    """Return what the header of a recording that was made of another program's says of what it cannot show."""
    notes = header.get("notes")
    return (
        [note[:_LONGEST_NOTE] for note in notes if isinstance(note, str)][:_MAX_NOTES]
        if isinstance(notes, list)
        else []
    )


def _shown(line: bytes | str) -> str:
    if isinstance(line, bytes) and b"\0" in line:
        return "what is no text"
    return repr(line[:60]) if line else "nothing"


def _note(notes: list[str], text: str) -> None:
    if len(notes) < _MAX_NOTES:
        notes.append(text)


def _header(raw: Mapping[str, Any]) -> Header:
    hop, transport, client = raw.get("hop"), raw.get("transport"), raw.get("client")
    return Header(
        started_at=_text(raw.get("startedAt")),
        transport="http" if transport == "http" else "stdio",
        hop=_HOPS.get(hop, "client-server") if isinstance(hop, str) else "client-server",
        client=client if isinstance(client, Mapping) else {},
        target=raw.get("target"),
        raw=raw,
    )


def _event(value: Any, frame: int, notes: list[str]) -> Event | None:
    if not isinstance(value, Mapping):
        _note(notes, f"line {frame} is no event: expected an object")
        return None
    kind, sender, t = value.get("kind", "message"), value.get("from"), _seconds(value.get("t"))
    if not isinstance(kind, str) or kind not in KINDS:
        _note(notes, f"line {frame} has the unknown kind {str(kind)[:40]!r} and was passed over")
        return None
    if not isinstance(sender, str) or sender not in SENDERS or t is None:
        _note(notes, f"line {frame} is no event: it lacks a sender or a time")
        return None
    headers = value.get("headers")
    return Event(
        frame=frame,
        t=t,
        sender=sender,
        kind=kind,
        message=value.get("message"),
        channel=_text(value.get("channel")),
        connection=_text(value.get("connection")),
        method=_text(value.get("method")),
        path=_text(value.get("path")),
        headers=_headers(headers) if isinstance(headers, Mapping) else {},
        status=_number(value.get("status")),
        purpose=_text(value.get("purpose")),
        by=_text(value.get("by")),
        clean=value["clean"] if isinstance(value.get("clean"), bool) else None,
        data=_data(value) if kind == "raw" else None,
        text=_text(value.get("text")),
        event=_text(value.get("event")),
        code=_number(value.get("code")),
        session=_text(value.get("session")),
        principal=_text(value.get("principal")),
        reason=_text(value.get("reason")),
    )


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_LONGEST <= value <= _LONGEST:
        return None
    return float(value)


def _headers(raw: Mapping[str, Any]) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in raw.items()}


def _data(value: Mapping[str, Any]) -> bytes | None:
    if isinstance(value.get("base64"), str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (binascii.Error, ValueError):
            return None
    text = value.get("text")
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
