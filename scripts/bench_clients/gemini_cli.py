"""Gemini CLI in its ACP mode, held open: `PROGRAM URL HOME`. No login and no model are needed.

The model is one of ours on loopback that says "Well." to everything; what a turn offers it are the tools that the client
holds. `list` and `held` are both such a turn: this client has no other public way to tell.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from lines import say

KEY = "orchard"
#: How this client shows a tool of that server (docs/tools/mcp-server.md).
SHOWN = f"mcp_{KEY}_"
PATIENCE = 60
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}


class Model(BaseHTTPRequestHandler):
    """Answers every turn, and keeps the names of the tools that it was offered."""

    offered: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        """Answer one request of the Gemini API."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        declared = [each for tool in body.get("tools") or [] for each in tool.get("functionDeclarations") or []]
        if declared:
            type(self).offered = [str(each.get("name")) for each in declared]
        part = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Well."}]}, "finishReason": "STOP"}]}
        streamed = ":streamGenerateContent" in self.path
        said = json.dumps({"totalTokens": 1} if ":countTokens" in self.path else part)
        data = (f"data: {said}\r\n\r\n" if streamed else said).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streamed else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Log nothing."""


class Agent:
    """The client, spoken to by the Agent Client Protocol: JSON-RPC, one message a line."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: str) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd, text=True
        )
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result; empty where it was refused."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            answer = self._answers.get(timeout=PATIENCE)
            if answer.get("id") == self._number:
                if "error" in answer:
                    sys.stderr.write(f"{method}: {answer['error']}\n")
                return answer.get("result") or {}

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                message = json.loads(line)
                if "method" not in message:
                    self._answers.put(message)


def main(program: str, url: str, home: str) -> None:
    """Hold it open."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    settings = Path(home, ".gemini", "settings.json")
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
    env = {
        **os.environ,
        "HOME": home,
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{model.server_address[1]}",
    }
    told = subprocess.run([program, "--version"], env=env, capture_output=True, text=True, check=True)
    say(version=told.stdout.strip().splitlines()[-1])
    agent = Agent([program, "--acp", "--skip-trust", "-m", "gemini-2.5-flash"], env, home)
    agent.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    agent.ask("authenticate", {"methodId": "gemini-api-key"})
    server = {"type": "http", "name": KEY, "url": url, "headers": []}
    session = agent.ask("session/new", {"cwd": home, "mcpServers": [server]})
    for _ in sys.stdin:
        agent.ask(
            "session/prompt", {"sessionId": session.get("sessionId"), "prompt": [{"type": "text", "text": "Well?"}]}
        )
        say(tools=[name.removeprefix(SHOWN) for name in Model.offered if name.startswith(SHOWN)])


main(*sys.argv[1:])
