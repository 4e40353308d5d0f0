"""One place under two addresses: where the server is, and where its client thinks it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from diagnose.errors import InputError
from diagnose.evidence.secret import Secret
from diagnose.tap.framer import Head, Pairs
from diagnose.tap.upstream import authorization
from diagnose.transport.origin import Origin
from diagnose.transport.proxies import Proxy

#: Paths of RFC 9728, under which a resource says which authorization servers it trusts, and what it is called.
METADATA: Final = "/.well-known/oauth-protected-resource"
_AUTHORITY: Final = re.compile(r"^https?://[^/?#]*", re.IGNORECASE)
_URL: Final = re.compile(r"https?://[^\s\"'<>,;\\]+")
#: Fields that ask to leave HTTP/1.1, which the tap cannot follow (RFC 9110, 7.6.1 and 7.8).
_HOP: Final = frozenset({"upgrade", "http2-settings", "proxy-connection", "proxy-authorization", "proxy-authenticate"})
#: Content codings that the recorder can undo.
_READABLE: Final = frozenset({"gzip", "x-gzip", "deflate", "identity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """``server`` is the URL of the MCP endpoint, ``tap`` the origin at which the tap listens.

    ``proxy`` stands between the two, if any; ``credential`` is shown to the server where a client shows none.
    """

    server: str
    tap: Origin
    proxy: Proxy | None = None
    credential: Secret | None = None

    @property
    def origin(self) -> Origin:
        """The server's origin."""
        return Origin.of(self.server)

    @property
    def target(self) -> str:
        """Path and query of the endpoint."""
        parts = urlsplit(self.server)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    @property
    def url(self) -> str:
        """What the client is to be given as the server's URL."""
        return f"{self.tap}{urlsplit(self.server).path or '/'}"

    def to_server(self, target: str) -> str:
        """Return the target of a request as the server knows it: the root is the endpoint, and its query is added."""
        # RFC 9112, 3.2.2: a client that takes us for a proxy names the whole URL.
        target = _AUTHORITY.sub("", target) or "/"
        path, _, query = target.partition("?")
        endpoint, _, own = self.target.partition("?")
        if path in {"/", endpoint}:
            both = "&".join(filter(None, (own, query)))
            return f"{endpoint}?{both}" if both else endpoint
        return target

    def to_client(self, text: str) -> str:
        """Return a text in which the server's own URLs lead to the tap."""
        return _URL.sub(lambda found: self._moved(found[0]), text)

    def _moved(self, url: str) -> str:
        try:
            origin = Origin.of(url)
        except InputError:
            return url
        if origin != self.origin:
            return url
        parts = urlsplit(url)
        rest = url[url.index("//") + 2 + len(parts.netloc) :]
        return f"{self.tap}{rest}"

    def request(self, head: Head) -> bytes:
        """Return the head of a request as it is sent on."""
        fields = [("Host", self.origin.netloc)]
        streams = head.method == "GET"  # its first event, or its document, may have to be rewritten
        for name, value in _kept(head.fields):
            match name.lower():
                case "host":
                    continue
                case "origin" if value == str(self.tap):
                    fields.append((name, str(self.origin)))
                case "accept-encoding":
                    fields.append((name, "identity" if streams else _readable(value)))
                case "referer":
                    fields.append((name, value.replace(str(self.tap), str(self.origin))))
                case _:
                    fields.append((name, value))
        if self.credential is not None and head.get("authorization") is None:
            fields.append(("Authorization", self.credential.reveal()))
        version = head.first.rpartition(b" ")[2]
        first = f"{head.method} {self._whole(fields)}{self.to_server(head.target)} ".encode("latin-1") + version
        return _head(first, fields)

    def _whole(self, fields: list[tuple[str, str]]) -> str:
        """Return what stands before a path that a proxy of plain HTTP is asked for; it is also shown who asks."""
        if self.proxy is None or self.origin.scheme == "https":
            return ""
        shown = authorization(self.proxy)
        if shown is not None:
            fields.append(("Proxy-Authorization", shown))
        return str(self.origin)

    def response(self, head: Head, *, length: int | None = None, chunked: bool = False) -> bytes:
        """Return the head of a response as it is sent back; ``length`` and ``chunked`` say how its body was framed anew."""
        fields: list[tuple[str, str]] = []
        anew = length is not None or chunked
        for name, value in _kept(head.fields):
            if anew and name.lower() in {"content-length", "transfer-encoding"}:
                continue
            moved = name.lower() in {"www-authenticate", "location", "content-location", "link"}
            fields.append((name, self.to_client(value) if moved else value))
        if length is not None:
            fields.append(("Content-Length", str(length)))
        elif chunked:
            fields.append(("Transfer-Encoding", "chunked"))
        return _head(head.first, fields)

    def metadata(self, document: bytes) -> bytes:
        """Return the metadata of a protected resource with the tap as the resource (RFC 9728, 3.3: a client compares it)."""
        try:
            value = json.loads(document)
        except ValueError:
            return document
        if not isinstance(value, dict) or not isinstance(value.get("resource"), str):
            return document
        return json.dumps({**value, "resource": self._moved(value["resource"])}, ensure_ascii=False).encode()


def _kept(fields: Pairs) -> Pairs:
    """Return the fields without those that ask for another protocol, also where `Connection` names them."""
    kept = []
    for name, value in fields:
        if name.lower() == "connection":
            options = [part for part in map(str.strip, value.split(",")) if part.lower() not in _HOP]
            if options:
                kept.append((name, ", ".join(options)))
        elif name.lower() not in _HOP:
            kept.append((name, value))
    return tuple(kept)


def _readable(codings: str) -> str:
    kept = [part.strip() for part in codings.split(",") if part.split(";")[0].strip().lower() in _READABLE]
    return ", ".join(kept) or "identity"


def _head(first: bytes, fields: list[tuple[str, str]]) -> bytes:
    lines = [first, *(f"{name}: {value}".encode("latin-1") for name, value in fields)]
    return b"\r\n".join(lines) + b"\r\n\r\n"
