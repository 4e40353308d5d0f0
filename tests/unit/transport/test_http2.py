"""HTTP/2 where it is asked for, installed, and agreed on with the server."""

from __future__ import annotations

import pytest

from diagnose.errors import UsageError


def http2_script(talk):
    import h2.config
    import h2.connection
    import h2.events

    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    talk.sock.sendall(connection.data_to_send())
    while data := talk.sock.recv(65536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.StreamEnded):
                connection.send_headers(event.stream_id, [(":status", "200"), ("x-twice", "1"), ("x-twice", "2")])
                connection.send_data(event.stream_id, b"hello", end_stream=True)
        talk.sock.sendall(connection.data_to_send())


def test_it_is_spoken_where_both_sides_can(serve, client, certificates, monkeypatch):
    pytest.importorskip("h2")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    context = certificates.sign()
    context.set_alpn_protocols(["h2"])
    server = serve(http2_script, context)
    answer = client(http2=True).fetch("POST", server.url(), body=b"{}")
    assert (answer.http_version, answer.status, answer.body) == ("HTTP/2", 200, b"hello")
    assert answer.headers.all("x-twice") == ("1", "2")


def test_a_server_without_it_is_spoken_to_as_ever(serve, client, answers, certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    server = serve(answers((200, b"hello", {})), certificates.sign())
    pytest.importorskip("h2")
    assert client(http2=True).fetch("GET", server.url()).http_version == "HTTP/1.1"


def test_it_is_not_offered_unasked(serve, client, answers, certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    context = certificates.sign()
    context.set_alpn_protocols(["h2", "http/1.1"])
    server = serve(answers((200, b"hello", {})), context)
    assert client().fetch("GET", server.url()).http_version == "HTTP/1.1"


def test_without_the_package_it_is_a_usage_error(client, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="HTTP/2 is not installed"):
        client(http2=True).fetch("GET", "https://127.0.0.1:1/")
