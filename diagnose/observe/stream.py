"""One stream of events over HTTP, kept open by a thread of its own: what comes on it, and every end that it has.

A legacy server is heard on a GET (MCP 2025-11-25, basic/transports, Listening for Messages from the Server), a modern one
on the answer to `subscriptions/listen` (MCP 2026-07-28, basic/patterns/subscriptions).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from diagnose.errors import ObservationError
from diagnose.freshness import Backoff
from diagnose.wire.headers import LAST_EVENT, is_header_safe
from diagnose.wire.message import Message, Payload, encode, read
from diagnose.wire.oddity import Oddity
from diagnose.wire.sse import SseParser, payload_of

if TYPE_CHECKING:
    from diagnose.observe.ports import HttpBody, HttpPort

#: How long until a stream that ended is opened again, in seconds; a server's `retry:` is never undercut.
REOPEN: Final = Backoff(first=0.5, longest=30.0)
#: A stream that lasted so long was a good one: the next loss is the first again. In seconds.
LASTED: Final = 30.0
#: How long a stream may take to be answered, in seconds: some servers send their headers with the first event.
OPENING: Final = 30.0
#: Answers after which the same request is sent again: nobody can serve it just now.
_LATER: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_NOT_FOUND: Final = 404
_OK: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamAsk:
    """The request that opens a stream; ``request_id`` is that of its message, if it has one."""

    method: Literal["GET", "POST"]
    url: str
    headers: Mapping[str, str]
    message: Mapping[str, Any] | None = None

    @property
    def request_id(self) -> Any:
        """The id by which its answer is known."""
        return None if self.message is None else self.message.get("id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The server has answered with a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """A message came on the stream."""

    message: Message
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flawed:
    """Something on the stream was not as it should be."""

    oddities: tuple[Oddity, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The stream has ended, or was refused; ``clean`` where the server said that it was over.

    It is asked for again in ``again_in`` seconds, or, where that is None, never: the answer will be the same.
    """

    why: str
    opened: bool
    clean: bool = False
    status: int | None = None
    code: int | None = None
    again_in: float | None = None

    @property
    def session_lost(self) -> bool:
        """Whether the server no longer knows the session (MCP 2025-11-25, Session Management)."""
        return not self.opened and self.status == _NOT_FOUND


News: TypeAlias = Opened | Came | Flawed | Ended


class StreamKeeper:
    """Keeps one stream open until `stop`.

    ``ask`` gives the request, anew each time; ``tell`` is called in the keeper's thread with what happens; ``chance``
    gives numbers from 0 to below 1. With ``reopen`` off the first end is the last.
    """

    def __init__(
        self,
        http: HttpPort,
        ask: Callable[[], StreamAsk],
        tell: Callable[[News], None],
        *,
        chance: Callable[[], float],
        reopen: bool = True,
    ) -> None:
        self._http = http
        self._ask = ask
        self._tell = tell
        self._chance = chance
        self._reopen = reopen
        self._stopping = threading.Event()
        self._body: HttpBody | None = None
        self._last_id = ""
        self._retry: float | None = None
        self._thread = threading.Thread(target=self._run, name="event stream", daemon=True)

    def start(self) -> None:
        """Open the stream."""
        self._thread.start()

    def stop(self) -> None:
        """Leave the stream, which tells the server that nobody listens any more."""
        self._stopping.set()
        body = self._body
        if body is not None:
            body.abort()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        losses = 0
        while not self._stopping.is_set():
            since = self._http.deadline.remaining()
            ended = self._once()
            if self._stopping.is_set():
                return
            losses = 0 if since - self._http.deadline.remaining() > LASTED else losses
            again_in = self._again_in(ended, losses)
            losses += 1
            self._tell(replace(ended, again_in=again_in))
            if again_in is None or self._stopping.wait(again_in):
                return

    def _again_in(self, ended: Ended, losses: int) -> float | None:
        refused = not ended.opened and ended.status is not None and ended.status not in _LATER
        if refused or not self._reopen or self._http.deadline.expired:
            return None
        return max(REOPEN.delay(losses, self._chance()), self._retry or 0.0)

    def _once(self) -> Ended:
        """Open the stream and read it to its end, whatever that is."""
        ask = self._ask()
        headers = dict(ask.headers)
        if ask.method == "GET" and is_header_safe(self._last_id):
            headers[LAST_EVENT] = self._last_id
        body = None if ask.message is None else encode(ask.message)
        opened = False
        try:
            with self._http.stream(
                ask.method, ask.url, headers=headers, body=body, timeout=OPENING, retry=False
            ) as answer:
                if answer.status != _OK or answer.headers.media_type != "text/event-stream":
                    return _refused(ask, answer)
                self._body, opened = answer, True
                if self._stopping.is_set():
                    return Ended(why="nobody listens any more", opened=True)
                self._tell(Opened())
                clean = self._read(ask, answer)
        except ObservationError as error:
            return Ended(why=str(error), opened=opened)
        finally:
            self._body = None
        return Ended(why="the server ended it" if clean else "it broke off", opened=True, clean=clean)

    def _read(self, ask: StreamAsk, answer: HttpBody) -> bool:
        """Tell of what comes until the stream ends; return whether it ended as it should."""
        parser = SseParser(last_id=self._last_id if ask.method == "GET" else "")
        try:
            for chunk in answer.chunks():
                for event in parser.feed(chunk):
                    if self._pass_on(ask, payload_of(event)):
                        return True
                self._follow(parser)
                if self._stopping.is_set():
                    return False
        except ObservationError as error:
            if error.rule != "unreachable":
                raise
            return False
        return ask.method == "GET"

    def _pass_on(self, ask: StreamAsk, payload: Payload) -> bool:
        """Tell of a payload; return whether it holds the result that ends a subscription."""
        for message in payload.messages:
            self._tell(Came(message=message, size=payload.size))
        if payload.oddities:
            self._tell(Flawed(oddities=payload.oddities))
        return any(message.is_answer and message.id == ask.request_id for message in payload.messages)

    def _follow(self, parser: SseParser) -> None:
        self._last_id = parser.last_id
        self._retry = self._retry if parser.retry is None else parser.retry / 1000
        if parser.oddities:
            self._tell(Flawed(oddities=tuple(parser.oddities)))
            parser.oddities.clear()


def _refused(ask: StreamAsk, answer: HttpBody) -> Ended:
    """Tell what an answer means that is no stream: a refusal, or a subscription that is over at once."""
    payload = read(answer.read(), "the answer's body") if "json" in answer.headers.media_type else Payload()
    message = next((message for message in payload.messages if message.is_answer), None)
    what = "GET" if ask.method == "GET" else str((ask.message or {}).get("method"))
    if message is not None and message.kind == "error":
        code = message.error.code
        why = f"{what} was refused with {str(message.error)[:250]}"
        return Ended(why=why, opened=False, status=answer.status, code=code)
    if message is not None and answer.status == _OK:
        return Ended(why=f"{what} was answered at once, and nothing is held open", opened=False, status=answer.status)
    kind = answer.headers.media_type or "no type"
    return Ended(why=f"{what} was answered with HTTP {answer.status} ({kind})", opened=False, status=answer.status)
