"""A server on stdio can be changed through a loopback port beside its pipes, and ends with its stdin all the same."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from .conftest import HANDSHAKE

LIMIT = 20


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def serving(port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "diagnose", "serve", "--stdio", "--control", "--port", str(port)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)


def change(port: int, value: object) -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/control", data=json.dumps(value).encode())
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=LIMIT) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_change_from_outside_is_told_on_stdout(port: int) -> None:
    with serving(port) as process:
        initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
        for message in (initialize, {"jsonrpc": "2.0", "method": "notifications/initialized"}):
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        assert change(port, {"add": "press_cider"}) == 200
        assert json.loads(process.stdout.readline())["method"] == "notifications/tools/list_changed"
        assert change(port, {"add": "press_cider"}) == 400
        begun = time.monotonic()
        process.stdin.close()
        assert process.wait(LIMIT) == 0
        assert time.monotonic() - begun < 5
        assert process.stderr.read() == b""


def test_a_port_that_is_taken_is_wrong_usage(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)), serving(port) as process:
        assert process.wait(LIMIT) == 2
        assert b"cannot listen on 127.0.0.1" in process.stderr.read()
