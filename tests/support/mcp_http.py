"""An MCP endpoint over HTTP whose every answer a test decides, and that keeps what it was asked."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODERN = "2026-07-28"
INFO = {"name": "orchard", "version": "1.2.3"}
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("pick_apples", "prune_tree", "ripen")]


@dataclass
class Asked:
    """One request. ``message`` is None where the body is no JSON."""

    verb: str
    path: str
    headers: dict
    message: dict | None
    connection: int = 0

    @property
    def method(self):
        return (self.message or {}).get("method", self.verb)

    @property
    def id(self):
        return (self.message or {}).get("id")

    @property
    def params(self):
        return (self.message or {}).get("params") or {}


@dataclass
class Said:
    """One answer. A body that is a list is sent piece by piece; with ``cut`` the connection then breaks."""

    status: int = 200
    body: bytes | list = b""
    kind: str = "application/json"
    headers: dict = field(default_factory=dict)
    cut: bool = False


def result(asked, value, **headers):
    return Said(body=json.dumps({"jsonrpc": "2.0", "id": asked.id, "result": value}).encode(), headers=headers)


def error(asked, code, message="no", status=200, data=None):
    body = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return Said(status=status, body=json.dumps({"jsonrpc": "2.0", "id": asked.id, "error": body}).encode())


def html(status=200):
    return Said(status=status, body=b"<!DOCTYPE html><title>Sign in</title>", kind="text/html")


def events(*messages, cut=False, ids=False):
    """A stream of events, each message one event, split into single bytes."""
    text = "".join(
        (f"id: {number}\n" if ids else "") + f"data: {message if isinstance(message, str) else json.dumps(message)}\n\n"
        for number, message in enumerate(messages, start=1)
    )
    return Said(body=[bytes([byte]) for byte in text.encode()], kind="text/event-stream", cut=cut)


class Endpoint:
    """Answers by method: a `Said`, or a function of the request. What is not in ``answers`` is 404 with a page."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def answer(self, asked):
        self.asked.append(asked)
        said = self.answers.get(asked.method, html(404))
        return said(asked) if callable(said) else said

    @property
    def methods(self):
        return [asked.method for asked in self.asked]


def legacy(version="2025-11-25", *, session=None, tools=TOOLS, **answers):
    """A legacy server that knows nothing of the modern era."""
    headers = {"Mcp-Session-Id": session} if session else {}
    handshake = {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": INFO}
    return Endpoint(
        {
            "server/discover": lambda asked: error(asked, -32600, "Missing session ID", 400),
            "initialize": lambda asked: result(asked, handshake, **headers),
            "notifications/initialized": Said(status=202),
            "tools/list": lambda asked: result(asked, {"tools": tools}),
            "DELETE": Said(status=405),
            **{name.replace("__", "/"): value for name, value in answers.items()},
        }
    )


def modern(*, tools=TOOLS, versions=(MODERN,), **answers):
    """A modern server; it answers GET and DELETE with 405."""
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    meta = {"io.modelcontextprotocol/serverInfo": INFO}
    found = {**hints, "supportedVersions": list(versions), "capabilities": {"tools": {}}, "_meta": meta}
    return Endpoint(
        {
            "server/discover": lambda asked: result(asked, found),
            "initialize": lambda asked: error(asked, -32601, "Method not found", 404),
            "tools/list": lambda asked: result(asked, {**hints, "tools": tools}),
            "GET": Said(status=405),
            "DELETE": Said(status=405),
            **{name.replace("__", "/"): value for name, value in answers.items()},
        }
    )


@contextmanager
def answering(endpoint):
    """Serve on loopback; yields the URL. What a handler still sends is cut off at the end."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def serve(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                message = json.loads(body)
            except ValueError:
                message = None
            fields = {name.lower(): value for name, value in self.headers.items()}
            self.send(endpoint.answer(Asked(self.command, self.path, fields, message, self.client_address[1])))

        do_GET = do_POST = do_DELETE = serve  # noqa: N815 - the names are the standard library's

        def send(self, said):
            self.send_response(said.status)
            self.send_header("Content-Type", said.kind)
            for name, value in said.headers.items():
                self.send_header(name, value)
            if isinstance(said.body, bytes):
                self.send_header("Content-Length", str(len(said.body) + 100 * said.cut))
                self.end_headers()
                self.wfile.write(said.body)
                self.close_connection = self.close_connection or said.cut
                return
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for piece in said.body:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
            except OSError:
                said.cut = True  # the client has left
            if said.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *args):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            """A client that leaves early is what many tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
