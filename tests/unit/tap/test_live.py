"""A tap whose session is shown as it happens: the session is the same, and the view is elsewhere."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from support.program import diagnose
from unit.tap.conftest import DIAGNOSE

from diagnose.jobs.embedded import embedded

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


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_http_tap_ends_with_the_report_of_what_it_showed(tap, tmp_path):
    shown = tmp_path / "shown"
    with embedded() as server:
        command = [*DIAGNOSE, "tap", "http", "--listen", "127.0.0.1:0", "--to", server.url, "-o", str(tap.path)]
        running = subprocess.Popen([*command, "--live-to", str(shown)], stderr=subprocess.PIPE, text=True, env=tap.env)
        try:
            while (found := re.search(r"give the client (\S+) as", running.stderr.readline())) is None:
                assert running.poll() is None
            assert diagnose("surface", found[1], "--base-url", server.url, env=tap.env).code == 0
        finally:
            running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 0
        running.stderr.close()
    text = shown.read_text()
    assert "a new list" in text
    assert text.index("a new list") < text.index("the recording ended: stopped") < text.index("Exit code")
