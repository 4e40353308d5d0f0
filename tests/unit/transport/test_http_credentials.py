"""A bound header reaches its origin and nobody else, and never travels in the open unasked."""

from __future__ import annotations

import pytest

from diagnose.errors import ObservationError, UsageError
from diagnose.evidence.secret import Secret
from diagnose.transport.binding import Binding
from diagnose.transport.origin import Origin

SECRET = "sk_meridian_hunter2"


def bound(url, value=f"Bearer {SECRET}", name="Authorization"):
    return Binding(origin=Origin.of(url), headers={name: Secret(value)}, source="environment")


def test_it_reaches_its_origin_on_any_path(serve, client, answers):
    server = serve(answers((200, b"", {})))
    http = client(bindings=[bound(server.url("/mcp"))])
    http.fetch("GET", server.url("/other"))
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_it_goes_along_with_a_redirect_within_the_origin(serve, client, answers):
    server = serve(answers((307, b"", {"Location": "/b"}), (200, b"", {})))
    client(bindings=[bound(server.url())]).fetch("POST", server.url("/a"), body=b"{}")
    assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {SECRET}"] * 2


def test_another_port_of_the_same_host_is_another_origin(serve, client, answers):
    mine, other = serve(answers((200, b"", {}))), serve(answers((200, b"", {})))
    client(bindings=[bound(mine.url())]).fetch("GET", other.url())
    assert "authorization" not in other.requests[0].headers


def test_another_name_of_the_same_address_is_another_origin(serve, client, answers):
    server = serve(answers((200, b"", {})))
    client(bindings=[bound(server.url())]).fetch("GET", f"http://localhost:{server.port}/")
    assert "authorization" not in server.requests[0].headers


def test_over_plain_http_it_stays_at_home_unless_a_person_said_so(serve, client, answers):
    server = serve(answers((200, b"", {})))
    url = f"http://server.test:{server.port}/mcp"

    def to_loopback(host, port):
        return ["127.0.0.1"]

    client(bindings=[bound(url)], resolver=to_loopback).fetch("GET", url)
    client(bindings=[bound(url)], resolver=to_loopback, plain_http=[Origin.of(url)]).fetch("GET", url)
    withheld, allowed = server.requests
    assert "authorization" not in withheld.headers
    assert allowed.headers["authorization"] == f"Bearer {SECRET}"


def test_a_header_that_is_no_credential_needs_no_tls(serve, client, answers):
    server = serve(answers((200, b"", {})))
    url = f"http://server.test:{server.port}/mcp"
    http = client(bindings=[bound(url, "north", "X-Farm")], resolver=lambda host, port: ["127.0.0.1"])
    http.fetch("GET", url)
    http.fetch("GET", f"http://other.test:{server.port}/mcp")
    assert [request.headers.get("x-farm") for request in server.requests] == ["north", None]


def test_over_tls_it_goes_to_any_host(serve, client, answers, certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    server = serve(answers((200, b"", {})), certificates.sign())
    client(bindings=[bound(server.url())]).fetch("GET", server.url())
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_host_whose_certificate_is_not_accepted_never_sees_it(serve, client, answers, certificates):
    server = serve(answers((200, b"", {})), certificates.sign())
    with pytest.raises(ObservationError, match="No secure connection"):
        client(bindings=[bound(server.url())]).fetch("GET", server.url())
    assert server.requests == []


def test_it_goes_before_a_header_of_the_request_and_the_later_binding_before_the_earlier(serve, client, answers):
    server = serve(answers((200, b"", {})))
    http = client(bindings=[bound(server.url(), "one"), bound(server.url(), "two", "AUTHORIZATION")])
    http.fetch("GET", server.url(), headers={"authorization": "zero"})
    assert server.requests[0].headers["authorization"] == "two"


def test_no_message_and_no_log_line_shows_it(serve, client, answers):
    server = serve(answers((200, b"", {})))
    http = client(bindings=[bound(server.url())], log_headers=True)
    http.fetch("GET", server.url().replace("//", f"//user:{SECRET}@"))
    with pytest.raises(UsageError) as caught:
        client(bindings=[bound(server.url(), f"{SECRET}\r\nX: y")]).fetch("GET", server.url())
    shown = [*client.log, str(caught.value), repr(http), repr(bound(server.url()))]
    assert SECRET not in "\n".join(shown)


def test_netrc_is_not_read(serve, client, answers, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text(f"default login user password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    server = serve(answers((200, b"", {})))
    client().fetch("GET", server.url())
    assert "authorization" not in server.requests[0].headers
