"""The way from the tap to the server: straight, or through the proxy that the environment names."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Callable
from typing import Final

from diagnose.transport.origin import Origin
from diagnose.transport.proxies import Proxy

#: The head with which a proxy answers is at most this long, in bytes.
MAX_ANSWER: Final = 16 * 1024

Factory = Callable[[], asyncio.Protocol]


class ProxyError(OSError):
    """A proxy that does not let us through; its text says so."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.strerror = text


async def reach(origin: Origin, trust: ssl.SSLContext | None, proxy: Proxy | None, factory: Factory) -> None:
    """Connect a protocol to the server. Raises `OSError` where it cannot be reached, or the proxy refuses.

    Plain HTTP goes to a proxy as it is (RFC 9112, 3.2.2: with the whole URL as its target); TLS through a tunnel.
    """
    loop = asyncio.get_running_loop()
    if proxy is None:
        name = origin.host if trust is not None else None
        await loop.create_connection(factory, origin.host, origin.port, ssl=trust, server_hostname=name)
        return
    to_proxy = ssl.create_default_context() if proxy.origin.scheme == "https" else None
    if trust is None:
        await loop.create_connection(factory, proxy.origin.host, proxy.origin.port, ssl=to_proxy)
        return
    transport, tunnel = await loop.create_connection(
        lambda: _Tunnel(loop, _connect(origin, proxy)), proxy.origin.host, proxy.origin.port, ssl=to_proxy
    )
    try:
        await tunnel.open
        side = factory()
        secured = await loop.start_tls(transport, side, trust, server_hostname=origin.host)
    except BaseException:
        transport.abort()
        raise
    if secured is None:
        raise ProxyError("the proxy closed the connection")
    side.connection_made(secured)


def authorization(proxy: Proxy) -> str | None:
    """Return what a proxy is shown, or None where it wants nothing (RFC 7617)."""
    if proxy.auth is None:
        return None
    return "Basic " + base64.b64encode(":".join(proxy.auth).encode()).decode()


def _connect(origin: Origin, proxy: Proxy) -> bytes:
    where = f"[{origin.host}]:{origin.port}" if ":" in origin.host else f"{origin.host}:{origin.port}"
    lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}"]
    shown = authorization(proxy)
    if shown is not None:
        lines.append(f"Proxy-Authorization: {shown}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


class _Tunnel(asyncio.Protocol):
    """Asks a proxy for a tunnel; ``open`` is done once there is one."""

    def __init__(self, loop: asyncio.AbstractEventLoop, request: bytes) -> None:
        self.open: asyncio.Future[None] = loop.create_future()
        self._request = request
        self._answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._answer += data
        if self.open.done() or (b"\r\n\r\n" not in self._answer and len(self._answer) < MAX_ANSWER):
            return
        status = self._answer.split(b"\r\n", 1)[0].split(b" ")[1:2]
        if self._answer.startswith(b"HTTP/1.") and status and status[0][:1] == b"2":
            self.open.set_result(None)
        else:
            said = status[0].decode("ascii", "replace")[:3] if status else "no HTTP"
            self.open.set_exception(ProxyError(f"the proxy of the environment refused the way to it ({said})"))

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if not self.open.done():
            self.open.set_exception(ProxyError("the proxy of the environment closed the connection"))
