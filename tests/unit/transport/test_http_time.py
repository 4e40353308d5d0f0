"""Every wait ends: names, connections, handshakes, answers, bodies and streams."""

from __future__ import annotations

import contextlib
import itertools
import socket
import sys
import threading
import time

import pytest

from diagnose.errors import ObservationError
from diagnose.transport.deadline import Deadline

SHORT = 0.5
LATE = 10.0
"""Seconds after which a limit of `SHORT` has plainly not held."""


def failing(act):
    """Run ``act``, expect `timed-out` in good time, and return the error."""
    started = time.monotonic()
    with pytest.raises(ObservationError) as caught:
        act()
    assert time.monotonic() - started < LATE
    assert caught.value.rule == "timed-out"
    return caught.value


def drip(talk, pieces, pause=0.02):
    """Send one piece at a time, slower than the reader likes and faster than any single wait notices."""
    for piece in pieces:
        talk.sock.sendall(piece)
        if talk.server.over.wait(pause):
            return


def test_a_server_that_never_answers(serve, client):
    def script(talk):
        talk.request()
        talk.until_closed()

    server = serve(script)
    error = failing(lambda: client(timeout=SHORT).fetch("GET", server.url()))
    assert error.args_by_name["stage"] == "answer"
    assert str(error) == f"http://127.0.0.1:{server.port} did not answer within 0.5 s."


def test_headers_that_drip_for_ever(serve, client):
    def script(talk):
        talk.request()
        drip(talk, itertools.chain([b"HTTP/1.1 200 OK\r\nX: "], itertools.repeat(b"y")))

    assert failing(lambda: client(timeout=SHORT).fetch("GET", serve(script).url())).args_by_name["stage"] == "answer"


def test_interim_answers_for_ever(serve, client):
    def script(talk):
        talk.request()
        drip(talk, itertools.repeat(b"HTTP/1.1 103 Early Hints\r\n\r\n"))

    failing(lambda: client(timeout=SHORT).fetch("GET", serve(script).url()))


def test_a_body_that_drips_for_ever(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        drip(talk, itertools.repeat(b"y"))

    error = failing(lambda: client(timeout=SHORT).fetch("GET", serve(script).url()))
    assert error.args_by_name["stage"] == "body"


def test_the_deadline_of_the_command_goes_before_the_time_of_the_request(serve, client):
    def script(talk):
        talk.request()
        talk.until_closed()

    http = client(timeout=60.0, deadline=Deadline(SHORT))
    failing(lambda: http.fetch("GET", serve(script).url()))
    error = failing(lambda: http.fetch("GET", serve(script).url()))
    assert "deadline of 0.5 s" in str(error)


def test_a_request_may_have_a_time_of_its_own(serve, client):
    def script(talk):
        talk.request()
        talk.until_closed()

    failing(lambda: client(timeout=60.0).fetch("GET", serve(script).url(), timeout=SHORT))


def test_a_resolver_that_hangs(client):
    over = threading.Event()

    def resolver(host, port):
        over.wait(30)
        return ["127.0.0.1"]

    error = failing(lambda: client(timeout=SHORT, resolver=resolver).fetch("GET", "http://slow.test/"))
    over.set()
    assert error.args_by_name["stage"] == "dns"
    assert "The name slow.test was not resolved" in str(error)


@contextlib.contextmanager
def nobody_accepts(address, port=0):
    """Yield the port of a listener whose backlog is full: Linux leaves further connections hanging."""
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind((address, port))
        full.listen(0)
        for sock in (first, second):
            sock.setblocking(False)
            sock.connect_ex(full.getsockname())
        yield full.getsockname()[1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux drops what a full backlog cannot take")
def test_a_connection_that_nobody_accepts(client):
    with nobody_accepts("127.0.0.1") as port:
        error = failing(lambda: client(timeout=SHORT).fetch("GET", f"http://127.0.0.1:{port}/"))
    assert error.args_by_name["stage"] == "connect"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux drops what a full backlog cannot take")
def test_one_dead_address_does_not_use_up_the_time_of_the_next(serve, client, answers):
    server = serve(answers((200, b"here", {})))
    http = client(timeout=2.0, resolver=lambda host, port: ["127.0.0.2", "127.0.0.1"])
    with nobody_accepts("127.0.0.2", server.port):
        assert http.fetch("GET", f"http://two.test:{server.port}/").body == b"here"


def test_an_address_that_refuses_is_passed_over(serve, client, answers):
    server = serve(answers((200, b"here", {})))
    http = client(resolver=lambda host, port: ["127.0.0.3", "127.0.0.1"])
    assert http.fetch("GET", f"http://two.test:{server.port}/").body == b"here"


def test_a_handshake_that_hangs(serve, client):
    error = failing(
        lambda: client(timeout=SHORT).fetch("GET", f"https://127.0.0.1:{serve(lambda t: t.until_closed()).port}/")
    )
    assert error.args_by_name["stage"] == "tls"


def test_a_stream_yields_pieces_as_they_come_and_outlives_the_time_of_the_request(serve, client):
    go_on = threading.Event()

    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        go_on.wait(10)
        talk.sock.sendall(b"3\r\ntwo\r\n0\r\n\r\n")

    with client(timeout=SHORT).stream("GET", serve(script).url()) as answer:
        chunks = answer.chunks(idle_timeout=10)
        assert next(chunks) == b"one"
        threading.Timer(SHORT + 0.2, go_on.set).start()
        assert list(chunks) == [b"two"]


def test_a_stream_that_falls_silent(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        talk.until_closed()

    with client().stream("GET", serve(script).url()) as answer:
        error = failing(lambda: list(answer.chunks(idle_timeout=SHORT)))
    assert error.args_by_name["stage"] == "idle"
    assert error.args_by_name["seconds"] == SHORT


def test_a_stream_that_drips_without_ever_making_a_piece(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        drip(talk, itertools.chain([b"5;"], itertools.repeat(b"x")))

    with client().stream("GET", serve(script).url()) as answer:
        failing(lambda: list(answer.chunks(idle_timeout=SHORT)))


def test_a_stream_ends_with_the_deadline(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        drip(talk, itertools.repeat(b"1\r\nx\r\n"))

    with client(deadline=Deadline(SHORT)).stream("GET", serve(script).url()) as answer:
        failing(lambda: list(answer.chunks()))


@pytest.mark.parametrize("secure", [False, True])
def test_a_thread_that_waits_for_a_stream_can_be_woken(serve, client, certificates, monkeypatch, secure):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))

    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        talk.until_closed()

    outcome: list[ObservationError] = []
    server = serve(script, certificates.sign() if secure else None)
    with client().stream("GET", server.url()) as answer:
        chunks = answer.chunks()
        next(chunks)

        def wait():
            try:
                next(chunks)
            except ObservationError as error:
                outcome.append(error)

        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        answer.abort()
        waiter.join(LATE)
        answer.abort()
    [error] = outcome
    assert error.args_by_name["kind"] == "cut"


def test_an_unwanted_body_that_does_not_come_holds_nothing_up(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 202 OK\r\nContent-Length: 100\r\n\r\n")
        talk.until_closed()

    started = time.monotonic()
    with client(timeout=60.0).stream("POST", serve(script).url(), body=b"{}") as answer:
        assert answer.status == 202
    assert time.monotonic() - started < LATE


def test_a_request_and_a_stream_in_two_threads_each_keep_their_own_time(serve, client):
    begun, hanging, go_on = threading.Event(), threading.Event(), threading.Event()

    def script(talk):
        if talk.request().target == "/stream":
            talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            hanging.wait(30)
            talk.sock.sendall(b"3\r\ntwo\r\n")
            go_on.wait(30)
            talk.sock.sendall(b"5\r\nthree\r\n0\r\n\r\n")
        else:
            hanging.set()
            drip(talk, itertools.chain([b"HTTP/1.1 200 OK\r\nX: "], itertools.repeat(b"y")))

    server, http, got = serve(script), client(), []

    def hold():
        with http.stream("GET", server.url("/stream")) as answer:
            for chunk in answer.chunks():
                got.append(chunk)
                begun.set()

    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    assert begun.wait(LATE)
    failing(lambda: http.fetch("GET", server.url("/hang"), timeout=SHORT))
    go_on.set()
    holder.join(LATE)
    assert got == [b"one", b"two", b"three"]
