"""A plain client for the reference server: the standard library, and nothing of ours that it could agree with by mistake."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from diagnose.jobs.embedded import embedded
from diagnose.reference.faults import Fault
from diagnose.reference.options import ServeOptions
from diagnose.reference.proxy_http import FaultProxy, HttpUpstream
from diagnose.reference.serve import url_of
from diagnose.reference.serve_http import listen

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HANDSHAKE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def listening(number: int | str, params: dict[str, Any]) -> tuple[str, dict[str, str], Any]:
    """Return what opens a modern subscription: the verb, the headers and the message."""
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": "subscriptions/listen",
    }
    message = {"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen", "params": params}
    return "POST", headers, message


@dataclass
class Got:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    """One client of one server; `era` decides how it talks."""

    url: str
    era: str = "modern"
    headers: dict[str, str] = field(default_factory=dict)
    session: str | None = None
    timeout: float = 20

    connection: Any = None
    """Kept between requests by `held`; otherwise each has its own."""

    def http(self, verb: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Got:
        connection = self.connection or self.connect()
        try:
            connection.request(
                verb,
                path,
                body=None if body is None else json.dumps(body),
                headers={"content-type": "application/json", **self.headers, **(headers or {})},
            )
            answer = connection.getresponse()
            return Got(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            if self.connection is None:
                connection.close()

    def connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=self.timeout)

    @contextmanager
    def held(self) -> Iterator[Client]:
        """Give the same client, on one connection of its own."""
        connection = self.connect()
        try:
            yield replace(self, connection=connection)
        finally:
            connection.close()

    def rpc(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Send a request and return the whole response message."""
        return self.post(method, params).json

    def post(self, method: str, params: dict[str, Any] | None = None) -> Got:
        params = dict(params or {})
        headers = {"accept": "application/json, text/event-stream"}
        if self.era == "modern":
            params["_meta"] = META
            headers |= {"mcp-protocol-version": MODERN, "mcp-method": method}
            named = params.get("name", params.get("uri"))
            if named is not None:
                headers["mcp-name"] = named
        elif self.session is not None:
            headers["mcp-session-id"] = self.session
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if not method.startswith("notifications/"):
            message["id"] = 1
        return self.http("POST", urlsplit(self.url).path, message, headers)

    @contextmanager
    def lines(self, verb: str, headers: dict[str, str], message: Any = None) -> Iterator[http.client.HTTPResponse]:
        """Open an event stream, and give its lines as they come."""
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=self.timeout)
        if self.session is not None:
            headers = {**headers, "mcp-session-id": self.session}
        body = None if message is None else json.dumps(message)
        connection.request(verb, parts.path, body=body, headers={"content-type": "application/json", **headers})
        answer = connection.getresponse()
        assert (answer.status, answer.headers.get_content_type()) == (200, "text/event-stream")
        try:
            yield answer
        finally:
            connection.close()

    @contextmanager
    def stream(self, verb: str, headers: dict[str, str], message: Any = None) -> Iterator[Iterator[Any]]:
        """Open an event stream, and give the messages on it as they come."""
        with self.lines(verb, headers, message) as lines:
            yield (json.loads(line[5:]) for line in lines if line.startswith(b"data:"))

    def listen(self, params: dict[str, Any]) -> AbstractContextManager[Iterator[Any]]:
        """Open a modern subscription, as request 7."""
        return self.stream(*listening(7, params))

    def channel(self) -> AbstractContextManager[http.client.HTTPResponse]:
        """Open the stream for signals that this era has, and give its lines."""
        if self.era == "legacy":
            return self.lines("GET", {"accept": "text/event-stream"})
        return self.lines(*listening(7, {"_meta": META, "notifications": {"toolsListChanged": True}}))

    def handshake(self) -> Any:
        """Open the session and return the result of the handshake."""
        if self.era == "modern":
            return self.rpc("server/discover")["result"]
        got = self.post("initialize", HANDSHAKE)
        self.session = got.headers.get("mcp-session-id")
        self.post("notifications/initialized")
        return got.json["result"]

    def pages(self, limit: int = 10) -> list[dict[str, Any]]:
        """Return the results of a walk, at most `limit` of them."""
        results: list[dict[str, Any]] = []
        params: dict[str, Any] = {}
        while len(results) < limit:
            results.append(self.rpc("tools/list", params)["result"])
            if "nextCursor" not in results[-1]:
                break
            params = {"cursor": results[-1]["nextCursor"]}
        return results

    def tools(self) -> list[dict[str, Any]]:
        return [tool for page in self.pages() for tool in page["tools"]]


@pytest.fixture(scope="module")
def server_options() -> ServeOptions:
    return ServeOptions(control=True, identity="orchard-under-test")


@pytest.fixture(scope="module")
def server(server_options: ServeOptions) -> Iterator[Any]:
    with embedded(server_options) as running:
        yield running


@pytest.fixture(params=["modern", "legacy"])
def client(server: Any, request: pytest.FixtureRequest) -> Client:
    server.change({"restore": True}, notify=False)
    return Client(server.url, request.param)


@pytest.fixture
def behind(server) -> Iterator[Callable[[Fault], str]]:
    """Put a fault in front of the honest server; gives the URL to connect to."""
    proxies: list[FaultProxy] = []

    def put(fault: Fault) -> str:
        proxy = FaultProxy(listen("127.0.0.1", 0), HttpUpstream(urlsplit(server.url).port), fault)
        proxy.start()
        proxies.append(proxy)
        return url_of(*proxy.server_address)

    server.change({"restore": True})
    yield put
    for proxy in proxies:
        proxy.shutdown()
        proxy.server_close()
