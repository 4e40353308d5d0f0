"""Each way to fail has its own clear sentence, names the host, and is told apart by `kind`."""

from __future__ import annotations

import gzip
import socket
import ssl
import zlib

import pytest

from diagnose.errors import ObservationError, UsageError


def zipped(data: bytes) -> bytes:
    """Compress without the time, which would make the name of a test another one in each process."""
    return gzip.compress(data, mtime=0)


def failure(http, url, kind, rule="unreachable"):
    with pytest.raises(ObservationError) as caught:
        http.fetch("POST", url, body=b"{}")
    error = caught.value
    assert (error.rule, error.args_by_name.get("kind")) == (rule, kind), str(error)
    assert error.args_by_name["host"] in str(error)
    assert "\n" not in str(error)
    return error


def test_nothing_listens(client):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    error = failure(client(), f"http://127.0.0.1:{port}/", "refused")
    assert str(error) == f"http://127.0.0.1:{port} refuses the connection: nothing listens on port {port}."
    assert error.diagnostics() == "Is the server running, and is the port right?"


def test_a_name_that_nobody_knows(client):
    error = failure(client(), "http://name.invalid/mcp", "dns")
    assert "The name name.invalid cannot be resolved" in str(error)


@pytest.mark.parametrize(
    "broken", [UnicodeError("label empty or too long"), socket.gaierror(socket.EAI_NONAME, "x"), OSError(5, "x")]
)
def test_a_resolver_that_fails(client, broken):
    def resolver(host, port):
        raise broken

    with pytest.raises(ObservationError) as caught:
        client(resolver=resolver).fetch("GET", "http://some.test/")
    assert caught.value.rule == "unreachable"
    assert "some.test" in str(caught.value)


def test_a_name_without_any_address(client):
    with pytest.raises(ObservationError, match=r"some\.test"):
        client(resolver=lambda host, port: []).fetch("GET", "http://some.test/")


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("reset", b""),
        ("reset", b"HTTP/1.1 200 OK\r\nX: y"),
        ("protocol", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        ("cut", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        ("cut", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
        ("cut", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
        ("protocol", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        ("protocol", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    ],
)
def test_what_comes_is_no_whole_answer(serve, client, kind, sent):
    def script(talk):
        talk.request()
        talk.sock.sendall(sent)

    failure(client(), serve(script).url(), kind)


def test_a_connection_that_is_reset(serve, client):
    def script(talk):
        talk.request()
        talk.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        talk.sock.close()

    failure(client(), serve(script).url(), "reset")


@pytest.fixture
def trusted(certificates, monkeypatch):
    """The test's own authority, trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    return certificates


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"self_signed": True}, "its certificate is self-signed"),
        ({"days": (-10, -1)}, "its certificate has expired"),
        ({"days": (5, 10)}, "its certificate is not valid yet"),
        ({"address": "127.0.0.9"}, "its certificate is for another address"),
    ],
)
def test_a_certificate_that_is_not_accepted(serve, client, trusted, options, says):
    server = serve(lambda talk: talk.request(), trusted.sign(**options))
    error = failure(client(), server.url(), "tls")
    assert str(error) == f"No secure connection to https://127.0.0.1:{server.port}: {says}."
    assert server.requests == []


def test_a_certificate_for_another_name(serve, client, trusted):
    server = serve(lambda talk: talk.request(), trusted.sign())
    http = client(resolver=lambda host, port: ["127.0.0.1"])
    assert "another host name" in str(failure(http, f"https://other.test:{server.port}/", "tls"))


def test_an_authority_is_trusted_only_where_it_is_named(serve, client, answers, certificates, monkeypatch):
    server = serve(answers((200, b"secure", {})), certificates.sign())
    assert "does not trust" in str(failure(client(), server.url(), "tls"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    assert client().fetch("GET", server.url()).body == b"secure"


def test_certificates_that_cannot_be_read_are_a_usage_error(client, monkeypatch, tmp_path):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(UsageError, match="SSL_CERT_FILE"):
        client().fetch("GET", "https://127.0.0.1:1/")
    (tmp_path / "none.pem").write_text("no certificate")
    with pytest.raises(UsageError, match="SSL_CERT_FILE"):
        client().fetch("GET", "https://127.0.0.1:1/")


def test_tls_spoken_to_a_server_without(serve, client, answers):
    server = serve(lambda talk: talk.sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))
    error = failure(client(), server.url().replace("http:", "https:"), "tls")
    assert "does not speak TLS" in str(error)
    assert error.diagnostics() == "Does the URL have to start with http://?"


def test_no_tls_spoken_to_a_server_with_it(serve, client, answers, certificates):
    server = serve(answers((200, b"", {})), certificates.sign())
    failure(client(), server.url().replace("https:", "http:"), "reset")


def test_a_server_that_ends_the_handshake(serve, client):
    server = serve(lambda talk: None)
    error = failure(
        client(), server.url().replace("http:", "https:"), "tls" if ssl.OPENSSL_VERSION_INFO >= (3,) else "reset"
    )
    assert "closed the connection during the handshake" in str(error)


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", zipped(b"hello" * 1000)),
        ("X-GZIP", zipped(b"hello" * 500) + zipped(b"hello" * 500)),
        ("deflate", zlib.compress(b"hello" * 1000)),
        ("deflate", zlib.compress(b"hello" * 1000)[2:-4]),
        ("identity", b"hello" * 1000),
        ("deflate, gzip", zipped(zlib.compress(b"hello" * 1000))),
    ],
)
def test_compressed_answers_are_understood_though_not_asked_for(serve, client, answers, coding, body):
    server = serve(answers((200, body, {"Content_Encoding": coding})))
    assert client().fetch("GET", server.url()).body == b"hello" * 1000


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", b"no gzip at all"),
        ("gzip", zipped(b"hello" * 1000)[:-9]),
        ("br", b"x"),
        ("zstd", b"x"),
        ("gzip, gzip, gzip", zipped(zipped(zipped(b"hello")))),
    ],
)
def test_a_body_in_no_known_coding(serve, client, answers, coding, body):
    failure(client(), serve(answers((200, body, {"Content_Encoding": coding}))).url(), "encoding")


@pytest.mark.parametrize("layers", [1, 2])
def test_a_small_body_cannot_become_a_large_one(serve, client, answers, layers):
    bomb = zipped(b"\0" * 50_000_000)
    for _ in range(layers - 1):
        bomb = zipped(bomb)
    assert len(bomb) < 50_000
    server = serve(answers((200, bomb, {"Content_Encoding": ", ".join(["gzip"] * layers)})))
    http = client(max_bytes=1_000_000)
    failure(http, server.url(), None, "limit-exceeded")


def test_compressed_nothing_for_ever_is_bounded(serve, client):
    empty = zipped(b"") * 100

    def script(talk):
        talk.request()
        talk.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n")
        while True:
            talk.sock.sendall(f"{len(empty):x}\r\n".encode() + empty + b"\r\n")

    failure(client(max_bytes=1_000_000), serve(script).url(), None, "limit-exceeded")
