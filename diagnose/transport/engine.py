"""One exchange over httpx; the only file of the package, with `network` and `failures`, that knows httpx and httpcore.

httpx is used at the level of its requests, responses and transports, below `httpx.Client`: a client would keep cookies, follow
its own rules for redirects and decode bodies without a bound, and none of that may happen to evidence.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from diagnose.errors import UsageError
from diagnose.transport.network import Pace, PacedBackend
from diagnose.transport.origin import Origin, request_url
from diagnose.transport.proxies import Proxy
from diagnose.transport.resolve import Resolver
from diagnose.transport.tls import trust_store


@contextmanager
def _without_command_line() -> Iterator[None]:
    """Import httpx without its own command line, which loads click, rich and pygments wherever click is installed."""
    name = "httpx._main"
    blocked = name not in sys.modules
    if blocked:
        sys.modules[name] = None  # type: ignore[assignment] # the import system's own way to say "not there"
    try:
        yield
    finally:
        if blocked:
            del sys.modules[name]


with _without_command_line():
    import httpx

import httpcore

if TYPE_CHECKING:
    import ssl


class PoolTransport(httpx.BaseTransport):
    """httpx's transport over httpcore, like its own, but with our sockets, which httpx gives no way to set."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method, url, headers=request.headers.raw, content=request.stream, extensions=request.extensions
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class Engine:
    """Connections, kept open for reuse; one pool for each scheme and proxy."""

    def __init__(self, *, resolver: Resolver, http2: bool) -> None:
        self.pace = Pace()
        self._backend = PacedBackend(self.pace, resolver)
        self._http2 = http2
        self._transports: dict[tuple[str, Proxy | None], PoolTransport] = {}

    def send(
        self, method: str, url: str, headers: list[tuple[str, str]], body: bytes | None, proxy: Proxy | None
    ) -> httpx.Response:
        """Send one request and return its answer with the body unread.

        Raises UsageError for a request that cannot be written, and whatever httpcore raises when it fails.
        """
        request = build_request(method, url, headers, body)
        return self._transport(Origin.of(url), proxy).handle_request(request)

    def close(self) -> None:
        """Close every connection; the next request opens a new one."""
        transports, self._transports = self._transports, {}
        for transport in transports.values():
            transport.close()

    def _transport(self, origin: Origin, proxy: Proxy | None) -> PoolTransport:
        route = (origin.scheme, proxy)
        if route not in self._transports:
            self._transports[route] = PoolTransport(self._pool(origin.scheme, proxy))
        return self._transports[route]

    def _pool(self, scheme: str, proxy: Proxy | None) -> httpcore.ConnectionPool:
        # Loading the trust store costs more than a whole exchange, so plain http does without.
        context = trust_store() if scheme == "https" else None
        return httpcore.ConnectionPool(
            ssl_context=context,
            proxy=None if proxy is None else _core_proxy(proxy, context),
            max_connections=None,
            http2=self._http2,
            network_backend=self._backend,
        )


def build_request(method: str, url: str, headers: list[tuple[str, str]], body: bytes | None) -> httpx.Request:
    """Return the request; raises UsageError for a URL or a header that HTTP cannot carry. No value is repeated."""
    for name, value in headers:
        if not value.isascii() or any(ord(char) < ord(" ") and char != "\t" for char in value) or "\x7f" in value:
            raise UsageError(f"The header {name!r} has a value that HTTP cannot carry: only visible ASCII may be sent.")
    try:
        request = httpx.Request(method, request_url(url), headers=headers, content=body)
    except httpx.InvalidURL:
        raise UsageError(
            "This is no usable URL.", advice="Give an absolute URL such as https://example.test/mcp."
        ) from None
    # Two readers of one URL must not come to two hosts: the credential was chosen by ours, the connection by httpx's.
    if (request.url.scheme, request.url.raw_host.decode("ascii")) != (Origin.of(url).scheme, Origin.of(url).host):
        raise UsageError("This URL names its host in a way that is read differently by different programs.")
    return request


def _core_proxy(proxy: Proxy, context: ssl.SSLContext | None) -> httpcore.Proxy:
    secure: Any = (context or trust_store()) if proxy.origin.scheme == "https" else None
    return httpcore.Proxy(url=str(proxy.origin), auth=proxy.auth, ssl_context=secure)
