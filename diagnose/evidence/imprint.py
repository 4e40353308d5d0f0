"""What stands in a recording in place of the values that it must not hold: fingerprints, MACs and sizes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Iterable
from typing import Any

from diagnose.evidence.redact import Redactor
from diagnose.evidence.secret import Secret
from diagnose.evidence.secret_shapes import is_fingerprint

_PLAIN = """
    accept accept-encoding accept-language access-control-allow-origin allow cache-control connection content-encoding
    content-length content-type date etag expires host keep-alive last-event-id mcp-method mcp-protocol-version origin
    pragma proxy-authenticate retry-after server te traceparent transfer-encoding user-agent vary via www-authenticate
    x-accel-buffering
"""
#: Headers whose value is no secret and tells something of a session. Whatever else there is, is a fingerprint: a header
#: of any name may carry a key, and `Mcp-Param-*` carry arguments (MCP 2026-07-28, transports/streamable-http).
PLAIN_HEADERS = frozenset(_PLAIN.split())
#: Methods whose `Mcp-Name` is that of a tool or prompt; of others it is the address of the user's data.
_NAMED = frozenset({"tools/call", "prompts/get"})
_SCHEMES = frozenset({"basic", "bearer", "digest", "dpop", "negotiate"})
_SEGMENT = re.compile(r"(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9_.~%+=-]{16,}")
_MAC_DIGITS = 16


class Imprint:
    """Makes the stand-ins of one machine: ``key`` is its fingerprint key, ``redactor`` knows the secrets told so far."""

    def __init__(self, key: bytes, redactor: Redactor) -> None:
        self._key = key
        self._redactor = redactor

    def fingerprint(self, value: str) -> str:
        """Return what stands for a secret text; equal ones stay tellable, and what already is one stays as it is."""
        return value if is_fingerprint(value) else Secret(value).fingerprint(self._key)

    def omitted(self, value: Any) -> dict[str, Any]:
        """Return what stands for a JSON value that is left out: its size in bytes, its type, and a keyed MAC."""
        text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
        mac = hmac.new(self._key, text, hashlib.sha256).hexdigest()[:_MAC_DIGITS]
        return {"$omitted": {"bytes": len(text), "mac": mac, "type": json_type(value)}}

    def headers(self, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return header fields as they are kept: names in lower case, repeated ones joined, values that may be secret as prints."""
        kept: dict[str, str] = {}
        fields = [(name.lower(), value) for name, value in pairs]
        is_named = any(name == "mcp-method" and value in _NAMED for name, value in fields)
        for name, value in fields:
            if name in PLAIN_HEADERS or (name == "mcp-name" and is_named):
                shown = self._redactor.text(value)
            elif name in {"location", "content-location", "referer"}:
                shown = self.path(value)
            else:
                shown = self._credential(value)
            kept[name] = f"{kept[name]}, {shown}" if name in kept else shown
        return kept

    def path(self, url: str) -> str:
        """Return a URL or path without userinfo and fragment; its query values, and parts that look like keys, are prints."""
        head, _, _ = url.partition("#")
        path, mark, query = head.partition("?")
        shown = _SEGMENT.sub(lambda part: self.fingerprint(part[0]), self._redactor.url(path))
        return shown + mark + "&".join(map(self._parameter, query.split("&"))) if mark else shown

    def _parameter(self, parameter: str) -> str:
        name, equals, value = parameter.partition("=")
        if not equals:
            return self.fingerprint(name) if name else ""
        return f"{self._redactor.text(name)}={self.fingerprint(value) if value else ''}"

    def _credential(self, value: str) -> str:
        """Keep the scheme (RFC 9110, 11.1), which is no secret and tells how a client authorizes itself."""
        scheme, blank, rest = value.partition(" ")
        if blank and scheme.lower() in _SCHEMES:
            return f"{scheme} {self.fingerprint(rest)}"
        return self.fingerprint(value)


def json_type(value: Any) -> str:
    """Return the name that JSON has for the type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def raw_fields(data: bytes, limit: int) -> dict[str, str]:
    """Return the field that keeps bytes which are no message, at most the first ``limit``: `text`, or else `base64`."""
    kept = data[:limit]
    try:
        return {"text": kept.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(kept).decode("ascii")}
