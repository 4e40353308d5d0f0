"""HTTP+SSE of 2024-11-05: one stream of events from the server, and an endpoint to POST to that it names first.

Deprecated since 2025-03-26 and still met; MCP 2024-11-05, basic/transports.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from diagnose.errors import InputError, ObservationError
from diagnose.evidence.observation import Era
from diagnose.observe.channel import Answer, ChannelEndedError, Listener
from diagnose.observe.channel_http import QUOTED, pick, read_away, refuse_credential
from diagnose.transport.deadline import Deadline
from diagnose.transport.origin import Origin
from diagnose.wire.headers import ACCEPT
from diagnose.wire.message import Payload, encode, read
from diagnose.wire.sse import Event, SseParser, payload_of

if TYPE_CHECKING:
    from diagnose.observe.ports import HttpBody, HttpPort

_OK: Final = 200
_REFUSED: Final = 400
#: So many pieces of the stream wait for their reader; then the server has to wait.
_AHEAD: Final = 256
_LOOK: Final = 0.2


class SseChannel:
    """A conversation over one event stream, read by a thread. Use `open`, which waits for the endpoint."""

    unasked = True

    def __init__(self, http: HttpPort, url: str, timeout: float) -> None:
        self._http = http
        self._url = url
        self._endpoint = url
        self._timeout = timeout
        self._held = ExitStack()
        self._parser = SseParser()
        self._stream: HttpBody | None = None
        self._thread: threading.Thread | None = None
        self._arrived: queue.Queue[bytes | ObservationError | None] = queue.Queue(_AHEAD)
        self._closing = threading.Event()
        self._ended = False
        self._waiting: deque[Event] = deque()

    @classmethod
    def open(cls, http: HttpPort, url: str, timeout: float) -> SseChannel | None:
        """Open the stream; None if what answers is no server of this kind.

        Raises ObservationError (`handshake-failed`) if the endpoint is on another origin: what we send it would go to
        strangers.
        """
        channel = cls(http, url, timeout)
        try:
            if channel._open():
                return channel
        except BaseException:
            channel.close({})
            raise
        channel.close({})
        return None

    def _open(self) -> bool:
        sent = {"Accept": "text/event-stream"}
        stream = self._held.enter_context(self._http.stream("GET", self._url, headers=sent, timeout=self._timeout))
        refuse_credential(stream, sent=self._http.sends_credential(self._url))
        if stream.status != _OK or stream.headers.media_type != "text/event-stream":
            return False
        self._stream = stream
        self._thread = threading.Thread(target=self._pump, args=(stream,), name="event stream", daemon=True)
        self._thread.start()
        first = self._next(self._http.deadline.within(self._timeout))
        if first is None or first.type != "endpoint":
            return False
        self._endpoint = self._same_origin(first.data.decode("utf-8", "replace").strip())
        return True

    def _same_origin(self, reference: str) -> str:
        try:
            endpoint = urljoin(self._url, reference)
            if Origin.of(endpoint) == Origin.of(self._url):
                return endpoint
        except (InputError, ValueError):
            pass
        raise ObservationError(
            "The server names an endpoint on another origin than its own; nothing is sent there.",
            rule="handshake-failed",
            kind="endpoint",
            endpoint=reference[:200],
        )

    def ask(self, message: Mapping[str, Any], headers: Mapping[str, str], timeout: float, listener: Listener) -> Answer:
        """POST a request to the endpoint and wait for its answer on the stream (`Channel.ask`)."""
        sent = {"Accept": ACCEPT, "Content-Type": "application/json", **headers}
        with self._http.stream("POST", self._endpoint, headers=sent, body=encode(message), timeout=timeout) as stream:
            refuse_credential(stream, sent=self._http.sends_credential(self._endpoint))
            body = stream.read()
            status, fields = stream.status, stream.headers
        deadline = self._http.deadline.within(timeout)
        # Some servers answer where they were asked; the stream then stays silent.
        payload = read(body, "the answer's body") if body.lstrip()[:1] in {b"{", b"["} else Payload()
        found = pick(payload, message["id"], listener, any_id=status >= _REFUSED)
        if found is not None or status >= _REFUSED:
            return Answer(message=found, payload=payload, status=status, headers=fields, body=body[:QUOTED])
        while (event := self._next(deadline)) is not None:
            listener.noticed(tuple(self._parser.oddities))
            self._parser.oddities.clear()
            payload = payload_of(event)
            found = pick(payload, message["id"], listener)
            if found is not None:
                return Answer(message=found, payload=payload, status=status, headers=fields)
            listener.noticed(payload.oddities)
        raise ObservationError(
            "The server ended its event stream before the answer had come.", rule="timed-out", kind="stream-cut"
        )

    def tell(self, message: Mapping[str, Any], headers: Mapping[str, str], timeout: float) -> int | None:
        """POST a notification or an answer to the endpoint."""
        sent = {"Accept": ACCEPT, "Content-Type": "application/json", **headers}
        with self._http.stream("POST", self._endpoint, headers=sent, body=encode(message), timeout=timeout) as stream:
            refuse_credential(stream, sent=self._http.sends_credential(self._endpoint))
            read_away(stream)
            return int(stream.status)

    def hear(self, timeout: float, listener: Listener) -> None:
        """Read events for ``timeout`` seconds or until a message has come (`Channel.hear`)."""
        event = self._soon(self._http.deadline.within(timeout))
        if event is None and self._ended:
            raise ChannelEndedError("The server ended its event stream.", rule="unreachable", kind="stream-cut")
        if event is not None:
            payload = payload_of(event)
            for message in payload.messages:
                listener.heard(message, payload.size)
            listener.noticed(payload.oddities)

    def settle(self, era: Era) -> None:
        """Nothing depends on the era: this transport has only one."""

    def close(self, headers: Mapping[str, str]) -> str | None:
        """Leave the stream, which ends the session."""
        del headers  # nothing is sent
        self._closing.set()
        if self._stream is not None and self._thread is not None:
            self._stream.abort()
            self._thread.join(2 * _LOOK)
        self._held.close()
        return None

    def _next(self, deadline: Deadline) -> Event | None:
        """Return the next event with data, or None when the stream has ended. Raises ObservationError (`timed-out`)."""
        event = self._soon(deadline)
        if event is None and not self._ended:
            deadline.check("reading an event stream")
        return event

    def _soon(self, deadline: Deadline) -> Event | None:
        """Return the next event with data, or None when none came in time or the stream has ended."""
        while not self._waiting:
            if self._ended:
                return None
            try:
                arrived = self._arrived.get(timeout=deadline.remaining())
            except queue.Empty:
                return None
            if isinstance(arrived, ObservationError):
                self._ended = True
                raise arrived
            self._ended = arrived is None
            self._waiting.extend(event for event in self._parser.feed(arrived or b"") if event.data)
        return self._waiting.popleft()

    def _pump(self, stream: HttpBody) -> None:
        """Read the stream to its end, in a thread of its own."""
        end: ObservationError | None = None
        try:
            for chunk in stream.chunks():
                self._offer(chunk)
        except ObservationError as error:
            end = None if error.rule == "unreachable" else error
        self._offer(end)

    def _offer(self, arrived: bytes | ObservationError | None) -> None:
        while not self._closing.is_set():
            try:
                self._arrived.put(arrived, timeout=_LOOK)
            except queue.Full:
                continue
            return
