"""The bundle as a document: `diagnose.bundle/1` (contract, Bundle). Files come through a function that is passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from diagnose.errors import InputError
from diagnose.evidence.bundle import Bundle, ClientEntry, Target
from diagnose.evidence.layer_form import deployment_of, observation_of
from diagnose.evidence.observation import LAYERS, LayerName, Observation
from diagnose.evidence.recording import Recording
from diagnose.surface import JsonError, parse_json

SCHEMA = "diagnose.bundle/1"
#: Definitions lie a few levels deeper in a bundle than in a list.
DEPTH = 144

ReadFile: TypeAlias = Callable[[str], bytes]
"""Returns the bytes of a file beside the bundle; it decides which names may be read."""


def no_file(name: str) -> bytes:
    """Refuse a file: for a bundle that stands alone."""
    raise InputError(f"the bundle names the file {name[:80]!r}, and it stands alone: there is no folder beside it")


def bundle_of(document: Any, read_file: ReadFile = no_file) -> Bundle:
    """Return the bundle that a document states; `expect` in it is not read.

    Raises:
        InputError: the document is no bundle, or a layer in it is not what it should be.

    """
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InputError(f"this is no bundle: expected an object with schema {SCHEMA!r}")
    layers = document.get("layers")
    if not isinstance(layers, Mapping):
        raise InputError("layers: expected an object with a key for each layer that was observed")
    unknown = [str(name)[:40] for name in layers if name not in LAYERS]
    seen = {name: _surface(layers[name], name, read_file) for name in _SURFACES if layers.get(name) is not None}
    deployed = layers.get("deployed")
    return Bundle(
        created_at=_said(document, "createdAt") or "",
        target=_target(document.get("target")),
        client=_client(document.get("client")),
        path_prefix=_said(document, "pathPrefix"),
        deployed=deployment_of(_content(deployed, "layers/deployed", read_file), "layers/deployed")
        if deployed
        else None,
        wire=tuple(_recordings(layers.get("wire"), read_file)),
        expected_tools=_names(document.get("expectedTools")),
        unobserved=_reasons(document.get("unobserved")),
        notes=(
            *_names(document.get("notes")),
            *(f"the bundle has a layer {name!r} that is not known, and it was passed over" for name in unknown),
        ),
        manifest=seen.get("manifest"),
        origin=seen.get("origin"),
        path=seen.get("path"),
        registry=seen.get("registry"),
        model=seen.get("model"),
        baseline=seen.get("baseline"),
    )


_SURFACES: tuple[LayerName, ...] = ("manifest", "origin", "path", "registry", "model", "baseline")


def _surface(value: Any, layer: LayerName, read_file: ReadFile) -> Observation:
    where = f"layers/{layer}"
    return observation_of(_content(value, where, read_file), layer, where)


def _content(value: Any, where: str, read_file: ReadFile) -> Any:
    """Return what a layer holds: it stands inline, or in a file beside the bundle."""
    if isinstance(value, Mapping) and "inline" in value:
        return value["inline"]
    name = _file(value, where)
    try:
        return parse_json(read_file(name), max_depth=DEPTH).value
    except JsonError as error:
        raise InputError(f"{where}: the bundle's {name[:80]!r} cannot be read: {error}") from error


def _file(value: Any, where: str) -> str:
    name = value.get("file") if isinstance(value, Mapping) else None
    if not isinstance(name, str):
        raise InputError(f'{where}: expected {{"inline": …}} or {{"file": "…"}}')
    return name


def _recordings(value: Any, read_file: ReadFile) -> Iterator[Recording]:
    """Yield the recordings: one, or a list of them."""
    if value is None:
        return
    for place, each in enumerate(value if isinstance(value, list) else [value]):
        where = f"layers/wire/{place}" if isinstance(value, list) else "layers/wire"
        if isinstance(each, Mapping) and "inline" in each:
            if not isinstance(each["inline"], list):
                raise InputError(f"{where}: expected the list of the recording's lines")
            yield Recording.of_objects(each["inline"], source=where)
        else:
            name = _file(each, where)
            yield Recording.of_lines(read_file(name).split(b"\n"), source=name)


def _target(value: Any) -> Target:
    said = value if isinstance(value, Mapping) else {}
    endpoint = _said(said, "endpoint") or _said(said, "command") or ""
    stdio = said.get("transport") == "stdio"
    identity = _said(said, "id") or endpoint.partition("://")[2].partition("?")[0] or endpoint or "unknown"
    return Target(id=identity, transport="stdio" if stdio else "http", endpoint=endpoint)


def _client(value: Any) -> ClientEntry | None:
    if not isinstance(value, Mapping) or not isinstance(value.get("id"), str):
        return None
    return ClientEntry(
        id=value["id"],
        version=_said(value, "version"),
        server_key=_said(value, "serverKey"),
        other_server_keys=_names(value.get("otherServerKeys")),
        allow=_names(value.get("allow")),
        deny=_names(value.get("deny")),
        approve=_names(value.get("approve")),
    )


def _reasons(value: Any) -> dict[LayerName, str]:
    """Return why layers were not observed, as the observer said it."""
    said = value if isinstance(value, Mapping) else {}
    return {layer: said[layer][:500] for layer in LAYERS if isinstance(said.get(layer), str)}


def _names(value: Any) -> tuple[str, ...]:
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()


def _said(value: Mapping[str, Any], key: str) -> str | None:
    found = value.get(key)
    return found if isinstance(found, str) else None
