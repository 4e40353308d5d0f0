"""Which proxy is used, and that requests then go through it."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading

import pytest

from diagnose.errors import ObservationError, UsageError
from diagnose.transport.origin import Origin
from diagnose.transport.proxies import Proxy, parse_proxy, proxy_for

SECRET = "hunter2"


def proxy_of(url):
    return proxy_for(Origin.of(url))


@pytest.fixture
def env(client, monkeypatch):
    """The proxy variables, all unset at first."""
    return monkeypatch


def test_without_settings_there_is_none(env):
    assert proxy_of("https://x.test/") is None


@pytest.mark.parametrize(
    ("variable", "scheme"),
    [("http_proxy", "http"), ("HTTPS_PROXY", "https"), ("ALL_PROXY", "http"), ("all_proxy", "https")],
)
def test_the_variable_of_the_scheme_counts(env, variable, scheme):
    env.setenv(variable, "http://proxy.test:3128")
    assert proxy_of(f"{scheme}://x.test/") == Proxy(origin=Origin.of("http://proxy.test:3128"))


def test_the_variable_of_another_scheme_does_not_count(env):
    env.setenv("HTTPS_PROXY", "http://proxy.test:3128")
    assert proxy_of("http://x.test/") is None


@pytest.mark.parametrize("exempt", ["x.test", ".test", "*", "other, x.test:443", "test"])
def test_no_proxy_exempts(env, exempt):
    env.setenv("HTTPS_PROXY", "http://proxy.test:3128")
    env.setenv("NO_PROXY", exempt)
    assert proxy_of("https://x.test/") is None


@pytest.mark.parametrize("exempt", ["y.test", "x.test:8443", "est"])
def test_no_proxy_exempts_nobody_else(env, exempt):
    env.setenv("HTTPS_PROXY", "http://proxy.test:3128")
    env.setenv("NO_PROXY", exempt)
    assert proxy_of("https://x.test/") is not None


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_loopback_is_always_direct(env, host):
    env.setenv("HTTP_PROXY", "http://proxy.test:3128")
    assert proxy_of(f"http://{host}:8000/") is None


def test_a_bare_host_is_an_http_proxy_and_userinfo_is_taken_apart():
    assert parse_proxy("proxy.test:3128") == Proxy(origin=Origin.of("http://proxy.test:3128"))
    assert parse_proxy(f"https://us%40er:{SECRET}%3A@proxy.test").auth == ("us@er", f"{SECRET}:")


@pytest.mark.parametrize("url", ["socks5://proxy.test:1080", "proxy test", "http://", f"ftp://user:{SECRET}@p.test"])
def test_a_proxy_that_is_none_of_ours_is_a_usage_error(url):
    with pytest.raises(UsageError) as caught:
        parse_proxy(url)
    assert SECRET not in str(caught.value)


def test_a_password_is_not_shown():
    assert SECRET not in repr(parse_proxy(f"http://user:{SECRET}@proxy.test"))


def test_plain_http_goes_through_the_proxy_without_asking_for_the_name(env, serve, client, answers):
    proxy = serve(answers((200, b"through", {})))
    env.setenv("HTTP_PROXY", f"http://us%C3%A9r:{SECRET}@127.0.0.1:{proxy.port}")
    assert client().fetch("GET", "http://name.invalid/a?b").body == b"through"
    [request] = proxy.requests
    assert request.target == "http://name.invalid/a?b"
    assert request.headers["host"] == "name.invalid"
    sent = base64.b64decode(request.headers["proxy-authorization"].removeprefix("Basic ")).decode()
    assert sent == f"usér:{SECRET}"
    assert SECRET not in "\n".join(client.log)


def test_https_goes_through_a_tunnel(env, serve, client, answers, certificates):
    env.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    server = serve(answers((200, b"within", {})), certificates.sign(address="10.1.2.3"))

    def tunnel(talk):
        talk.request()
        with socket.create_connection(("127.0.0.1", server.port)) as onward:
            talk.sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=copy, args=(onward, talk.sock), daemon=True)
            back.start()
            copy(talk.sock, onward)
            back.join()

    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    proxy = serve(tunnel)
    env.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
    with client() as http:
        assert http.fetch("GET", "https://10.1.2.3/x").body == b"within"
    assert (proxy.requests[0].method, proxy.requests[0].target) == ("CONNECT", "10.1.2.3:443")
    assert server.requests[0].target == "/x"


def test_a_proxy_that_refuses_is_named(env, serve, client, answers):
    proxy = serve(answers((407, b"", {})))
    env.setenv("HTTPS_PROXY", f"http://user:{SECRET}@127.0.0.1:{proxy.port}")
    with pytest.raises(ObservationError) as caught:
        client().fetch("GET", "https://x.test/")
    assert caught.value.args_by_name["kind"] == "proxy"
    assert f"The proxy http://127.0.0.1:{proxy.port} does not lead to https://x.test: it answered 407" in str(
        caught.value
    )
    assert SECRET not in str(caught.value)


def test_a_proxy_that_is_not_there_is_named(env, client):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    env.setenv("ALL_PROXY", f"127.0.0.1:{port}")
    with pytest.raises(ObservationError, match=f"http://127.0.0.1:{port} refuses the connection"):
        client().fetch("GET", "https://x.test/")
