"""Whoever ends, and whenever: what passes between the two ends passes, and what was recorded can be read."""

import json
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import psutil
import pytest
from support.tapping import tapped
from unit.tap.test_clients import Running

MESSAGES = 10_000
PLANTED = "Plum-7141-Xylophone"


class Echo:
    """A server that sends each body back as JSON, as quickly as it can; counts the requests that it got."""

    def __init__(self):
        self.got = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/mcp"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self):
        while True:
            try:
                connection = self._listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        for body in bodies(connection):
            self.got.append(json.loads(body))
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)


@pytest.fixture
def echo():
    server = Echo()
    yield server
    server.close()


def bodies(connection):
    """Yield the bodies of the HTTP messages on a socket, until it ends."""
    came = b""
    while True:
        while b"\r\n\r\n" in came:
            head, rest = came.split(b"\r\n\r\n", 1)
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            if len(rest) < length:
                break
            yield rest[:length]
            came = rest[length:]
        data = connection.recv(65536)
        if not data:
            return
        came += data


def post(message):
    body = json.dumps(message).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def asked(number, size=0):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {"cursor": "ü" * size}}


def exchange(port, messages):
    """Send all messages on one connection without waiting, and return what comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        data = b"".join(map(post, messages))
        sender = threading.Thread(target=connection.sendall, args=(data,))
        sender.start()
        came = []
        for body in bodies(connection):
            came.append(json.loads(body))
            if len(came) == len(messages):
                break
        sender.join(60)
    return came


def test_ten_thousand_messages_over_http_are_the_same_on_both_sides_and_all_recorded(echo):
    chance = random.Random(17)
    messages = [asked(number, chance.randrange(200)) for number in range(MESSAGES)]
    with tapped(echo.url) as tap:
        assert exchange(tap.port, messages) == messages
        while b'"ended"' not in tap.sink.frames[-1].data:
            threading.Event().wait(0.05)
    assert echo.got == messages
    events = tap.recording().events
    for kind in ("request", "response"):
        assert [event.message["id"] for event in events if event.kind == kind] == list(range(MESSAGES))


def running(tap, url, **popen):
    started = Running.__new__(Running)
    command = [sys.executable, "-P", "-m", "diagnose", "tap", "http", "--listen", "127.0.0.1:0", "--to", url]
    started.child = subprocess.Popen(
        [*command, "-o", str(tap.path)], env=tap.env, stderr=subprocess.PIPE, text=True, **popen
    )
    started.said = ""
    while "as the server's URL" not in started.said:
        started.said += started.child.stderr.readline()
    started.url = started.said.split("give the client ")[1].split()[0]
    return started


def full_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))


@pytest.mark.parametrize("end", ["the disk is full", "the recorder is killed"])
def test_a_recording_that_ends_early_harms_no_http_session(tap, echo, end):
    limited = {"preexec_fn": full_disk} if end == "the disk is full" else {}
    started = running(tap, echo.url, **limited)
    port = urlsplit(started.url).port
    try:
        assert exchange(port, [asked(0)]) == [asked(0)]
        if end == "the recorder is killed":
            next(p for p in psutil.Process(started.child.pid).children() if "diagnose.tap" in p.cmdline()).kill()
        messages = [asked(number, 50) for number in range(1, 600)]
        assert exchange(port, messages) == messages
    finally:
        assert started.stop() == 0
    assert "unrecorded" in started.said
    recording = tap.recording()
    assert (recording.ended, recording.notes) == (None, ())


@pytest.mark.parametrize("after", [1, 200])
def test_what_a_killed_server_had_said_arrives_and_is_recorded(tap, after):
    server = f"import os, signal, sys\nfor n, line in enumerate(sys.stdin.buffer, 1):\n    os.write(1, line)\n    n == {after} and os.kill(os.getpid(), signal.SIGKILL)"
    lines = [json.dumps(asked(number)).encode() + b"\n" for number in range(300)]
    child = tap.start(sys.executable, "-c", server)
    child.stdin.write(b"".join(lines))
    child.stdin.flush()
    out = child.stdout.read()
    assert out == b"".join(lines[:after])
    assert child.wait(20) == -signal.SIGKILL
    recording = tap.recording()
    said = [event.message["id"] for event in recording.events if event.sender == "server" and event.message]
    assert (said, recording.notes) == (list(range(after)), ())


@pytest.mark.parametrize("after", [1, 50])
def test_a_client_that_is_killed_leaves_a_readable_recording_and_no_server(tap, after):
    """Its pipes close at once, as the kernel does for a process that is killed."""
    child = tap.start(
        sys.executable, "-c", "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()"
    )
    for number in range(after):
        child.stdin.write(json.dumps(asked(number)).encode() + b"\n")
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["id"] == number
    for pipe in (child.stdout, child.stdin, child.stderr):
        pipe.close()
    child.wait(20)
    end = time.monotonic() + 20
    while tap.recording().ended is None:
        assert time.monotonic() < end
    recording = tap.recording()
    said = [event.message["id"] for event in recording.events if event.sender == "server" and event.message]
    assert (said, recording.notes) == (list(range(after)), ())


def test_what_the_tap_says_holds_no_secret_of_its_address(tap):
    started = running(tap, f"http://ada:{PLANTED}@127.0.0.1:1/mcp?key={PLANTED}")
    with socket.create_connection(("127.0.0.1", urlsplit(started.url).port), timeout=20) as connection:
        connection.sendall(post(asked(0)))
        answer = connection.recv(65536)
    assert started.stop() == 0
    assert b"502" in answer
    assert "cannot be reached" in started.said
    assert PLANTED not in started.said + answer.decode() + tap.path.read_text()
