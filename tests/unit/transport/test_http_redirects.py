"""Redirects are followed within the origin and as far as the request stays the same; any other is the answer."""

from __future__ import annotations

import pytest

from diagnose.errors import ObservationError


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_get_is_followed_within_the_origin(serve, client, answers, status):
    server = serve(answers((status, b"moved", {"Location": "/b?c#d"}), (200, b"here", {})))
    answer = client().fetch("GET", server.url("/a"))
    assert (answer.status, answer.body) == (200, b"here")
    assert answer.url == server.url("/b?c")
    assert answer.redirects == (server.url("/a"),)
    assert [request.target for request in server.requests] == ["/a", "/b?c"]


@pytest.mark.parametrize("status", [307, 308])
def test_a_post_is_followed_where_it_stays_a_post(serve, client, answers, status):
    server = serve(answers((status, b"", {"Location": "/b"}), (200, b"here", {})))
    assert client().fetch("POST", server.url("/a"), body=b"{}").body == b"here"
    assert [(request.method, request.body) for request in server.requests] == [("POST", b"{}")] * 2


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_post_never_becomes_a_get(serve, client, answers, status):
    server = serve(answers((status, b"moved", {"Location": "/b"})))
    answer = client().fetch("POST", server.url("/a"), body=b"{}")
    assert (answer.status, answer.headers.get("location"), answer.redirects) == (status, "/b", ())
    assert len(server.requests) == 1


def test_another_origin_is_an_answer_and_is_not_asked(serve, client, answers):
    other = serve(answers((200, b"", {})))
    for location in (other.url(), f"//127.0.0.1:{other.port}/", f"http://localhost:{other.port}/"):
        server = serve(answers((307, b"", {"Location": location})))
        answer = client().fetch("GET", server.url())
        assert (answer.status, answer.headers.get("location")) == (307, location)
    assert other.connections == 0


@pytest.mark.parametrize(
    "location", ["https://127.0.0.1/", "http://[", "mailto:x@y.test", "http:// /", "\\\\x.test\\y"]
)
def test_a_location_that_cannot_be_followed_is_an_answer(serve, client, answers, location):
    server = serve(answers((302, b"", {"Location": location})))
    assert client().fetch("GET", server.url()).status == 302
    assert len(server.requests) == 1


def test_a_redirect_without_location_is_an_answer(serve, client, answers):
    assert client().fetch("GET", serve(answers((302, b"", {}))).url()).status == 302


@pytest.mark.parametrize("status", [300, 304, 200, 404])
def test_only_redirects_are_followed(serve, client, answers, status):
    server = serve(answers((status, b"", {"Location": "/b"})))
    assert client().fetch("GET", server.url()).status == status
    assert len(server.requests) == 1


def test_a_circle_ends_with_the_first_repetition(serve, client, answers):
    server = serve(answers((302, b"", {"Location": "/b"}), (302, b"", {"Location": "/a"})))
    with pytest.raises(ObservationError, match="redirects without end: 2 redirects led in a circle") as caught:
        client().fetch("GET", server.url("/a"))
    assert caught.value.args_by_name["kind"] == "redirects"
    assert caught.value.args_by_name["redirects"] == [server.url("/a"), server.url("/b")]
    assert len(server.requests) == 2


@pytest.mark.parametrize(("steps", "arrives"), [(5, True), (6, False)])
def test_at_most_five_are_followed(serve, client, answers, steps, arrives):
    hops = [(302, b"", {"Location": f"/{step}"}) for step in range(steps)]
    server = serve(answers(*hops, (200, b"here", {})))
    if arrives:
        assert client().fetch("GET", server.url()).body == b"here"
    else:
        with pytest.raises(ObservationError, match="more than 5 redirects"):
            client().fetch("GET", server.url())
