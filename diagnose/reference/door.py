"""An HTTP door of this process: one thread a connection, whole answers and open streams. Who stands behind it decides what is said."""

from __future__ import annotations

import itertools
import json
import socket
import threading
from abc import ABC, abstractmethod
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from diagnose.reference.event_stream import event_of
from diagnose.reference.exchange import Answer, Ask
from diagnose.reference.outlet import Message

#: Headers that belong to one connection, and those that are written anew.
HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "host", "date", "server"})
MAX_REQUEST = 16 << 20
#: Seconds between two looks at whether it is to stop.
POLL = 0.05


class Door(ThreadingHTTPServer):
    """Listens where the client connects. Every connection has a thread, and none of them keeps the process alive."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, handler: type[DoorHandler]) -> None:
        super().__init__(listener.getsockname()[:2], handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.connections = itertools.count(1)

    def start(self) -> None:
        """Serve in a thread of its own until the process ends."""
        threading.Thread(target=self.serve_forever, args=(POLL,), name="door", daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away, or sent what is no request: their connection is closed."""


class DoorHandler(BaseHTTPRequestHandler, ABC):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Door

    def setup(self) -> None:
        """Give the connection its number."""
        super().setup()
        self._number = next(self.server.connections)

    @abstractmethod
    def respond(self) -> None:
        """Answer one request."""

    def _respond(self) -> None:
        self.respond()

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = _respond  # noqa: N815 - the base class finds them by these names

    def ask(self) -> Ask:
        """Read the request."""
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

    def send(self, answer: Answer) -> None:
        """Send an answer whose body is whole."""
        self._head(answer)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def begin(self, answer: Answer) -> StreamPipe:
        """Send the head of an answer, and return what its body goes into."""
        self._head(answer)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        return StreamPipe(self)

    def _head(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Log nothing: stderr is the user's."""


class StreamPipe:
    """The open body of one answer."""

    def __init__(self, handler: DoorHandler) -> None:
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
