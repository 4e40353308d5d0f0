"""What a fetch brings back, and what it sends."""

from __future__ import annotations

import pytest

from diagnose.errors import ObservationError, UsageError
from diagnose.transport.retry import RetryPolicy


def test_an_answer_is_given_as_it_came(serve, client, answers):
    server = serve(answers((404, b"<html>", {"X_Twice": "1\r\nX-Twice: 2", "Content_Type": "Text/HTML; charset=x"})))
    answer = client().fetch("GET", server.url("/a?b=c"))
    assert (answer.status, answer.body, answer.url) == (404, b"<html>", server.url("/a?b=c"))
    assert answer.headers.all("x-twice") == ("1", "2")
    assert answer.headers.get("X-TWICE") == "1"
    assert answer.headers.media_type == "text/html"
    assert answer.http_version == "HTTP/1.1"
    assert answer.redirects == ()
    assert answer.elapsed_ms > 0


def test_method_path_headers_and_body_arrive(serve, client, answers):
    server = serve(answers((200, b"{}", {})))
    client(user_agent="probe/1").fetch(
        "post", server.url("/ü b".replace(" ", "%20")), headers={"ACCEPT": "x/y"}, body=b"{1}"
    )
    [request] = server.requests
    assert (request.method, request.target, request.body) == ("POST", "/%C3%BC%20b", b"{1}")
    assert request.headers["accept"] == "x/y"
    assert request.headers["user-agent"] == "probe/1"
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["host"] == f"127.0.0.1:{server.port}"


def test_userinfo_and_fragment_are_never_sent(serve, client, answers):
    server = serve(answers((200, b"", {})))
    answer = client().fetch("GET", server.url("/p#frag").replace("//", "//user:hunter2@"))
    [request] = server.requests
    assert request.target == "/p"
    assert "authorization" not in request.headers
    assert "hunter2" not in answer.url


def test_cookies_are_not_kept(serve, client, answers):
    server = serve(answers((200, b"", {"Set_Cookie": "a=b"})))
    http = client()
    http.fetch("GET", server.url())
    http.fetch("GET", server.url())
    assert all("cookie" not in request.headers for request in server.requests)


def test_a_connection_is_used_again_even_if_a_short_body_was_left(serve, client, answers):
    server = serve(answers((202, b"null", {})))
    http = client()
    for _ in range(3):
        with http.stream("POST", server.url(), body=b"{}") as answer:
            assert answer.status == 202
    assert server.connections == 1


def test_a_fresh_client_opens_a_connection_of_its_own(serve, client, answers):
    server = serve(answers((200, b"", {})))
    http = client()
    http.fetch("GET", server.url())
    with http.fresh() as other:
        other.fetch("GET", server.url())
    http.fetch("GET", server.url())
    assert server.connections == 2


def test_a_closed_client_can_be_used_again(serve, client, answers):
    server = serve(answers((200, b"x", {})))
    with client() as http:
        http.fetch("GET", server.url())
    assert http.fetch("GET", server.url()).body == b"x"


def test_twenty_megabytes_arrive_whole(serve, client, answers):
    body = b"0123456789abcdef" * (20 * 1024 * 1024 // 16)
    server = serve(answers((200, body, {})))
    assert client().fetch("GET", server.url()).body == body


def test_an_answer_of_exactly_the_bound_is_taken_and_one_byte_more_is_not(serve, client, answers):
    server = serve(answers((200, b"x" * 1000, {}), (200, b"x" * 1001, {})))
    http = client(max_bytes=1000)
    assert len(http.fetch("GET", server.url()).body) == 1000
    with pytest.raises(ObservationError, match="more than the 1,000 bytes") as caught:
        http.fetch("GET", server.url())
    assert caught.value.rule == "limit-exceeded"
    assert caught.value.exit_code == 3


def test_a_declared_length_beyond_the_bound_is_refused_before_the_body(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        talk.until_closed()

    with pytest.raises(ObservationError) as caught:
        client().fetch("GET", serve(script).url())
    assert caught.value.rule == "limit-exceeded"


def test_a_body_without_length_is_bounded_too(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            talk.sock.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")

    with pytest.raises(ObservationError) as caught:
        client(max_bytes=100_000).fetch("GET", serve(script).url())
    assert caught.value.rule == "limit-exceeded"


def test_endless_headers_are_bounded(serve, client):
    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            talk.sock.sendall(b"X: " + b"y" * 1000 + b"\r\n")

    with pytest.raises(ObservationError, match="headers that are too large") as caught:
        client().fetch("GET", serve(script).url())
    assert caught.value.rule == "limit-exceeded"


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", {"X": "a\r\nY: b"}),
        ("GET", {"X": "naïve"}),
        ("GET", {"X": " a"}),
        ("GET", {"X": "a\x7f"}),
        ("GET", {"X Y": "a"}),
        ("GET", {"": "a"}),
        ("GET / HTTP/1.1\r\nX: y\r\n", {}),
    ],
)
def test_a_request_that_http_cannot_carry_is_a_usage_error_and_is_not_sent(serve, client, answers, method, headers):
    server = serve(answers((200, b"", {})))
    with pytest.raises(UsageError) as caught:
        client().fetch(method, server.url(), headers=headers)
    assert "naïve" not in str(caught.value)
    assert server.requests == []


@pytest.mark.parametrize(
    "url", ["", "mcp", "ftp://x.test/", "http://", "http://a b/", "http://x.test:0/", "http://[::1/"]
)
def test_a_url_that_is_none_is_a_usage_error(client, url):
    with pytest.raises(UsageError):
        client().fetch("GET", url)


def test_the_log_tells_each_attempt_and_no_bound_header(serve, client, answers):
    server = serve(answers((503, b"", {}), (200, b"body", {"X_Seen": "yes"})))
    client(log_headers=True, retries=RetryPolicy(attempts=2)).fetch("GET", server.url("/h"))
    lines = client.log
    assert lines[0].startswith(f"GET {server.url('/h')}: 503, 0 bytes, ")
    assert lines[2] == f"GET {server.url('/h')}: again in 0.25 s"
    assert lines[3].startswith(f"GET {server.url('/h')}: 200, 4 bytes, ")
    assert "  X-Seen: yes" in lines
