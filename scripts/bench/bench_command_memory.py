"""Peak memory of a whole `diagnose surface` on 10,000 tools, with a snapshot to compare with, against one manifest's size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import manifest
from ratios import Figure, main, peak

#: Exit codes of `surface`: in sync, and stale.
FINE, STALE = 0, 1
_HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
_META = {"io.modelcontextprotocol/serverInfo": {"name": "bench", "version": "1"}}


class Server(ThreadingHTTPServer):
    """A server of today's revision, with a manifest beside it; ``tools`` is the list as JSON, and may be exchanged."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tools = "[]"


class Handler(BaseHTTPRequestHandler):
    """Answers health, manifest and MCP."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        """Answer what lies beside MCP."""
        found = {"/health": '{"status": "ok", "version": "1"}', "/tools": self.server.tools}.get(self.path)
        self._answer(found or "{}", 404 if found is None else 200)

    def do_POST(self) -> None:
        """Answer a message."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told: dict[str, Any] = {**_HINTS, "_meta": _META}
        if asked["method"] == "server/discover":
            told |= {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        members = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in told.items()]
        if asked["method"] == "tools/list":
            members.append(f'"tools": {self.server.tools}')
        self._answer(f'{{"jsonrpc": "2.0", "id": {json.dumps(asked["id"])}, "result": {{{", ".join(members)}}}}}')

    def log_message(self, *told: object) -> None:
        """Say nothing."""

    def _answer(self, text: str, status: int = 200) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def running() -> Iterator[Server]:
    """Serve for the length of the block."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def footprint(words: Sequence[str], env: Mapping[str, str], expected: int) -> int:
    """Run the program, which has to end with this exit code, and return its peak in bytes."""
    command = [sys.executable, __file__, "child", *words]
    run = subprocess.run(command, env=dict(env), capture_output=True, check=False)
    if run.returncode != expected:
        raise SystemExit(
            f"diagnose {' '.join(words)} ended with {run.returncode}, not {expected}:\n{run.stderr.decode()}"
        )
    return int(run.stderr.split()[-1])


def measure() -> list[Figure]:
    """Take the footprint with one tool, then with 10,000 of which 100 have changed since the snapshot."""
    with tempfile.TemporaryDirectory() as folder, running() as server:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("DIAGNOSE_")}
        env = {**clean, "DIAGNOSE_DATA": str(Path(folder, "data"))}
        surface = ["surface", f"http://127.0.0.1:{server.server_port}/mcp", "--format", "json"]
        tools = manifest.ordinary()
        server.tools = json.dumps(tools[:1])
        start = footprint(surface, env, FINE)
        server.tools = json.dumps(tools)
        stored = footprint([*surface, "--save"], env, FINE)
        server.tools = json.dumps(manifest.with_changes(tools))
        compared = footprint(surface, env, STALE)
    size = len(server.tools.encode())
    what = f"of `surface` on {len(tools)} tools / size of the manifest"
    return [
        Figure(what=f"peak memory over start-up {what}, with a snapshot", ratio=(compared - start) / size, limit=15),
        Figure(what=f"peak memory over start-up {what}, --save", ratio=(stored - start) / size, limit=15),
    ]


def child(words: list[str]) -> int:
    """Be the program, and tell of the footprint at the end."""
    from diagnose.cli import run

    code = run(words, sys.stdout, sys.stderr)
    print(peak(), file=sys.stderr)
    return code


if __name__ == "__main__":
    raise SystemExit(child(sys.argv[2:]) if sys.argv[1:2] == ["child"] else main(measure))
