"""What is tried again, how often, and after how long."""

from __future__ import annotations

import socket

import pytest

from diagnose.errors import ObservationError
from diagnose.transport.deadline import Deadline


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_passing_refusal_is_tried_again(serve, client, answers, status, method):
    server = serve(answers((status, b"later", {}), (status, b"later", {}), (200, b"now", {})))
    assert client().fetch(method, server.url()).body == b"now"
    assert client.slept == [0.25, 0.5]
    assert server.connections == 1


def test_after_three_attempts_the_refusal_is_the_answer(serve, client, answers):
    server = serve(answers((503, b"later", {})))
    assert client().fetch("GET", server.url()).status == 503
    assert len(server.requests) == 3


@pytest.mark.parametrize(("patience", "requests"), [(2.9, 1), (3.1, 2)])
def test_nobody_waits_longer_than_it_is_worth(serve, client, answers, patience, requests):
    server = serve(answers((503, b"later", {"Retry_After": "3"}), (200, b"now", {})))
    client().fetch("GET", server.url(), patience=patience)
    assert len(server.requests) == requests


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 405, 408, 409, 500, 501])
def test_any_other_answer_stands(serve, client, answers, status):
    server = serve(answers((status, b"", {"Retry_After": "0"})))
    assert client().fetch("GET", server.url()).status == status
    assert len(server.requests) == 1


def test_retrying_can_be_turned_off(serve, client, answers):
    server = serve(answers((503, b"", {})))
    assert client().fetch("GET", server.url(), retry=False).status == 503
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("header", "slept"),
    [("3", 3.0), ("0", 0.25), ("Thu, 01 Jan 1970 00:16:45 GMT", 5.0), ("soon", 0.25), ("-4", 0.25)],
)
def test_what_the_server_asks_for_is_waited(serve, client, answers, header, slept):
    server = serve(answers((503, b"", {"Retry_After": header}), (200, b"now", {})))
    assert client(now=lambda: 1000.0).fetch("GET", server.url()).body == b"now"
    assert client.slept == [slept]


def test_a_wait_beyond_the_deadline_is_not_begun(serve, client, answers):
    server = serve(answers((429, b"", {"Retry_After": "3600"})))
    assert client(deadline=Deadline(30)).fetch("GET", server.url()).status == 429
    assert client.slept == []


def test_a_refused_connection_is_tried_again(client):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(ObservationError, match="refuses the connection"):
        client().fetch("POST", f"http://127.0.0.1:{port}/")
    assert client.slept == [0.25, 0.5]


def test_a_name_that_does_not_exist_is_asked_for_once(client):
    asked = []

    def resolver(host, port):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    with pytest.raises(ObservationError, match="nobody knows this name"):
        client(resolver=resolver).fetch("GET", "http://some.test/")
    assert asked == ["some.test"]


def test_a_name_service_that_is_away_is_asked_again(client):
    asked = []

    def resolver(host, port):
        asked.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    with pytest.raises(ObservationError, match="does not answer at the moment"):
        client(resolver=resolver).fetch("GET", "http://some.test/")
    assert len(asked) == 3


@pytest.mark.parametrize(("method", "attempts"), [("GET", 3), ("DELETE", 3), ("POST", 1)])
def test_a_request_that_may_have_arrived_is_repeated_only_if_that_is_the_same(serve, client, method, attempts):
    server = serve(lambda talk: talk.request() and None)
    with pytest.raises(ObservationError, match="closed the connection"):
        client().fetch(method, server.url())
    assert len(server.requests) == attempts


def test_a_request_that_took_too_long_is_not_repeated(serve, client):
    def script(talk):
        talk.request()
        talk.until_closed()

    server = serve(script)
    with pytest.raises(ObservationError) as caught:
        client(timeout=0.2).fetch("GET", server.url())
    assert caught.value.rule == "timed-out"
    assert len(server.requests) == 1


def test_a_body_that_was_cut_is_not_asked_for_again(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")

    server = serve(script)
    with pytest.raises(ObservationError, match="was cut"):
        client().fetch("GET", server.url())
    assert len(server.requests) == 1
