"""A tap whose session is shown as it happens: the session is the same, and the view is elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
import time

ANSWER = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "o"},
}
SERVER = f"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": {ANSWER!r}}}), flush=True)
"""


def test_a_stdio_tap_shows_nothing_on_the_clients_streams(tap, tmp_path):
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    shown = tmp_path / "shown"
    command = tap.command(sys.executable, "-c", SERVER, options=["--live-to", str(shown), "--live"])
    ran = subprocess.run(
        command, input=json.dumps(asked).encode() + b"\n", capture_output=True, env=tap.env, timeout=60, check=True
    )
    assert json.loads(ran.stdout) == {"jsonrpc": "2.0", "id": 1, "result": ANSWER}
    assert b"handshake" not in ran.stderr
    end = time.monotonic() + 60
    while "Exit code" not in (shown.read_text() if shown.exists() else ""):
        assert time.monotonic() < end, ran.stderr
        time.sleep(0.05)
    assert "handshake" in shown.read_text()
