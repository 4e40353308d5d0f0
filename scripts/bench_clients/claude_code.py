"""Claude Code in its streaming mode, held open: `PROGRAM URL HOME`. No login and no model turn are needed.

It is spoken to by control requests, as its own SDK does: `held` is `mcp_status`, and `list` is what a person does with
Reconnect in its panel, `mcp_reconnect`.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from lines import say

KEY = "orchard"
PATIENCE = 60
#: Seconds between two looks at a server that is still being connected.
PAUSE = 0.1
STREAMS = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")


class Control:
    """The client, spoken to by control requests: objects, one a line."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: str) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd, text=True
        )
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, subtype: str, **more: str) -> dict[str, Any]:
        """Send a request and return its response; empty where it was refused."""
        self._number += 1
        asked = {"type": "control_request", "request_id": str(self._number), "request": {"subtype": subtype, **more}}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        while True:
            answer = self._answers.get(timeout=PATIENCE)
            if answer.get("request_id") == str(self._number):
                if answer.get("subtype") != "success":
                    sys.stderr.write(f"{subtype}: {answer.get('error')}\n")
                return answer.get("response") or {}

    def held(self) -> list[str]:
        """Return the names of the tools that it holds, once it has left `pending`."""
        end = time.monotonic() + PATIENCE
        while True:
            servers = self.ask("mcp_status").get("mcpServers") or []
            server = next((each for each in servers if each.get("name") == KEY), {})
            if server.get("status") != "pending" or time.monotonic() > end:
                return [str(tool.get("name")) for tool in server.get("tools") or []]
            time.sleep(PAUSE)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line) if line.startswith("{") else {}
            if message.get("type") == "control_response":
                self._answers.put(message["response"])


def main(program: str, url: str, home: str) -> None:
    """Hold it open."""
    env = {**os.environ, "HOME": home, "DISABLE_AUTOUPDATER": "1"}
    told = subprocess.run([program, "--version"], env=env, capture_output=True, text=True, check=True)
    say(version=told.stdout.split()[0])
    servers = Path(home, "servers.json")
    servers.write_text(json.dumps({"mcpServers": {KEY: {"type": "http", "url": url}}}), encoding="utf-8")
    session = ("--no-session-persistence", "--strict-mcp-config", "--mcp-config", str(servers))
    client = Control([program, *STREAMS, *session], env, home)
    client.ask("initialize")
    say(tools=client.held())
    for line in sys.stdin:
        if line.strip() == "list":
            client.ask("mcp_reconnect", serverName=KEY)
        say(tools=client.held())


main(*sys.argv[1:])
