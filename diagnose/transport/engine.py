"""One exchange over httpx.

httpx is used at the level of its requests, responses and transports, below `httpx.Client`: a client keeps cookies, rewrites
requests on redirects and inflates bodies without a bound, and none of that may happen to evidence. Outside of this file only
`network`, `failures`, `stream` and `tls` know httpx or httpcore, so that another version of either is a change to these.
"""

from __future__ import annotations

import importlib.util
import re
import ssl
from collections.abc import Iterator, Sequence

import httpcore
import httpx

from diagnose.errors import UsageError
from diagnose.transport.network import Pace, PacedBackend
from diagnose.transport.origin import Origin
from diagnose.transport.proxies import Proxy
from diagnose.transport.resolve import Resolver
from diagnose.transport.tls import trust_store

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110, 5.6.2: what a method or the name of a header is made of."""
_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")
"""RFC 9110, 5.5, without obs-text: visible ASCII, blanks only within."""


class PoolTransport(httpx.BaseTransport):
    """httpx's own transport over httpcore once more, but with our sockets: httpx has no way to set them."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request`` and return its answer, the body unread; raises httpcore's errors (`failures.FAILURES`)."""
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
        """Close every connection."""
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
        """Raise UsageError where ``http2`` is wished for and the package that speaks it is not installed."""
        if http2 and importlib.util.find_spec("h2") is None:
            raise UsageError("HTTP/2 is not installed.", advice="Install it: pip install 'diagnose[http2]'")
        self.pace = Pace()
        self._backend = PacedBackend(self.pace, resolver)
        self._http2 = http2
        self._transports: dict[tuple[str, Proxy | None], PoolTransport] = {}

    def transport(self, scheme: str, proxy: Proxy | None) -> PoolTransport:
        """Return what sends requests of ``scheme``, through ``proxy`` or directly; nothing is connected yet."""
        route = (scheme, proxy)
        if route not in self._transports:
            self._transports[route] = PoolTransport(self._pool(*route))
        return self._transports[route]

    def close(self) -> None:
        """Close every connection; the next request opens a new one."""
        transports, self._transports = self._transports, {}
        for transport in transports.values():
            transport.close()

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


def build_request(method: str, url: str, headers: Sequence[tuple[str, str]], body: bytes | None) -> httpx.Request:
    """Return the request for ``url``, which is canonical (`request_url`).

    Raises UsageError for a method, header or URL that HTTP cannot carry; no value is repeated, as it may be secret.
    """
    if not _TOKEN.fullmatch(method):
        raise UsageError(f"{method!r} is no HTTP method.")
    for name, value in headers:
        if not _TOKEN.fullmatch(name):
            raise UsageError(f"{name!r} cannot be the name of a header.")
        if not _VALUE.fullmatch(value):
            raise UsageError(f"The value of the header {name} cannot be sent: only visible ASCII characters can.")
    try:
        request = httpx.Request(method, url, headers=list(headers), content=body)
    except httpx.InvalidURL:
        raise UsageError("This URL cannot be asked for: its path or query is malformed.") from None
    # Two readers of one URL must not come to two hosts: the credential was chosen by ours, the connection by httpx's.
    read = (request.url.scheme, request.url.raw_host.decode("ascii"))
    if read != (Origin.of(url).scheme, Origin.of(url).host):
        raise UsageError("This URL names its host in a way that programs read differently.")
    return request


def _core_proxy(proxy: Proxy, context: ssl.SSLContext | None) -> httpcore.Proxy:
    user = None if proxy.auth is None else (proxy.auth[0].encode(), proxy.auth[1].encode())
    secure = context or trust_store() if proxy.origin.scheme == "https" else None
    return httpcore.Proxy(url=str(proxy.origin), auth=user, ssl_context=secure)
