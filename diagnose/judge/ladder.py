"""The ladder as rows: what each layer showed, or why it was not observed (contract, Diagnosis)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diagnose.evidence.bundle import Bundle
from diagnose.evidence.observation import LADDER, Deployment, LayerName, Observation
from diagnose.judge.told import sdk_version
from diagnose.judge.walks import surface_of

if TYPE_CHECKING:
    from diagnose.judge.timeline import Timeline

_NOT_OBSERVED: dict[LayerName, str] = {
    "deployed": "no endpoint told the build",
    "manifest": "there is no manifest",
    "origin": "the server was not asked",
    "path": "no gateway or other path was named",
    "wire": "no recording was given",
    "registry": "no client was named",
    "model": "no view of the model was given",
}


def rows(bundle: Bundle, timelines: Sequence[Timeline] = ()) -> tuple[Mapping[str, Any], ...]:
    """Return a row for each layer, and one for the past if there is one; what is not known is None."""
    found = [_wire(timelines) if layer == "wire" and timelines else _row(bundle, layer) for layer in LADDER]
    if bundle.baseline is not None:
        found.append(_list_row("baseline", bundle.baseline))
    return tuple(found)


def why_not(bundle: Bundle, layer: LayerName) -> str:
    """Return why a layer was not observed, as the observer said it, or in general."""
    return bundle.unobserved.get(layer, _NOT_OBSERVED.get(layer, "nobody looked"))


def _row(bundle: Bundle, layer: LayerName) -> Mapping[str, Any]:
    if layer == "deployed" and bundle.deployed is not None:
        return _deployed(bundle.deployed, sdk_version(bundle))
    seen: Observation | None = getattr(bundle, layer) if layer not in {"deployed", "wire"} else None
    if seen is None:
        return _unobserved(layer, why_not(bundle, layer))
    return _list_row(layer, seen)


def _unobserved(layer: LayerName, why: str) -> Mapping[str, Any]:
    return {"layer": layer, "observed": False, "why": why}


def _deployed(seen: Deployment, sdk: str | None) -> Mapping[str, Any]:
    """Return the row of the build; ``sdk`` is a version in it that is that of an SDK, and not the server's."""
    build = seen.observed
    if build is not None and sdk is not None and build.version == sdk:
        build = replace(build, version=None)
    if build is None or not (build.version or build.build or build.started_at or build.health in {"ok", "degraded"}):
        none = "no endpoint told the build"
        why = seen.failure.message if seen.failure is not None else none
        if sdk is not None:
            why = f"{none}, and the version in serverInfo, {sdk}, is that of the MCP SDK"
        return {**_unobserved("deployed", why), "health": build.health if build is not None else None}
    return {
        "layer": "deployed",
        "observed": True,
        "source": seen.source or build.source,
        "health": build.health,
        "version": build.version,
        "build": build.build,
    }


def _list_row(layer: LayerName, seen: Observation) -> Mapping[str, Any]:
    surface = surface_of(seen)
    if surface is None:
        why = seen.failure.message if seen.failure is not None else "the list was not read to its end"
        return _unobserved(layer, why)
    row: dict[str, Any] = {"layer": layer, "observed": True, "source": seen.source}
    if layer == "baseline":
        row["at"] = seen.at
    if layer != "manifest":
        row |= {"era": seen.era, "protocolVersion": seen.protocol_version}
    if layer == "origin":
        row["pages"] = len(seen.pages) or None
    row |= {"count": surface.count, "revision": surface.revision, "digest": surface.digest}
    if layer == "origin":
        row |= dict(_said(seen))
    return row


def _wire(timelines: Sequence[Timeline]) -> Mapping[str, Any]:
    """Return the row of the recordings: how much crossed, and the list that the client last read to its end."""
    sessions = [session for line in timelines for session in line.sessions]
    clients = [client for line in timelines for client in line.clients]
    held = next((client.held for client in reversed(clients) if client.held is not None), None)
    surface = held.surface if held is not None else None
    return {
        "layer": "wire",
        "observed": True,
        "source": ", ".join(dict.fromkeys(line.source for line in timelines if line.source)) or "recording",
        "era": next((session.era for session in reversed(sessions) if session.era is not None), None),
        "protocolVersion": next((session.version for session in reversed(sessions) if session.version), None),
        "clients": [client.name for client in clients[:100]],
        "sessions": len(sessions),
        "lists": sum(session.walks.total for session in sessions),
        "signals": sum(session.signals.total for session in sessions),
        "count": surface.count if surface is not None else None,
        "revision": surface.revision if surface is not None else None,
        "digest": surface.digest if surface is not None else None,
    }


def _said(seen: Observation) -> Iterator[tuple[str, Any]]:
    said = seen.advertised
    handshake = said.initialize if said.initialize is not None else said.initialize_meta
    yield "advertised", {"initialize": handshake, "list": said.list, "count": said.count}
    yield "listChanged", _list_changed(seen.capabilities)
    yield "ttlMs", seen.ttl_ms
    yield "cacheScope", seen.cache_scope


def _list_changed(capabilities: Mapping[str, Any] | None) -> bool | None:
    if capabilities is None:
        return None
    tools = capabilities.get("tools")
    return isinstance(tools, Mapping) and tools.get("listChanged") is True
