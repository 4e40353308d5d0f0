"""A fault in front of the reference server over HTTP: the server stays honest, what passes through here does not."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer, Ask
from diagnose.reference.faults import Fault, Memory, Passing

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
        self._upstream = upstream
        self._fault = fault
        self._memory = Memory()

    def start(self) -> None:
        """Serve in a thread of its own until the process ends."""
        threading.Thread(target=self.serve_forever, args=(POLL,), name="fault", daemon=True).start()

    def answer(self, ask: Ask) -> Answer:
        """Return what the fault makes of this request."""
        return self._fault.answer(Passing(ask=ask, server=self._upstream, memory=self._memory))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away, or sent what is no request: their connection is closed."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: FaultProxy

    def relay(self) -> None:
        """Let the fault answer one request."""
        ask = self._ask()
        answer = self.server.answer(ask)
        if answer.ending == "silence":
            self.rfile.read(1)  # until the client gives up
        if answer.ending != "whole":
            self.close_connection = True
        elif answer.stream is not None:
            self._stream(answer, answer.stream)
        else:
            self._send(answer)

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = relay  # noqa: N815 - the base class finds them by these names

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
        )

    def _send(self, answer: Answer) -> None:
        self._head(answer)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def _stream(self, answer: Answer, pieces: Iterator[bytes]) -> None:
        self._head(answer)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _head(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Log nothing: stderr is the user's."""
