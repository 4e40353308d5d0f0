"""An MCP server that answers at once, for the benches of proxies: `stub.py http` tells its port, `stub.py stdio` serves a pipe.

It speaks the handshake of 2025-11-25 and lists one tool; a GET opens a stream on which nothing comes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

TOOLS = [{"name": "pick_apples", "description": "Pick.", "inputSchema": {"type": "object"}}]
CAPABILITIES = {"tools": {"listChanged": True}}
SESSION = b"Mcp-Session-Id: s1\r\n"


def answer(message: Any) -> dict[str, Any] | None:
    """Return the answer to a request; None for anything else."""
    if not isinstance(message, dict) or "id" not in message or "method" not in message:
        return None
    result: dict[str, Any] = {}
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": {"name": "s", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": TOOLS}
    elif message["method"] != "ping":
        error = {"code": -32601, "message": "no such method"}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Http(asyncio.Protocol):
    """One connection."""

    def __init__(self) -> None:
        self._came = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._came += data
        while b"\r\n\r\n" in self._came:
            head, rest = self._came.split(b"\r\n\r\n", 1)
            fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
            length = int(fields.get(b"content-length", b"0"))
            if len(rest) < length:
                return
            self._came = rest[length:]
            self._transport.write(_answered(head.split(b" ", 1)[0], rest[:length]))


def _answered(verb: bytes, body: bytes) -> bytes:
    if verb == b"GET":
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    said = answer(json.loads(body)) if body else None
    if said is None:
        return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
    data = json.dumps(said).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n" % len(data)
    return head + SESSION + b"\r\n" + data


async def over_http() -> None:
    """Serve on a free port of loopback."""
    server = await asyncio.get_running_loop().create_server(Http, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def over_stdio() -> None:
    """Serve a pipe."""
    for line in sys.stdin.buffer:
        said = answer(json.loads(line))
        if said is not None:
            os.write(1, json.dumps(said).encode() + b"\n")


if __name__ == "__main__":
    asyncio.run(over_http()) if sys.argv[1] == "http" else over_stdio()
