"""The server ends when it is told to, also with streams open, and says why it cannot start."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from .conftest import META, Client

SERVE = [sys.executable, "-m", "diagnose", "serve"]
#: What the program promises is 2 seconds; a busy machine gets more, and a server that waits for streams never ends.
LIMIT = 8


@contextmanager
def serving(*options: str):
    process = subprocess.Popen([*SERVE, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("fault", [(), ("--fault", "count-mismatch")])
def test_it_ends_on_a_signal_though_streams_are_open(sent, code, fault) -> None:
    with serving(*fault) as (process, said):
        legacy, modern = Client(said["url"], "legacy"), Client(said["url"], "modern")
        legacy.handshake()
        listen = {"_meta": META, "notifications": {"toolsListChanged": True}}
        with legacy.stream("GET", {"accept": "text/event-stream"}), modern.listen(listen) as events:
            next(events)
            process.send_signal(sent)
            assert process.wait(LIMIT) == code
        assert process.stderr.read().count("\n") == 1  # the line that says where it serves, and no noise


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_it_ends_on_a_signal_though_a_request_never_comes_whole() -> None:
    with serving() as (process, said):
        parts = urlsplit(said["url"])
        with socket.create_connection((parts.hostname, parts.port)) as half:
            half.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n")
            assert half.recv(64).startswith(b"HTTP/1.1 100")  # the server waits for the body now
            process.send_signal(signal.SIGTERM)
            assert process.wait(LIMIT) == 143


def test_it_says_where_it_answers_and_with_what_fault() -> None:
    with serving("--fault", "list-error", "--identity", "here") as (process, said):
        assert said["schema"] == "diagnose.serving/1"
        assert (said["pid"], said["fault"]) == (process.pid, "list-error")
        assert Client(said["url"]).http("GET", "/health").json["identity"] == "here"


def test_a_port_that_is_taken_is_wrong_usage() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = subprocess.run(
            [*SERVE, "--port", str(taken.getsockname()[1])], capture_output=True, text=True, timeout=30, check=False
        )
    assert done.returncode == 2
    assert "cannot listen on 127.0.0.1 port" in done.stderr
    assert "Choose another --port" in done.stderr
