"""Requests that wait for their answer: over HTTP by exchange and id, over stdio by session and id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from diagnose.evidence.recording import Event, Header
from diagnose.judge.timeline.deeds import Call, Loss, Moment, Refusal, Step, Stream, Walk
from diagnose.judge.timeline.model import Session
from diagnose.wire.message import Message

Subject: TypeAlias = Walk | Step | Call | Stream | None
#: So many requests, and so many exchanges, may be open at one time; the oldest are given up.
MOST_OPEN = 10_000


@dataclass(slots=True, kw_only=True)
class Ask:
    """A request under way, and what its answer is about."""

    method: str
    id: Any
    at: Moment
    session: Session
    subject: Subject = None
    session_id: str | None = None
    version: str | None = None
    """`MCP-Protocol-Version` of its exchange."""


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One HTTP exchange: a request, and the answer or stream that belongs to it.

    Some recorders put the message on the event of the request or response, others behind it as an event of its own; in
    the latter case the session is known only once the message has come.
    """

    channel: str
    method: str
    at: Moment
    request: Event
    session: Session | None = None
    asks: list[Ask] = field(default_factory=list)
    stream: Stream | None = None
    status: int | None = None
    streaming: bool = False

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the request."""
        return self.request.headers


def is_beside(event: Event) -> bool:
    """Tell whether a request is none of MCP: one for metadata, a form, or a GET that asks for no stream of events.

    A client that listens has to say so in `Accept` (MCP 2025-11-25, basic/transports); others look for a login there.
    """
    if "/.well-known/" in (event.path or ""):
        return True
    if (event.method or "POST").upper() == "GET":
        accepted = event.headers.get("accept")
        return bool(event.headers) and accepted is not None and "text/event-stream" not in accepted
    return event.message is None and "x-www-form-urlencoded" in event.headers.get("content-type", "")


def sees_gets(header: Header) -> bool:
    """Tell whether a recording would show that a client opened a stream; one made of what others kept may not."""
    hidden = header.raw.get("hides")
    return not (isinstance(hidden, list) and "GET" in hidden)


class Pending:
    """The requests that wait, each found by where its answer must come and by its id in its JSON type."""

    def __init__(self) -> None:
        self._asks: dict[tuple[str, object], Ask] = {}
        self._lanes: dict[tuple[str, object], str] = {}
        """On which lane the newest request of a session with an id waits."""

    def put(self, lane: str, ask: Ask) -> None:
        """Wait for an answer on a lane."""
        if len(self._asks) >= MOST_OPEN:
            self._asks.pop(next(iter(self._asks)))
        if len(self._lanes) >= MOST_OPEN:
            self._lanes.pop(next(iter(self._lanes)))
        self._asks[lane, _key(ask.id)] = ask
        self._lanes[ask.session.key, _key(ask.id)] = lane

    def take(self, lanes: Iterator[str], answer_id: Any) -> Ask | None:
        """Return the request that an answer belongs to, looked for on each lane in turn; it waits no longer."""
        key = _key(answer_id)
        return next((ask for lane in lanes if (ask := self._asks.pop((lane, key), None)) is not None), None)

    def give_up(self, session: Session, ask_id: Any, at: Moment) -> None:
        """Take in that a client cancelled a list, which it names by its id alone: whatever comes, it passes over."""
        lane = self._lanes.get((session.key, _key(ask_id)), "")
        ask = self._asks.get((lane, _key(ask_id)))
        if ask is not None and ask.session is session and isinstance(ask.subject, Walk):
            ask.subject.given_up = at
            self.drop(lane, ask)

    def drop(self, lane: str, ask: Ask) -> bool:
        """Wait no longer for an answer; tells whether it was still due."""
        return self._asks.pop((lane, _key(ask.id)), None) is not None

    def move(self, lane: str, ask: Ask, other: str) -> None:
        """Wait for an answer on another lane: a stream was cut, and may be resumed on a new one."""
        if self.drop(lane, ask):
            self.put(other, ask)


def _key(value: Any) -> object:
    """Return an id as a key: JSON has one kind of number and no equality between a number and a text."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ("other", repr(value)[:200])
    return value


def refusal_of(message: Message | None, at: Moment, status: int | None) -> Refusal:
    """Return what an answer refuses with; without a message, the status says it all."""
    if message is None or message.kind != "error":
        return Refusal(at=at, status=status)
    error = message.error
    return Refusal(at=at, status=status, code=error.code, message=error.message[:500], data=error.data)


def loss_of(ask: Ask, refusal: Refusal) -> Loss:
    """Return a request as one that was lost to a refusal."""
    return Loss(asked=ask.at, method=ask.method, session_id=ask.session_id, version=ask.version, refusal=refusal)


def is_lost(loss: Loss) -> bool:
    """Tell whether a refusal says that the session is gone: 404, or another status that is explained so."""
    if loss.session_id is None or loss.method == "DELETE":
        return False
    words = loss.refusal.message.lower()
    return loss.refusal.status == 404 or (loss.refusal.status in {400, 409, 410, 500} and "session" in words)
