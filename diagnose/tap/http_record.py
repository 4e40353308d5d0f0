"""The recording of HTTP exchanges: heads and pieces of bodies come in, events of the recording go out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from diagnose.tap.entries import Entries, Sender, clean, parsed
from diagnose.tap.frames import CLIENT, FACT, SERVER, Frame
from diagnose.transport.inflate import CodingError, Inflater
from diagnose.wire.headers import LAST_EVENT, SESSION
from diagnose.wire.message import MAX_MESSAGE, understand
from diagnose.wire.sse import MESSAGE, SseParser
from diagnose.wire.subscription import LISTEN

#: So many streams are remembered by their last event id, to know what a GET that resumes one is for.
MAX_RESUMED: Final = 1_000
#: A body beside MCP (a token, a form) is never kept; of MCP, what is no message is kept up to so much.
_ORIGIN: Final = re.compile(r"^https?://[^/?#]*", re.IGNORECASE)
_JSON_RPC: Final = frozenset({"jsonrpc", "method", "result", "error"})


class HttpRecord:
    """Reads frames, puts entries."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._open: dict[int, _Exchange] = {}
        self._purposes: dict[str, str] = {}
        self._endpoints: dict[str, str] = {}

    def take(self, frame: Frame) -> None:
        """Take in one frame."""
        if frame.kind == FACT:
            self._fact(frame)
        elif (exchange := self._open.get(frame.stream)) is not None:
            if frame.kind == CLIENT:
                exchange.sent(frame.data)
            elif frame.kind == SERVER:
                exchange.came(frame.t, frame.data)

    def close(self, t: float) -> None:
        """Put nothing: what was not complete when the tap was killed is left out."""

    def _fact(self, frame: Frame) -> None:
        fact, t = frame.fact, frame.t
        if fact["do"] == "request":
            self._open[frame.stream] = _Exchange(self._entries, self._purposes, self._endpoints, frame.stream, fact, t)
            return
        exchange = self._open.get(frame.stream)
        if exchange is None:
            return
        match fact["do"]:
            case "asked":
                exchange.asked()
            case "response":
                exchange.answered(t, int(fact["status"]), fact["headers"])
            case "failed":
                exchange.failed(t, str(fact["text"]))
                del self._open[frame.stream]
            case "ended":
                exchange.ended(t, fact["by"], whole=bool(fact["whole"]))
                del self._open[frame.stream]
                for remembered in (self._purposes, self._endpoints):
                    while len(remembered) > MAX_RESUMED:
                        remembered.pop(next(iter(remembered)))


class _Exchange:
    """One request and what became of it. The request is put when it is complete, or when its answer begins."""

    def __init__(
        self,
        entries: Entries,
        purposes: dict[str, str],
        endpoints: dict[str, str],
        number: int,
        fact: dict[str, Any],
        t: float,
    ) -> None:
        self._entries = entries
        self._purposes = purposes
        self._endpoints = endpoints
        self._channel = f"http:{number}"
        self._method = str(fact["method"])
        self._target = str(fact["target"])
        self._fields: list[tuple[str, str]] = [(name, value) for name, value in fact["headers"]]
        self._headers = {name.lower(): value for name, value in self._fields}
        self._connection = f"c{fact['connection']}" if "connection" in fact else None
        self._t = t
        self._body: _Collected | None = _Collected(self._headers.get("content-encoding", ""))
        self._message: Any = None
        self._session = self._headers.get(SESSION.lower())
        self._label = endpoints.get(self._path)
        self._answer: _Answer | None = None

    def sent(self, data: bytes) -> None:
        """Take in a piece of the request's body."""
        if self._body is not None:
            self._body.add(data)

    def asked(self) -> None:
        """Put the request, once."""
        body, self._body = self._body, None
        if body is None:
            return
        data = body.data
        value = parsed(data) if data is not None else None
        mine = self._is_mcp and _is_message(value)
        self._message = value if mine else None
        authorization = self._headers.get("authorization")
        imprint = self._entries.imprint
        self._put(
            self._t,
            "client",
            "request",
            connection=self._connection,
            method=self._method,
            path=imprint.path(self._path),
            headers=imprint.headers(self._fields),
            principal=None
            if authorization is None
            else imprint.headers([("authorization", authorization)])["authorization"],
            message=self._entries.message("client", value, self._channel) if mine else None,
        )
        if self._is_mcp and data and value is None and "json" in self._headers.get("content-type", ""):
            self._entries.raw(self._t, "client", data, lane=self._channel, **self._place)

    def failed(self, t: float, text: str) -> None:
        """Put that nobody could be asked."""
        self.asked()
        self._put(t, "tap", "action", text=text)

    def answered(self, t: float, status: int, fields: list[list[str]]) -> None:
        """Take in the head of the answer; a stream of events is put as opened."""
        self.asked()
        pairs = [(name, value) for name, value in fields]
        headers = {name.lower(): value for name, value in pairs}
        self._session = self._session or headers.get(SESSION.lower())
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        last_id = self._headers.get(LAST_EVENT.lower(), "")
        self._answer = _Answer(status, pairs, kind, headers.get("content-encoding", ""), last_id)
        if self._answer.streams is not None:
            kept = self._entries.imprint.headers(pairs)
            self._put(t, "tap", "stream-open", status=status, headers=kept, purpose=self._purpose)

    def came(self, t: float, data: bytes) -> None:
        """Take in a piece of the answer."""
        answer = self._answer
        if answer is None:
            return
        if answer.streams is None:
            answer.body.add(data)
            return
        for piece in answer.body.decoded(data):
            for event in answer.streams.feed(piece):
                self._event(t, event.data, event.type)
        for comment in answer.comments:
            self._entries.raw(t, "server", comment, **self._place)
        answer.comments.clear()

    def ended(self, t: float, by: Sender, *, whole: bool) -> None:
        """Put the end: of a stream that it is closed, of any other answer what it said."""
        self.asked()
        answer = self._answer
        if answer is None:
            self._put(t, "tap", "action", text="no answer came: " + _ENDS[by])
        elif answer.streams is None:
            self._whole(t, answer)
        else:
            if answer.streams.last_id:
                self._purposes[answer.streams.last_id] = self._purpose
            # A subscription ends with its result, an answer with the response; only a GET stream may simply end.
            clean = answer.final or (whole and by == "server" and self._purpose == "get")
            self._put(t, by, "stream-close", by=by, clean=clean)

    def _event(self, t: float, data: bytes, kind: str) -> None:
        if kind == "endpoint":
            # HTTP+SSE (MCP 2024-11-05): the address for messages, which holds the session's id.
            address = data.decode(errors="replace")
            self._label = self._entries.imprint.fingerprint(address)
            self._endpoints[_path_of(address)] = self._label
            self._put(t, "server", "raw", text=f"event: endpoint\ndata: {self._entries.imprint.path(address)}")
            return
        if kind != MESSAGE:
            self._entries.event(t, "server", kind, data, **self._place)
            return
        value = clean(data)
        if value is None:
            self._entries.raw(t, "server", data, lane=self._channel, **self._place)
            return
        answer = self._answer
        if answer is not None:
            answer.final = answer.final or self._is_final(value)
        self._put(t, "server", "message", message=self._entries.message("server", value, self._channel))

    def _whole(self, t: float, answer: _Answer) -> None:
        data = answer.body.data
        value = parsed(data) if data and self._is_mcp else None
        message = self._entries.message("server", value, self._channel) if _is_message(value) else None
        kept = self._entries.imprint.headers(answer.fields)
        self._put(t, "server", "response", status=answer.status, headers=kept, message=message)
        if self._is_mcp and value is None and data and data.strip() and "json" in answer.kind:
            self._entries.raw(t, "server", data, lane=self._channel, **self._place)

    @property
    def _purpose(self) -> str:
        if self._method == "GET":
            return self._purposes.get(self._headers.get(LAST_EVENT.lower(), ""), "get")
        method = self._message.get("method") if isinstance(self._message, dict) else None
        return "listen" if method == LISTEN else "response"

    @property
    def _path(self) -> str:
        return _path_of(self._target)

    @property
    def _is_mcp(self) -> bool:
        """Whether bodies of this exchange may be messages: those of OAuth (RFC 6749, 7591) are credentials."""
        form = "x-www-form-urlencoded" in self._headers.get("content-type", "")
        return not form and "/.well-known/" not in self._target

    def _is_final(self, value: Any) -> bool:
        asked = self._message.get("id") if isinstance(self._message, dict) else None
        for each in value if isinstance(value, list) else [value]:
            known = understand(each)
            if known is not None and known.is_answer and known.id == asked:
                return True
        return False

    @property
    def _place(self) -> dict[str, Any]:
        session = self._label if self._session is None else self._entries.imprint.fingerprint(self._session)
        return {"channel": self._channel, "session": session}

    def _put(self, t: float, sender: Sender, kind: str, **fields: Any) -> None:
        self._entries.put(t, sender, kind, **self._place, **fields)


_ENDS: Final = {
    "client": "the client closed the connection",
    "server": "the server closed the connection",
    "tap": "the tap was ended",
}


class _Answer:
    """An answer on its way."""

    def __init__(self, status: int, fields: list[tuple[str, str]], kind: str, coding: str, last_id: str) -> None:
        self.status = status
        self.fields = fields
        self.kind = kind
        self.body = _Collected(coding)
        self.comments: list[bytes] = []
        self.streams = SseParser(last_id=last_id, comments=self.comments) if kind == "text/event-stream" else None
        self.final = False


class _Collected:
    """A body as it comes, its content coding undone. ``data`` is None where it is too long or cannot be read."""

    def __init__(self, coding: str) -> None:
        name = coding.strip().lower()
        self._readable = name in {"", "identity", "gzip", "x-gzip", "deflate"}
        self._inflater = Inflater(name) if self._readable and name not in {"", "identity"} else None
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, data: bytes) -> None:
        """Take in a piece."""
        for piece in self.decoded(data):
            self._size += len(piece)
            if self._size <= MAX_MESSAGE:
                self._pieces.append(piece)

    def decoded(self, data: bytes) -> Iterator[bytes]:
        """Yield what a piece holds; nothing more once it is damaged."""
        if not self._readable:
            return
        if self._inflater is None:
            yield data
            return
        try:
            yield from self._inflater.feed(data)
        except CodingError:
            self._readable = False

    @property
    def data(self) -> bytes | None:
        """The body so far."""
        return b"".join(self._pieces) if self._readable and self._size <= MAX_MESSAGE else None


def _path_of(url: str) -> str:
    """Return path and query of whatever a client sent as its target: no URL reader may trip over it."""
    target = _ORIGIN.sub("", url.partition("#")[0])
    return target if target.startswith("/") else f"/{target}"


def _is_message(value: Any) -> bool:
    """Tell a message or batch of JSON-RPC from any other JSON, which may be anything."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and not _JSON_RPC.isdisjoint(first)
