"""The files that hold a surface: which shapes they have, and what is read from each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.errors import InputError
from diagnose.evidence.observation import Advertised, Observation
from diagnose.surface import JsonError, Surface, parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHAPES = 'expected a list of tools, {"tools": […]}, an answer to tools/list, or a document of `snapshot export`, `lock write` or `manifest`'
_EXPORT = "diagnose.snapshots/1"
_LOCK = "diagnose.lock/1"
# A document of ours holds definitions a few levels deeper than a list of them does.
_DEPTH = 136


def read_document(data: bytes | str, source: str) -> Observation:
    """Return the surface in a document, as the layer `baseline`; `source` names the document in what is said of it.

    Raises `InputError` for what holds no whole surface: no JSON, another document, an error answer, one page of a longer
    list.
    """
    try:
        value = parse_json(data, max_depth=_DEPTH).value
    except JsonError as error:
        raise InputError(f"{source} cannot be read: {error}") from error
    if isinstance(value, list):
        return Observation(layer="baseline", surface=Surface.of(value), source=source)
    if not isinstance(value, dict):
        raise InputError(f"{source} holds no surface: {_SHAPES}")
    if value.get("schema") == _LOCK:
        from diagnose.store.lock import read_lock

        return read_lock(data, source).observation()
    if value.get("schema") == _EXPORT:
        return _snapshot(value, source)
    if "jsonrpc" in value:
        value = _result(value, source)
    return _layer(value, source)


def _snapshot(value: Mapping[str, Any], source: str) -> Observation:
    from diagnose.store.portable import snapshots_of

    snapshots = snapshots_of(value)
    if len(snapshots) != 1:
        ids = ", ".join(snapshot.id for snapshot in snapshots) or "none"
        raise InputError(
            f"{source} holds {len(snapshots)} snapshots ({ids}), and one is needed",
            advice="Export that one alone, or import the file and name snapshot:ID.",
        )
    return snapshots[0].observation()


def _result(message: Mapping[str, Any], source: str) -> Mapping[str, Any]:
    result = message.get("result")
    if isinstance(result, dict):
        return result
    error = message.get("error")
    if isinstance(error, dict):
        raise InputError(f"{source} holds an error answer, no list: {error.get('code')} {error.get('message')}")
    raise InputError(f"{source} holds a JSON-RPC message without a result: {_SHAPES}")


def _layer(value: Mapping[str, Any], source: str) -> Observation:
    """Return the surface of an object with `tools`: an answer, a manifest, or a layer of a bundle."""
    tools = value.get("tools")
    if not isinstance(tools, list):
        kind = value.get("schema")
        what = f"is a document {kind}" if isinstance(kind, str) else "has no list `tools`"
        raise InputError(f"{source} {what}, which holds no surface: {_SHAPES}")
    if value.get("nextCursor") is not None:
        raise InputError(f"{source} is one page of a longer list: it has a nextCursor", advice="Give the whole list.")
    if value.get("complete") is False:
        raise InputError(f"{source} says of itself that it is not complete; only a whole list is a surface")
    names_only = value.get("namesOnly") is True
    instructions, capabilities = _text(value, "instructions"), _object(value, "capabilities")
    # Marks of redaction are not believed here: such a file may be a server's own words.
    surface = Surface.of(tools, instructions, capabilities, names_only=names_only)
    advertised = _object(value, "advertised") or {}
    return Observation(
        layer="baseline",
        surface=surface,
        names_only=names_only,
        at=_text(value, "at"),
        source=source,
        principal=_text(value, "principal"),
        protocol_version=_text(value, "protocolVersion"),
        server_info=_object(value, "serverInfo"),
        capabilities=capabilities,
        advertised=Advertised(
            initialize=advertised.get("initialize"), list=advertised.get("list"), count=advertised.get("count")
        ),
        ttl_ms=value.get("ttlMs"),
        cache_scope=value.get("cacheScope"),
        meta=_object(value, "_meta"),
    )


def _text(value: Mapping[str, Any], key: str) -> str | None:
    found = value.get(key)
    return found if isinstance(found, str) else None


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    found = value.get(key)
    return found if isinstance(found, dict) else None
