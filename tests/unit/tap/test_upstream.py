"""The way to the server: through the proxy of the environment, and with a token that the tap holds."""

import http.client
import socket
import ssl
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from support.mcp_http import Endpoint, Said, answering
from support.tapping import tapped
from unit.tap.test_clients import Running
from unit.tap.test_tls import ANSWER, ask, certificate, secure_server

from diagnose.evidence.secret import Secret
from diagnose.transport.proxies import parse_proxy

__all__ = ["certificate"]
PLANTED = "Plum-7141-Xylophone"


@contextmanager
def proxy(answer=b"HTTP/1.1 200 OK\r\n\r\n", target=None):
    """A proxy of one connection: it notes the head that it gets, and joins the client to ``target`` (or answers and ends)."""
    heads = []
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source, sink):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)

    def serve():
        try:
            client = listener.accept()[0]
        except OSError:
            return
        with client:
            heads.append(client.recv(65536))
            client.sendall(answer)
            if target is not None:
                with socket.create_connection(target) as server:
                    back = threading.Thread(target=pump, args=(server, client), daemon=True)
                    back.start()
                    pump(client, server)
                    back.join(10)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield parse_proxy(f"http://ada:{PLANTED}@127.0.0.1:{listener.getsockname()[1]}"), heads
    finally:
        listener.close()
        thread.join(10)


def test_tls_goes_through_the_tunnel_of_a_proxy_and_is_verified_behind_it(certificate):
    trust = ssl.create_default_context(cafile=certificate)
    with secure_server(certificate) as (url, asked):
        port = int(url.split(":")[2].split("/")[0])
        with proxy(target=("127.0.0.1", port)) as (way, heads), tapped(url, trust=trust, proxy=way) as tap:
            assert ask(tap) == (200, ANSWER)
            tap.wait_for(1)
    assert heads[0].startswith(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n".encode())
    assert b"Proxy-Authorization: Basic YWRhOlBsdW0tNzE0MS1YeWxvcGhvbmU=" in heads[0]
    assert asked[0].startswith(b"GET /mcp HTTP/1.1")
    assert b"Proxy-Authorization" not in asked[0]
    assert PLANTED not in repr(tap.recording())


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"refused the way to it (407)"),
        (b"SSH-2.0-nothing\r\n\r\n", b"refused the way to it (no HTTP)"),
        (b"", b"closed the connection"),
    ],
)
def test_a_proxy_that_refuses_is_said(certificate, answer, says):
    trust = ssl.create_default_context(cafile=certificate)
    with proxy(answer) as (way, _), tapped("https://orchard.test/mcp", trust=trust, proxy=way) as tap:
        status, text = ask(tap)
    assert status == 502
    assert says in text
    assert PLANTED not in "".join(tap.said)


def test_plain_http_asks_a_proxy_for_the_whole_url():
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    with proxy(answer) as (way, heads), tapped("http://orchard.test/mcp?tree=7", proxy=way) as tap:
        assert ask(tap)[0] == 200
    assert heads[0].startswith(b"GET http://orchard.test/mcp?tree=7 HTTP/1.1\r\nHost: orchard.test\r\n")
    assert b"Proxy-Authorization: Basic " in heads[0]


@pytest.mark.parametrize(("given", "sent"), [(None, f"Bearer {PLANTED}"), ("Bearer mine", "Bearer mine")])
def test_a_token_of_the_tap_is_sent_where_the_client_sends_none(given, sent):
    endpoint = Endpoint({"DELETE": Said()})
    with answering(endpoint) as url, tapped(url, credential=Secret(f"Bearer {PLANTED}")) as tap:
        connection = http.client.HTTPConnection("127.0.0.1", tap.port, timeout=10)
        connection.request("DELETE", "/mcp", headers={} if given is None else {"Authorization": given})
        connection.getresponse().read()
        connection.close()
        tap.wait_for(1)
    assert {name.lower(): value for name, value in endpoint.asked[0].headers.items()}["authorization"] == sent
    assert PLANTED not in repr(tap.recording())


def test_the_program_goes_by_the_proxy_of_the_environment(tap):
    with proxy(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as (way, heads):
        tap.env["http_proxy"] = f"http://ada:{PLANTED}@{way.origin.netloc}"
        running = Running(tap, "http://orchard.invalid/mcp")
        where = urlsplit(running.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
        connection.request("GET", "/mcp")
        assert connection.getresponse().status == 200
        connection.close()
        assert running.stop() == 0
    assert heads[0].startswith(b"GET http://orchard.invalid/mcp HTTP/1.1")
    assert f"reached through the proxy of the environment, {way.origin}" in running.said
    assert PLANTED not in running.said + tap.path.read_text()
