"""Servers on loopback that do exactly what a test tells them, byte by byte, and children that leave nothing behind."""

from __future__ import annotations

import contextlib
import datetime as dt
import ipaddress
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient
from diagnose.transport.stdio import StdioProcess


@dataclass
class Request:
    """A request as the server read it; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Conversation:
    """One connection, from the server's side."""

    def __init__(self, sock: socket.socket, server: Server) -> None:
        self.sock = sock
        self.server = server
        self._reader = sock.makefile("rb")

    def request(self) -> Request | None:
        """Read one request; None when the client has closed."""
        first = self._reader.readline().decode("latin-1").split()
        if len(first) != 3:
            return None
        headers: dict[str, str] = {}
        while (line := self._reader.readline().decode("latin-1").strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = self._reader.read(int(headers.get("content-length", "0")))
        request = Request(first[0], first[1], headers, body)
        self.server.requests.append(request)
        return request

    def answer(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        """Send a whole answer; underscores in header names stand for hyphens."""
        fields = {"Content-Length": str(len(body)), **{k.replace("_", "-"): v for k, v in headers.items()}}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.sock.sendall(f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode("latin-1") + body)

    def until_closed(self) -> None:
        """Read and forget until the client closes the connection, or the test is over."""
        with contextlib.suppress(OSError):
            while self.sock.recv(65536):
                pass


Script = Callable[[Conversation], None]


class Server:
    """Listens on a free port and runs ``script`` for every connection in a thread of its own."""

    def __init__(self, script: Script, context: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.over = threading.Event()
        """Set when the test is over: what a script that never ends waits for."""
        self._script = script
        self._context = context
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path: str = "/") -> str:
        scheme = "http" if self._context is None else "https"
        return f"{scheme}://127.0.0.1:{self.port}{path}"

    def stop(self) -> None:
        self.over.set()
        self._listener.close()
        for sock in self._open:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(sock)
            threading.Thread(target=self._talk, args=(sock,), daemon=True).start()

    def _talk(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError):
            if self._context is not None:
                sock = self._context.wrap_socket(sock, server_side=True)
                self._open.append(sock)
            self._script(Conversation(sock, self))
            sock.shutdown(socket.SHUT_RDWR)
        sock.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers that are stopped with the test."""
    servers: list[Server] = []

    def start(script: Script, context: ssl.SSLContext | None = None) -> Server:
        servers.append(Server(script, context))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@dataclass
class Clients:
    """Makes clients that do not really sleep; ``slept`` is what they would have slept, ``log`` what they said."""

    slept: list[float] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    made: list[HttpClient] = field(default_factory=list)

    def __call__(self, **options: Any) -> HttpClient:
        settings: dict[str, Any] = {
            "timeout": 10.0,
            "deadline": Deadline(20.0),
            "sleep": self.slept.append,
            "chance": lambda: 1.0,
            "log": self.log.append,
            **options,
        }
        self.made.append(HttpClient(**settings))
        return self.made[-1]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    clients = Clients()
    yield clients
    for made in clients.made:
        made.close()


def answering(*answers: tuple[int, bytes, dict[str, str]]) -> Script:
    """Return a script that gives these answers in turn, across connections, the last one for ever."""
    left = list(answers)
    lock = threading.Lock()

    def script(talk: Conversation) -> None:
        while talk.request() is not None:
            with lock:
                status, body, headers = left.pop(0) if len(left) > 1 else left[0]
            talk.answer(status, body, **headers)

    return script


@pytest.fixture
def answers() -> Callable[..., Script]:
    return answering


@dataclass
class Certificates:
    """A certificate authority of the test's own; ``ca_file`` is what SSL_CERT_FILE may name."""

    folder: Path
    ca_file: Path
    sign: Callable[..., ssl.SSLContext]


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    folder = tmp_path_factory.mktemp("certificates")
    now = dt.datetime.now(dt.UTC)
    day = dt.timedelta(days=1)

    def named(text: str) -> Any:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    def pem(certificate: Any) -> bytes:
        return certificate.public_bytes(serialization.Encoding.PEM)

    def certificate(
        subject: str, key: Any, issuer: str, issuer_key: Any, *, days: tuple[int, int], ca: bool, host: Any
    ) -> Any:
        builder = (
            x509.CertificateBuilder()
            .subject_name(named(subject))
            .issuer_name(named(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + days[0] * day)
            .not_valid_after(now + days[1] * day)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if host is not None:
            builder = builder.add_extension(x509.SubjectAlternativeName([host]), critical=False)
        return builder.sign(issuer_key, hashes.SHA256())

    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca = certificate("Test CA", ca_key, "Test CA", ca_key, days=(-30, 30), ca=True, host=None)
    (folder / "ca.pem").write_bytes(pem(ca))

    def sign(
        *, days: tuple[int, int] = (-1, 30), address: str = "127.0.0.1", self_signed: bool = False
    ) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        issuer, issuer_key = ("server", key) if self_signed else ("Test CA", ca_key)
        host = x509.IPAddress(ipaddress.ip_address(address))
        leaf = certificate("server", key, issuer, issuer_key, days=days, ca=False, host=host)
        chain = folder / f"server-{leaf.serial_number}.pem"
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        chain.write_bytes(pem(leaf) + secret)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context

    return Certificates(folder=folder, ca_file=folder / "ca.pem", sign=sign)


class Child(StdioProcess):
    """A child whose output a test can wait for."""

    def until(self, wanted: bytes) -> bytes:
        """Return what stdout says up to and with ``wanted``."""
        got = b""
        while wanted not in got:
            chunk = self.receive(10.0)
            assert chunk, f"{wanted!r} did not come, only {got[-200:]!r}"
            got += chunk
        return got


@pytest.fixture
def start() -> Iterator[Callable[..., Child]]:
    """Start children in the usual way; all are ended with the test, however it ends."""
    started: list[Child] = []

    def begin(*command: str, **options: Any) -> Child:
        settings: dict[str, Any] = {"deadline": Deadline(60), "grace": 0.5, **options}
        started.append(Child(command, **settings))
        return started[-1]

    yield begin
    for process in started:
        process.close()
        assert not living(process.pid)


def living(group: int) -> list[psutil.Process]:
    """Return the processes of a group that have not ended."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


@pytest.fixture
def alive_in_group() -> Callable[[int], list[psutil.Process]]:
    return living
