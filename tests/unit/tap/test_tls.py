"""The way to the server is verified: who cannot prove to be the server gets nothing of the client's."""

import datetime as dt
import http.client
import ipaddress
import json
import socket
import ssl
import threading
from contextlib import contextmanager

import pytest
from support.tapping import tapped

ANSWER = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}).encode()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of 127.0.0.1 that vouches for itself, with its key in the same file."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "orchard")])
    now = dt.datetime.now(dt.UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(alternative, critical=False)
    )
    signed = builder.sign(key, hashes.SHA256())
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = tmp_path_factory.mktemp("tls") / "orchard.pem"
    path.write_bytes(signed.public_bytes(serialization.Encoding.PEM) + secret)
    return path


@contextmanager
def secure_server(certificate):
    """Answer each connection once; yields the URL and what was asked."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    asked = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            try:
                with context.wrap_socket(connection, server_side=True) as secure:
                    asked.append(secure.recv(65536))
                    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(ANSWER)}\r\n\r\n"
                    secure.sendall(head.encode() + ANSWER)
            except OSError:
                continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{listener.getsockname()[1]}/mcp", asked
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def ask(tap):
    connection = http.client.HTTPConnection("127.0.0.1", tap.port, timeout=10)
    try:
        connection.request("GET", "/mcp", headers={"Authorization": "Bearer t0ken"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_server_with_a_trusted_certificate_is_spoken_to(certificate):
    trust = ssl.create_default_context(cafile=certificate)
    with secure_server(certificate) as (url, asked), tapped(url, trust=trust) as tap:
        assert ask(tap) == (200, ANSWER)
        tap.wait_for(1)
    assert f"Host: {url.split('/')[2]}".encode() in asked[0]
    assert tap.recording().events[-1].message == json.loads(ANSWER)


def test_a_stranger_gets_nothing(certificate):
    with secure_server(certificate) as (url, asked), tapped(url, trust=ssl.create_default_context()) as tap:
        status, text = ask(tap)
    assert status == 502
    assert b"its certificate is not trusted" in text
    assert asked in ([], [b""])
    assert "certificate" in tap.said[0]
