"""The origin of a URL (RFC 6454): who is spoken to, and whom a credential belongs to."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from diagnose.errors import InputError
from diagnose.record import record

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_HOST = 253
"""The longest name that DNS can carry (RFC 1035, 2.3.4)."""

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")


@record
class Origin:
    """Scheme, host and port, each in the one spelling in which two origins can be compared.

    ``host`` is lower case and ASCII (IDNA), an IPv6 address without brackets and in its shortest form; ``port`` is always
    given. ``str()`` leaves a default port out and never shows userinfo.
    """

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Origin:
        """Return the origin of ``url``; userinfo, path, query and fragment are left out.

        Raises InputError where the text is no absolute http or https URL.
        """
        parts = split_url(url)
        scheme = parts.scheme.lower()
        try:
            port = parts.port
        except ValueError:
            raise _bad_url("its port is no number from 1 to 65535") from None
        if port == 0:
            raise _bad_url("its port is no number from 1 to 65535")
        return cls(scheme=scheme, host=_canonical_host(parts.hostname or ""), port=port or DEFAULT_PORTS[scheme])

    @property
    def is_loopback(self) -> bool:
        """Whether the host is this machine by its very name: 127.0.0.0/8, ::1 or localhost.

        A name that merely resolves to such an address is not: who answers the name decides where it leads.
        """
        if self.host == "localhost":
            return True
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            return False
        return address.is_loopback and getattr(address, "ipv4_mapped", None) is None

    @property
    def netloc(self) -> str:
        """Host and port as they stand in a URL, a default port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS.get(self.scheme) else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"


def split_url(url: str) -> SplitResult:
    """Return the parts of an absolute http(s) URL.

    Raises InputError for anything else, and for blanks, controls and backslashes, which URL readers disagree about: what one
    takes for the host is part of the path to another.
    """
    if _UNSAFE.search(url):
        raise _bad_url("it contains a blank, a control character or a backslash")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _bad_url("its host cannot be read") from None
    if parts.scheme.lower() not in DEFAULT_PORTS:
        raise _bad_url("it does not start with http:// or https://")
    if not parts.hostname:
        raise _bad_url("it names no host")
    return parts


def request_url(url: str) -> str:
    """Return ``url`` as it may be asked for: canonical origin, path and query; no userinfo, no fragment."""
    parts = split_url(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{Origin.of(url)}{parts.path or '/'}{query}"


def _canonical_host(host: str) -> str:
    if ":" in host:
        if "%" in host:
            raise _bad_url("its host names a network interface, which means something on one machine only")
        try:
            return str(ipaddress.IPv6Address(host))
        except ValueError:
            raise _bad_url("its host is no IPv6 address") from None
    name = host.lower() if host.isascii() else _to_ascii(host)
    if len(name) > MAX_HOST or not _HOST.fullmatch(name):
        raise _bad_url("its host is no valid name")
    return name


def _to_ascii(host: str) -> str:
    # httpx depends on the same package, and only names beyond ASCII pay for its tables.
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise _bad_url("its host is no valid international name") from None


def _bad_url(why: str) -> InputError:
    # The URL itself is not repeated: it may hold a password or a token.
    return InputError(f"This is no usable URL: {why}.", advice="Give an absolute URL such as https://example.test/mcp.")
