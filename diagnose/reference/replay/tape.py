"""A recording in the order of a dialogue: what a client said, what it got for that, and what the server said unasked. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from diagnose.errors import InputError
from diagnose.evidence.recording import Event, Recording
from diagnose.reference.replay.words import (
    Key,
    asks,
    is_modern,
    key_of,
    method_of,
    params_of,
    subscription_of,
    token_of,
)
from diagnose.wire.subscription import ACKNOWLEDGED

LISTEN: Final = "subscriptions/listen"
STDIO: Final = "stdio"
SESSION: Final = "mcp-session-id"
#: Response headers that a client goes by; the others say where the server was, or hold fingerprints.
_KEPT: Final = frozenset({"content-type", SESSION, "allow", "retry-after", "mcp-protocol-version"})
_ENDPOINT: Final = b"event: endpoint"
_PIPE: Final = (None, False)
#: A client of the recording, as far as its words tell: its session, and whether it speaks the modern era.
Lane: TypeAlias = tuple[str | None, bool]


@dataclass(slots=True, kw_only=True)
class Said:
    """Something that the server said: a message, raw bytes, or the end of a stream or of the process."""

    frame: int
    t: float
    channel: str
    message: Any = None
    raw: bytes | None = None
    ends: bool = False
    clean: bool = True
    code: int | None = None
    of: Cue | None = None
    """The request whose ids and token it carries."""


@dataclass(slots=True, kw_only=True)
class Cue:
    """Something that the client said, and what it got for it. ``status`` is None where no answer was recorded."""

    frame: int
    t: float
    channel: str
    key: Key
    message: Any
    lane: Lane
    verb: str = "POST"
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    opened: float | None = None
    """When a stream was opened for it."""
    answers: list[Said] = field(default_factory=list)
    stays_open: bool = False
    """Whether its end is among the answers, or was not seen."""

    @property
    def is_channel(self) -> bool:
        """Whether this opened a channel for what the server says unasked."""
        return self.verb == "GET" or method_of(self.message) == LISTEN


@dataclass(slots=True, kw_only=True)
class Tape:
    """All cues in their order; ``unasked`` is what the server said by itself, by the client to which it did."""

    transport: str
    path: str = "/mcp"
    source: str = "a recording"
    cues: list[Cue] = field(default_factory=list)
    unasked: dict[Lane, list[Said]] = field(default_factory=dict)
    code: int = 0
    by_key: dict[Key, list[Cue]] = field(default_factory=dict)
    following: dict[int, int] = field(default_factory=dict)
    """By the frame of each cue, that of the next one of the same client; its last one has none."""

    @property
    def methods(self) -> frozenset[Any]:
        """The methods that were answered."""
        return frozenset(key[0] for key in self.by_key)


def tape_of(recording: Recording) -> Tape:
    """Order a recording. Raises `InputError` where no client says anything in it."""
    winder = _Winder(recording.header.transport)
    for event in recording.events:
        winder.take(event)
    tape = winder.tape
    if not tape.cues:
        raise InputError("in this recording no client says anything, so there is nothing to answer")
    tape.source = recording.source or tape.source
    last: dict[Lane, int] = {}
    for cue in tape.cues:
        tape.by_key.setdefault(cue.key, []).append(cue)
        if cue.lane in last:
            tape.following[last[cue.lane]] = cue.frame
        last[cue.lane] = cue.frame
    return tape


class _Winder:
    def __init__(self, transport: str) -> None:
        self.tape = Tape(transport=transport)
        self._exchanges: dict[str, Cue] = {}
        self._heads: dict[str, Event] = {}
        self._waiting = _Waiting()
        self._asked_back: dict[Lane, int] = {}
        self._has_path = False

    def take(self, event: Event) -> None:
        if event.sender == "client" and event.kind in {"request", "message"}:
            self._asked(event)
        elif event.kind in {"response", "stream-open"}:
            self._opened(event)
        elif event.kind == "stream-close":
            self._closed(event)
        elif event.sender == "server" and event.kind in {"message", "raw"}:
            self._came(event)
        elif event.kind == "process" and event.event == "exit":
            self._exited(event)

    def _asked(self, event: Event) -> None:
        channel = event.channel or STDIO
        # Some recorders tell the head of a request first, and then what it carried.
        head = event if event.kind == "request" else self._heads.pop(channel, None)
        verb = (head.method or "POST").upper() if head is not None else "POST"
        if event.message is None and verb == "POST":
            self._heads[channel] = event  # or it is a form, or bytes that were no message
            return
        session = head.headers.get(SESSION) if head is not None else None
        lane = (session, is_modern(event.message)) if self.tape.transport == "http" else _PIPE
        key = key_of(event.message, verb, session)
        cue = Cue(frame=event.frame, t=event.t, channel=channel, key=key, message=event.message, lane=lane, verb=verb)
        if head is not None:
            if not self._is_mcp(head, event.message):
                return
            self._exchanges[channel] = cue
        self.tape.cues.append(cue)
        self._waiting.put(cue, event.session)

    def _is_mcp(self, head: Event, message: Any) -> bool:
        """Tell whether a request is one of MCP: what was said beside it, such as metadata, is in no recording."""
        path = urlsplit(head.path or "/mcp").path
        listens = "text/event-stream" in head.headers.get("accept", "")
        if message is None and path != self.tape.path and not listens:
            return False
        if not self._has_path:
            self.tape.path, self._has_path = path, True
        return True

    def _opened(self, event: Event) -> None:
        cue = self._exchanges.get(event.channel or "")
        if cue is None:
            return
        cue.status = event.status or 200
        cue.headers = _kept(event.headers)
        if event.kind == "stream-open":
            cue.opened = event.t
        elif event.message is not None:
            self._answer(cue, event)

    def _closed(self, event: Event) -> None:
        cue = self._exchanges.get(event.channel or "")
        if cue is None or (cue.is_channel and event.by != "server"):
            return  # that end is the client's
        end = Said(
            frame=event.frame,
            t=event.t,
            channel=cue.channel,
            ends=True,
            clean=event.clean is not False or event.by != "server",
        )
        cue.stays_open = True
        if cue.is_channel:
            self._put(end, cue.lane)
        else:
            self._latest(cue).answers.append(end)

    def _came(self, event: Event) -> None:
        cue = self._exchanges.get(event.channel or "")
        if event.kind == "raw":
            mine = cue is not None and (not cue.is_channel or (event.data or b"").startswith(_ENDPOINT))
            said = Said(frame=event.frame, t=event.t, channel=event.channel or STDIO, raw=event.data or b"")
            if cue is not None and mine:
                cue.answers.append(said)
            else:
                self._put(said, cue.lane if cue is not None else _PIPE)
        elif cue is not None and not cue.is_channel:
            self._answer(cue, event)
        else:
            self._beside(event)

    def _beside(self, event: Event) -> None:
        """Take in what came on a pipe, or on a channel that is open for all that the server says."""
        said, message = self._said(event), event.message
        channel = self._exchanges.get(event.channel or "")
        lane = channel.lane if channel is not None else _PIPE
        is_answer = isinstance(message, dict) and method_of(message) is None
        owner = self._waiting.answered if is_answer else self._waiting.owner
        said.of = owner(message, event.session)
        if said.of is None:
            self._put(said, lane)
        elif is_answer and said.of.is_channel:
            said.ends = said.of.channel != STDIO
            self._put(said, lane)
        elif is_answer:
            self._latest(said.of).answers.append(said)
        elif method_of(message) == ACKNOWLEDGED or "progressToken" in params_of(message):
            said.of.answers.append(said)
        else:
            self._put(said, lane)

    def _put(self, said: Said, lane: Lane) -> None:
        """Keep something that the server said by itself. What it asks of the client has to be answered first."""
        self.tape.unasked.setdefault(lane, []).append(said)
        if asks(said.message):
            self._asked_back[lane] = said.frame

    def _latest(self, cue: Cue) -> Cue:
        """Return what an answer is said upon: the request, or the client's answer to what was asked back meanwhile."""
        back = self._asked_back.get(cue.lane, 0)
        if back < cue.frame:
            return cue
        after = takewhile(lambda other: other.frame > back, reversed(self.tape.cues))
        return next((other for other in after if other.lane == cue.lane and other.key[0] == "answer"), cue)

    def _answer(self, cue: Cue, event: Event) -> None:
        said = self._said(event)
        said.of = cue
        at = self._latest(cue)
        at.answers.append(said)
        cue.stays_open = cue.stays_open or at is not cue
        if asks(event.message):
            self._asked_back[cue.lane] = event.frame
        self._waiting.done(cue)

    def _said(self, event: Event) -> Said:
        return Said(frame=event.frame, t=event.t, channel=event.channel or STDIO, message=event.message)

    def _exited(self, event: Event) -> None:
        self.tape.code = event.code or 0
        if self._waiting.is_expected:
            # Somebody was waiting for an answer: it ended by itself, and not because its client had left.
            code = event.code or 0
            self._put(Said(frame=event.frame, t=event.t, channel=STDIO, ends=True, code=code), _PIPE)
        self._waiting = _Waiting()


class _Waiting:
    """Requests without an answer so far, by their id and the session whose label the recorder gave them."""

    def __init__(self) -> None:
        self._cues: dict[tuple[str | None, str], Cue] = {}
        self._keys: dict[int, list[tuple[str | None, str]]] = {}

    @property
    def is_expected(self) -> bool:
        """Whether somebody waits; a subscription does not."""
        return any(method_of(cue.message) != LISTEN for cue in self._cues.values())

    def put(self, cue: Cue, label: str | None) -> None:
        keys = self._keys[cue.frame] = [(label, repr(ask["id"])) for ask in asks(cue.message)]
        self._cues.update(dict.fromkeys(keys, cue))

    def done(self, cue: Cue) -> None:
        """Take note that a request has its answer, or the first of them."""
        for key in self._keys.pop(cue.frame, ()):
            if self._cues.get(key) is cue:
                del self._cues[key]

    def answered(self, message: Any, label: str | None) -> Cue | None:
        """Return the request that is answered here."""
        return self._cues.pop((label, repr(message.get("id"))), None)

    def owner(self, message: Any, label: str | None) -> Cue | None:
        """Return the request that something unasked belongs to: by its subscription, or by its progress token."""
        subscription, token = subscription_of(message), params_of(message).get("progressToken")
        if subscription is not None:
            return self._cues.get((label, repr(subscription)))
        waiting = reversed(self._cues.values()) if token is not None else ()
        return next((cue for cue in waiting if token_of(cue.message) == token), None)


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in headers.items() if name in _KEPT}
    if "www-authenticate" in headers:
        kept["www-authenticate"] = headers["www-authenticate"].split(" ", 1)[0]  # what follows leads to the real server
    return kept
