"""HTTP with a recorder in between: what a channel sends and is sent is kept as it crosses, in the thread that it crosses in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from diagnose.errors import ObservationError
from diagnose.observe.ports import HttpBody, HttpPort
from diagnose.observe.recorder import Recorder, Sender, json_value
from diagnose.transport.answer import Headers
from diagnose.transport.deadline import Deadline
from diagnose.wire.headers import LAST_EVENT, SESSION
from diagnose.wire.message import understand
from diagnose.wire.sse import MESSAGE, SseParser
from diagnose.wire.subscription import LISTEN

_REFUSED: Final = 400


class RecordedHttp:
    """An HTTP client, every exchange of which is recorded. What it does is what the client does."""

    def __init__(self, http: HttpPort, recorder: Recorder) -> None:
        self._http = http
        self._recorder = recorder
        self._purposes: dict[str, str] = {}
        """By the last event id of a stream, what the stream was for: a GET may go on with any of them."""

    @property
    def deadline(self) -> Deadline:
        """The client's."""
        return self._http.deadline

    def sends_credential(self, url: str) -> bool:
        """Return whether the client's requests for ``url`` carry a credential of ours."""
        return self._http.sends_credential(url)

    @contextmanager
    def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,
        retry: bool = True,
        max_bytes: int | None = None,
    ) -> Iterator[HttpBody]:
        """Send a request and yield its answer, as `HttpClient.stream`; attempts that were repeated are one exchange."""
        exchange = _Exchange(self._recorder, self._purposes, method, headers or {}, body)
        exchange.asked(url)
        answered = False
        try:
            with self._http.stream(
                method, url, headers=headers, body=body, timeout=timeout, retry=retry, max_bytes=max_bytes
            ) as answer:
                answered = True
                recorded = RecordedAnswer(answer, exchange)
                try:
                    yield recorded
                finally:
                    recorded.left()
        except ObservationError as error:
            if not answered:
                exchange.failed(error)
            raise


class RecordedAnswer:
    """An answer that records its body as somebody reads it."""

    def __init__(self, answer: HttpBody, exchange: _Exchange) -> None:
        self._answer = answer
        self._exchange = exchange
        self._told = False
        if self.headers.media_type == "text/event-stream":
            exchange.opened(self.status, self.headers)
            self._told = True

    @property
    def status(self) -> int:
        """The status code."""
        return self._answer.status

    @property
    def headers(self) -> Headers:
        """The header fields as received."""
        return self._answer.headers

    def chunks(self, idle_timeout: float | None = None) -> Iterator[bytes]:
        """Yield the body as it arrives, as `HttpStream.chunks`."""
        try:
            for chunk in self._answer.chunks(idle_timeout):
                self._exchange.came(chunk)
                yield chunk
        except ObservationError as error:
            self._exchange.closed("server" if error.rule == "unreachable" else "client", whole=False)
            raise
        self._exchange.closed("server", whole=True)

    def read(self, max_bytes: int | None = None) -> bytes:
        """Return the whole body, as `HttpStream.read`."""
        body = self._answer.read(max_bytes)
        if not self._told:
            self._told = True
            self._exchange.answered(self.status, self.headers, body)
        return body

    def abort(self) -> None:
        """End the connection now."""
        self._exchange.closed("client", whole=False)
        self._answer.abort()

    def left(self) -> None:
        """Tell that nobody reads any further."""
        if not self._told:
            self._exchange.answered(self.status, self.headers, b"")
        self._exchange.closed("client", whole=False)


class _Exchange:
    """One request and what became of it, as events."""

    def __init__(
        self,
        recorder: Recorder,
        purposes: dict[str, str],
        method: str,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> None:
        self.recorder = recorder
        self.channel = recorder.next_channel()
        self._method = method
        self._headers = headers
        self._message = None if body is None else json_value(body)
        self._size = len(body or b"")
        self._purposes = purposes
        self._session = headers.get(SESSION)
        self._comments: list[bytes] = []
        self._parser: SseParser | None = None
        self._final = False

    def asked(self, url: str) -> None:
        """Keep the request. The query of the URL is left out: keys stand in it."""
        self._add(
            "client",
            "request",
            size=self._size,
            method=self._method,
            path=urlsplit(url).path or "/",
            headers=self.recorder.headers(self._headers),
            message=self._message,
        )

    def failed(self, error: ObservationError) -> None:
        """Keep that there was no answer at all."""
        kind = error.args_by_name.get("kind") or error.rule
        what = "the server refused the connection" if kind == "refused" else f"no answer came ({kind})"
        self._add("tap", "action", text=f"client connected; {what}")

    def answered(self, status: int, headers: Headers, body: bytes) -> None:
        """Keep a whole answer. Where a message was due and the body is JSON that is none, it is kept as it came."""
        is_json = "json" in headers.media_type or body.lstrip()[:1] in {b"{", b"["}
        message = _message(json_value(body)) if is_json else None
        self._of_session(headers)
        kept = self.recorder.headers(dict(headers))
        self._add("server", "response", size=len(body), status=status, headers=kept, message=message)
        if message is None and body.strip() and is_json and self._message is not None and status < _REFUSED:
            self._raw(body)

    def opened(self, status: int, headers: Headers) -> None:
        """Keep that the answer is a stream of events."""
        self._of_session(headers)
        self._parser = SseParser(last_id=self._headers.get(LAST_EVENT, ""), comments=self._comments)
        kept = self.recorder.headers(dict(headers))
        self._add("tap", "stream-open", status=status, headers=kept, purpose=self._purpose)

    def came(self, chunk: bytes) -> None:
        """Keep the events that a piece of the stream completes."""
        parser = self._parser
        for event in () if parser is None else parser.feed(chunk):
            message = json_value(event.data)
            if event.type != MESSAGE:
                # Passed over by whoever reads as the standard says: kept as it came, and as no message.
                self._raw(f"event: {event.type}\ndata: ".encode() + event.data)
                continue
            if message is None:
                self._raw(event.data)
                continue
            self._final = self._final or self._is_final(message)
            self._add("server", "message", size=len(event.data), message=message)
        for comment in self._comments:
            self._raw(comment)
        self._comments.clear()

    def closed(self, by: Sender, *, whole: bool) -> None:
        """Keep the end of a stream, once. A stream is whole where HTTP ended it in order."""
        parser, self._parser = self._parser, None
        if parser is None:
            return
        if parser.last_id:
            self._purposes[parser.last_id] = self._purpose
        # A subscription ends with its result, an answer with the response; only a GET stream may simply end.
        self._add(by, "stream-close", by=by, clean=self._final or (whole and self._purpose == "get"))

    @property
    def _purpose(self) -> str:
        if self._method == "GET":
            return self._purposes.get(self._headers.get(LAST_EVENT, ""), "get")
        method = self._message.get("method") if isinstance(self._message, dict) else None
        return "listen" if method == LISTEN else "response"

    def _is_final(self, message: Any) -> bool:
        asked = self._message.get("id") if isinstance(self._message, dict) else None
        for each in message if isinstance(message, list) else [message]:
            known = understand(each)
            if known is not None and known.is_answer and known.id == asked:
                return True
        return False

    def _of_session(self, headers: Headers) -> None:
        self._session = self._session or headers.get(SESSION)

    def _raw(self, data: bytes) -> None:
        self.recorder.raw("server", data, **self._place)

    def _add(self, sender: Sender, kind: str, *, size: int = 0, **fields: Any) -> None:
        self.recorder.add(sender, kind, size=size, **self._place, **fields)

    @property
    def _place(self) -> dict[str, Any]:
        session = None if self._session is None else self.recorder.fingerprint(self._session)
        return {"channel": self.channel, "session": session}


def _message(value: Any) -> Any:
    """Return a JSON value if it is a message, or a batch of them; None for any other JSON, such as an OAuth error."""
    entries = value if isinstance(value, list) else [value]
    return value if entries and all(understand(entry) is not None for entry in entries) else None
