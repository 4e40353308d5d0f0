"""A bundle as the files that it is written as: `bundle.json`, and a file for each layer (contract, Bundle)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from diagnose.evidence.bundle import Bundle, ClientEntry
from diagnose.evidence.bundle_form import SCHEMA
from diagnose.evidence.layer_document import Clean, deployment_document, observation_document
from diagnose.evidence.observation import LayerName

_SURFACES: tuple[LayerName, ...] = ("manifest", "origin", "path", "registry", "model", "baseline")


def bundle_files(bundle: Bundle, recordings: Sequence[bytes], *, entry: Clean, value: Clean) -> dict[str, bytes]:
    """Return the files of a bundle by name.

    ``recordings`` are those of its wire layer, as lines that are clean already; ``entry`` takes credentials out of a tool
    definition, and ``value`` out of everything else. The same evidence gives the same bytes.
    """
    layers: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    if bundle.deployed is not None:
        layers["deployed"] = _file(files, "deployed.json", deployment_document(bundle.deployed, value))
    for name in _SURFACES:
        seen = getattr(bundle, name)
        if seen is not None:
            layers[name] = _file(files, f"{name}.json", observation_document(seen, entry, value))
    wire = []
    for place, lines in enumerate(recordings, start=1):
        kept = "wire.jsonl" if len(recordings) == 1 else f"wire-{place}.jsonl"
        files[kept] = lines
        wire.append({"file": kept})
    if wire:
        layers["wire"] = wire
    return {"bundle.json": _json(_document(bundle, layers, value)), **files}


def _document(bundle: Bundle, layers: Mapping[str, Any], value: Clean) -> dict[str, Any]:
    target = {"id": bundle.target.id, "transport": bundle.target.transport, "endpoint": bundle.target.endpoint}
    told = {
        "target": target,
        "client": None if bundle.client is None else _client(bundle.client),
        "pathPrefix": bundle.path_prefix,
        "expectedTools": list(bundle.expected_tools) or None,
        "unobserved": dict(bundle.unobserved) or None,
        "notes": list(bundle.notes) or None,
    }
    clean = value({key: what for key, what in told.items() if what is not None})
    return {"schema": SCHEMA, "createdAt": bundle.created_at, **clean, "layers": layers}


def _client(client: ClientEntry) -> dict[str, Any]:
    told = {
        "id": client.id,
        "version": client.version,
        "serverKey": client.server_key,
        "otherServerKeys": list(client.other_server_keys) or None,
        "allow": list(client.allow) or None,
        "deny": list(client.deny) or None,
        "approve": list(client.approve) or None,
    }
    return {key: what for key, what in told.items() if what is not None}


def _file(files: dict[str, bytes], name: str, document: Mapping[str, Any]) -> dict[str, str]:
    files[name] = _json(document)
    return {"file": name}


def _json(document: Mapping[str, Any]) -> bytes:
    """Return a document as ASCII, so that no half character is lost; a NaN stands as JSON has it not."""
    return (json.dumps(document, indent=1) + "\n").encode()
