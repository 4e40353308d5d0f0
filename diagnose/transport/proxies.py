"""Which proxy leads to an origin, as the environment (or the operating system) says."""

from __future__ import annotations

import urllib.request
from urllib.parse import unquote, urlsplit

from diagnose.errors import InputError, UsageError
from diagnose.record import record
from diagnose.transport.origin import Origin


@record
class Proxy:
    """An HTTP proxy; ``auth`` is user and password, never shown."""

    origin: Origin
    auth: tuple[str, str] | None = None

    def __repr__(self) -> str:
        return f"Proxy({self.origin})"


def proxy_for(origin: Origin) -> Proxy | None:
    """Return the proxy to use for ``origin``, or None to go there directly.

    HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY count in both spellings, or the system's settings on Windows and macOS.
    Loopback is always direct: a proxy would look for the server on its own machine. Raises UsageError for a proxy that is no
    usable HTTP proxy.
    """
    if origin.is_loopback:
        return None
    configured = urllib.request.getproxies()
    url = configured.get(origin.scheme) or configured.get("all")
    if not url or urllib.request.proxy_bypass(f"{origin.host}:{origin.port}"):
        return None
    return parse_proxy(url)


def parse_proxy(url: str) -> Proxy:
    """Return the proxy that ``url`` names; a bare `host:port` is an HTTP proxy."""
    full = url if "://" in url else f"http://{url}"
    try:
        origin, parts = Origin.of(full), urlsplit(full)
    except InputError:
        raise UsageError(
            "The proxy of the environment is no http:// or https:// URL.",
            advice="Set HTTP_PROXY and HTTPS_PROXY to such a URL, or name the server in NO_PROXY. SOCKS is not supported.",
        ) from None
    if parts.username is None:
        return Proxy(origin=origin)
    return Proxy(origin=origin, auth=(unquote(parts.username), unquote(parts.password or "")))
