"""One layer as it stands in a bundle that we write: the other direction of `layer_form`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from diagnose.evidence.observation import Build, Deployment, Failure, Observation, Page

Clean: TypeAlias = Callable[[Any], Any]
"""Takes credentials out of a JSON value."""


def observation_document(seen: Observation, entry: Clean, value: Clean) -> dict[str, Any]:
    """Return an observation as a layer of a bundle; ``entry`` cleans a tool definition, ``value`` everything else."""
    document = _reading(seen, entry, value)
    if seen.samples:
        document["samples"] = [_reading(sample, entry, value) for sample in seen.samples]
    return document


def _reading(seen: Observation, entry: Clean, value: Clean) -> dict[str, Any]:
    surface = seen.surface
    told: dict[str, Any] = {
        "complete": None if seen.complete else False,
        "at": seen.at,
        "source": seen.source,
        "principal": seen.principal,
        "session": seen.session,
        "era": seen.era,
        "protocolVersion": seen.protocol_version,
        "serverInfo": seen.server_info,
        "capabilities": seen.capabilities,
        "instructions": surface.instructions if surface is not None else None,
        "advertised": _advertised(seen),
        "ttlMs": seen.ttl_ms,
        "cacheScope": seen.cache_scope,
        "pages": [_page(page) for page in seen.pages] or None,
        "meta": seen.meta,
        "anomalies": [{"kind": each.kind, "where": each.where, "detail": each.detail} for each in seen.anomalies]
        or None,
        "error": _error(seen.failure),
        "turn": seen.turn,
        "servers": list(seen.servers) or None,
        "notes": list(seen.notes) or None,
    }
    document: dict[str, Any] = value({key: what for key, what in told.items() if what is not None})
    if surface is None:
        return document
    if surface.names_only:
        names = [tool.name for tool in surface.tools]
        return {**document, "tools": value(names), "namesOnly": True}
    hashes = {"revision": surface.revision, "digest": surface.digest}
    return {
        **document,
        **{key: text for key, text in hashes.items() if text is not None},
        "tools": [entry(each) for each in surface.raw_entries],
    }


def _advertised(seen: Observation) -> dict[str, Any] | None:
    said = seen.advertised
    every = {
        "initialize": said.initialize,
        "initializeMeta": said.initialize_meta,
        "list": said.list,
        "count": said.count,
    }
    return {key: what for key, what in every.items() if what is not None} or None


def _page(page: Page) -> dict[str, Any]:
    told = {
        "cursor": page.cursor,
        "nextCursor": page.next_cursor,
        "names": list(page.names),
        "ttlMs": page.ttl_ms,
        "cacheScope": page.cache_scope,
        "revision": page.revision,
        "count": page.count,
    }
    return {key: what for key, what in told.items() if what is not None}


def _error(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    told = {
        "rule": failure.rule,
        "message": failure.message,
        "code": failure.code,
        "status": failure.status,
        "where": failure.where or None,
        "args": dict(failure.args) or None,
    }
    return {key: what for key, what in told.items() if what is not None}


def deployment_document(seen: Deployment, value: Clean) -> dict[str, Any]:
    """Return the `deployed` layer of a bundle."""
    observed = None if seen.observed is None else _build(seen.observed)
    if observed is not None and seen.source:
        observed["source"] = seen.source
    if observed is not None and len(seen.samples) > 1:
        observed["samples"] = [_build(sample) for sample in seen.samples]
    told = {
        "expected": None if seen.expected is None else _build(seen.expected),
        "observed": observed,
        "error": _error(seen.failure),
        "notes": list(seen.notes) or None,
    }
    document: dict[str, Any] = value({key: what for key, what in told.items() if what is not None})
    return document


def _build(build: Build) -> dict[str, Any]:
    told: Mapping[str, Any] = {
        "source": build.source or None,
        "health": build.health,
        "version": build.version,
        "build": build.build,
        "at": build.at,
        "startedAt": build.started_at,
    }
    return {key: what for key, what in told.items() if what is not None}
