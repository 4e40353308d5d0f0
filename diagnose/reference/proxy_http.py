"""A fault in front of the reference server over HTTP: the server stays honest, what passes through here does not."""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from diagnose.reference.contract import ToolDict
from diagnose.reference.event_stream import blocks, event_of, message_in
from diagnose.reference.exchange import Answer, Ask
from diagnose.reference.faults import Fault
from diagnose.reference.outlet import Message, Outlet
from diagnose.reference.relay import Relay

#: Headers that belong to one connection, and those that are written anew.
HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "host", "date", "server"})
PIECE = 65_536
MAX_REQUEST = 16 << 20
#: Seconds between two looks at whether it is to stop.
POLL = 0.05


class HttpUpstream:
    """The honest server at a port of this machine."""

    def __init__(self, port: int) -> None:
        self._port = port

    def answer(self, ask: Ask) -> Answer:
        """Put the request to the server; an event stream is handed on open, anything else is read whole."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        connection.request(ask.verb, ask.path, body=ask.body or None, headers=dict(ask.headers))
        response = connection.getresponse()
        headers = tuple((name.lower(), value) for name, value in response.getheaders() if name.lower() not in HOP)
        if response.headers.get_content_type() == "text/event-stream":
            return Answer(status=response.status, headers=headers, stream=_pieces(connection, response))
        try:
            return Answer(status=response.status, headers=headers, body=response.read())
        finally:
            connection.close()

    def tools(self) -> list[ToolDict]:
        """Return the definitions that the server holds, from its manifest."""
        tools: list[ToolDict] = json.loads(self.answer(Ask(verb="GET", path="/tools", headers=())).body)
        return tools


def _pieces(connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> Iterator[bytes]:
    try:
        while piece := response.read1(PIECE):
            yield piece
    except (OSError, http.client.HTTPException):
        return  # the server has ended; so does the stream
    finally:
        connection.close()


class FaultProxy(ThreadingHTTPServer):
    """Listens where the client connects. Every connection has a thread, and none of them keeps the process alive."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, upstream: HttpUpstream, fault: Fault) -> None:
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.relay = Relay(fault, upstream)
        self.connections = itertools.count(1)

    def start(self) -> None:
        """Serve in a thread of its own until the process ends."""
        threading.Thread(target=self.serve_forever, args=(POLL,), name="fault", daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away, or sent what is no request: their connection is closed."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: FaultProxy

    def setup(self) -> None:
        super().setup()
        self._number = next(self.server.connections)

    def relay(self) -> None:
        """Let the fault answer one request."""
        ask = self._ask()
        if not ask.asks_for_outlet:
            self._pass(self.server.relay.answer(ask))
            return
        outlet = self.server.relay.reserve(ask)
        try:
            answer = self.server.relay.answer(ask, outlet)
            if answer.stream is None:
                self._pass(answer)
            else:
                self._hold(answer, answer.stream, outlet)
        finally:
            self.server.relay.release(outlet)

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = relay  # noqa: N815 - the base class finds them by these names

    def _pass(self, answer: Answer) -> None:
        if answer.ending == "silence":
            self.rfile.read(1)  # until the client gives up
        if answer.ending != "whole":
            self.close_connection = True
        elif answer.stream is not None:
            self._stream(answer, answer.stream)
        else:
            self._send(answer)

    def _ask(self) -> Ask:
        length = int(self.headers.get("content-length") or 0)
        if not 0 <= length <= MAX_REQUEST:
            raise ValueError("a request body of that length is not relayed")
        body = self.rfile.read(length)
        try:
            message = json.loads(body)
        except ValueError:
            message = None
        return Ask(
            verb=self.command,
            path=self.path,
            headers=tuple((name.lower(), value) for name, value in self.headers.items() if name.lower() not in HOP),
            body=body,
            message=message,
            connection=self._number,
        )

    def _send(self, answer: Answer) -> None:
        self._head(answer)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def _stream(self, answer: Answer, pieces: Iterator[bytes]) -> None:
        """Pass a stream on that answers an ordinary request."""
        pipe = self._begin(answer)
        for piece in pieces:
            pipe.write(piece)
        pipe.finish(clean=True)

    def _hold(self, answer: Answer, pieces: Iterator[bytes], outlet: Outlet) -> None:
        """Let what comes on a stream for signals pass the fault, until either side ends it."""
        relay = self.server.relay
        pipe = outlet.pipe = self._begin(answer)
        threading.Thread(target=self._watch, args=(outlet,), daemon=True).start()
        if outlet.subscription is None:
            relay.opened(outlet)
        for block in blocks(pieces):
            message = message_in(block)
            if message is not None:
                relay.tell(outlet, message)
            elif relay.fault.keeps_alive:
                pipe.write(block + b"\r\n\r\n")
            if outlet.closed:
                break
        outlet.close()
        self.close_connection = True

    def _watch(self, outlet: Outlet) -> None:
        """Take note at once when the client leaves a stream: nothing else comes from it any more."""
        with suppress(OSError, ValueError):
            self.rfile.read(1)
        outlet.gone()

    def _begin(self, answer: Answer) -> _StreamPipe:
        self._head(answer)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        return _StreamPipe(self)

    def _head(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Log nothing: stderr is the user's."""


class _StreamPipe:
    """The open body of one answer."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler
        self._lock = threading.Lock()

    def write(self, piece: bytes) -> None:
        """Send these bytes now."""
        with self._lock:
            self._handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))

    def send(self, message: Message) -> None:
        """Send one event."""
        self.write(event_of(message))

    def finish(self, *, clean: bool) -> None:
        """End the body; unless ``clean``, break the connection off in the middle of it."""
        with self._lock:
            if clean:
                self._handler.wfile.write(b"0\r\n\r\n")
            self._handler.connection.shutdown(socket.SHUT_WR)
