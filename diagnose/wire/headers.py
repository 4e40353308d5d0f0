"""The HTTP headers of both eras, and the arguments that a tool wants mirrored into headers.

MCP 2026-07-28, transports/streamable-http, Request Metadata; for the legacy era, MCP 2025-11-25, basic/transports.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

ACCEPT: Final = "application/json, text/event-stream"
SESSION: Final = "Mcp-Session-Id"
VERSION: Final = "MCP-Protocol-Version"
LAST_EVENT: Final = "Last-Event-ID"

#: Which parameter of a request its `Mcp-Name` repeats.
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_FIELD_NAME: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PLAIN: Final = re.compile(r"[!-~]([ -~\t]*[!-~])?")
_SENTINEL: Final = r"(?s)=\?base64\?.*\?="
_MIRRORED_TYPES: Final = ("string", "integer", "boolean")
#: Schemas deeper than this are not searched.
_MAX_DEPTH: Final = 128
#: Keywords whose value maps names to schemas, and keywords whose value is data.
_MAPS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
_DATA: Final = frozenset({"default", "const", "enum", "examples", "example"})


def encode_value(text: str) -> str:
    """Return ``text`` as a header value: as it is where that is safe, else in Base64 between the specified marks.

    What looks like an encoded value is encoded, so that it cannot be taken for one. A lone surrogate, which UTF-8
    cannot carry, becomes a question mark.
    """
    if not text or (_PLAIN.fullmatch(text) and not re.fullmatch(_SENTINEL, text)):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def modern_headers(message: Mapping[str, Any], version: str) -> dict[str, str]:
    """Return the headers of a modern request that repeat its body."""
    method = str(message.get("method", ""))
    headers = {VERSION: version, "Mcp-Method": method}
    params = message.get("params")
    name = params.get(_NAMED[method]) if method in _NAMED and isinstance(params, dict) else None
    return headers | {"Mcp-Name": encode_value(name)} if isinstance(name, str) else headers


def legacy_headers(version: str | None, session_id: str | None) -> dict[str, str]:
    """Return the headers of a legacy request after the handshake; before it there are none."""
    headers = {VERSION: version} if version else {}
    return headers | {SESSION: session_id} if session_id else headers


def is_header_safe(value: str) -> bool:
    """Tell whether a value is not empty and may be sent as it is in a header (RFC 9110, 5.5)."""
    return _PLAIN.fullmatch(value) is not None


def is_session_id(value: str) -> bool:
    """Tell whether a session id is one that may be sent back: visible ASCII alone (MCP 2025-11-25, transports)."""
    return bool(value) and all("!" <= char <= "~" for char in value)


def mirrored_headers(tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the `Mcp-Param-*` headers of a call; a value that is absent or null has none.

    The tool must be one without `header_flaws`.
    """
    headers: dict[str, str] = {}
    for path, name, _ in _annotations(_schema(tool)):
        value = _value_at(arguments, path)
        if isinstance(value, bool):
            headers[f"Mcp-Param-{name}"] = "true" if value else "false"
        elif isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
            headers[f"Mcp-Param-{name}"] = str(int(value))
        elif isinstance(value, str):
            headers[f"Mcp-Param-{name}"] = encode_value(value)
    return headers


def header_flaws(tool: Mapping[str, Any]) -> tuple[str, ...]:
    """Return why a client must not offer this tool over HTTP; empty if its `x-mcp-header` annotations are right."""
    flaws: list[str] = []
    seen: set[str] = set()
    reachable: set[int] = set()
    for path, name, schema in _annotations(_schema(tool)):
        place = "/".join(path)
        reachable.add(id(schema))
        if not isinstance(name, str) or not re.fullmatch(_FIELD_NAME, name):
            flaws.append(f"x-mcp-header of {place} is no header name")
            continue
        if name.lower() in seen:
            flaws.append(f"x-mcp-header {name} stands twice")
        seen.add(name.lower())
        if not _is_mirrorable(schema.get("type")):
            flaws.append(f"x-mcp-header of {place} is on no string, integer or boolean")
    if any(id(schema) not in reachable for schema in _annotated(_schema(tool))):
        flaws.append("x-mcp-header stands where it cannot be reached through properties alone")
    return tuple(flaws)


def _schema(tool: Mapping[str, Any]) -> Any:
    return tool.get("inputSchema")


def _annotations(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any, Mapping[str, Any]]]:
    """Walk the properties that are reachable from the root, and yield the annotated ones: path, header name, schema."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or len(path) > _MAX_DEPTH:
        return
    for key, value in properties.items():
        if isinstance(value, dict):
            if "x-mcp-header" in value:
                yield (*path, key), value["x-mcp-header"], value
            yield from _annotations(value, (*path, key))


def _annotated(node: Any, depth: int = 0, *, is_schema: bool = True) -> Iterator[Mapping[str, Any]]:
    """Yield every schema below ``node`` that has the annotation, wherever it stands."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(node, list):
        for entry in node:
            yield from _annotated(entry, depth + 1)
    elif isinstance(node, dict):
        if is_schema and "x-mcp-header" in node:
            yield node
        for key, value in node.items():
            # A map of names to schemas is none itself: a property may bear the annotation's name.
            if not (is_schema and key in _DATA):
                yield from _annotated(value, depth + 1, is_schema=not (is_schema and key in _MAPS))


def _is_mirrorable(kind: Any) -> bool:
    kinds = [entry for entry in kind if entry != "null"] if isinstance(kind, list) else [kind]
    return len(kinds) == 1 and kinds[0] in _MIRRORED_TYPES


def _value_at(arguments: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = arguments
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
