"""Snapshots as a document that goes from machine to machine: `diagnose.snapshots/1`, with the definitions in it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from diagnose.errors import InputError, UsageError
from diagnose.evidence.bundle import Target
from diagnose.store.body import Body
from diagnose.store.record import Record, record_document, with_said
from diagnose.store.snapshot import Snapshot, identified
from diagnose.surface import JsonError, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMA = "diagnose.snapshots/1"

#: The largest document that is taken in. A snapshot of 10,000 tools has about 10 MB, and shares what did not change.
MAX_BYTES = 256 * 1024 * 1024

# Definitions stand deeper in the document than they did when their own depth was bounded.
_DEPTH = 136
_SHA256 = re.compile(r"[0-9a-f]{64}")


def document(snapshots: Iterable[Snapshot]) -> dict[str, Any]:
    """Return the document: snapshots by time, then the definitions that their `entries` name, each once, by hash.

    A definition stands as `body`; one that strict JSON cannot express (a NaN) stands as `text`.
    """
    ordered = sorted(snapshots, key=lambda snapshot: (snapshot.record.at, snapshot.id))
    bodies = {body.hash: body for snapshot in ordered for body in snapshot.bodies}
    return {
        "schema": SCHEMA,
        "snapshots": [
            {**record_document(each.record), "entries": [body.hash for body in each.bodies]} for each in ordered
        ],
        "definitions": {key: _definition(bodies[key]) for key in sorted(bodies)},
    }


def write_document(snapshots: Iterable[Snapshot]) -> bytes:
    """Return the document as JSON to read and to keep: the same snapshots give the same bytes. Strict, and ASCII."""
    return (json.dumps(document(snapshots), indent=1, allow_nan=False) + "\n").encode()


def read_document(data: bytes, source: str) -> tuple[Snapshot, ...]:
    """Return the snapshots of a document; ``source`` names it in what is said of it.

    Raises `InputError` where it is none, or was altered since it was written.
    """
    try:
        parsed = parse_json(data, max_bytes=MAX_BYTES, max_depth=_DEPTH).value
    except JsonError as error:
        raise InputError(f"{source} cannot be read: {error}") from error
    if not isinstance(parsed, dict) or parsed.get("schema") != SCHEMA:
        raise InputError(
            f"{source} holds no snapshots: expected a document {SCHEMA}, got another",
            advice="Give the output of `snapshot export`.",
        )
    return snapshots_of(parsed)


def snapshots_of(parsed: Mapping[str, Any]) -> tuple[Snapshot, ...]:
    """Return the snapshots of a document that was parsed; see `read_document`."""
    if "definitions" not in parsed:
        raise InputError("these snapshots come without definitions", advice="Use the output of `snapshot export`.")
    try:
        bodies = {key: _body(key, entry) for key, entry in parsed["definitions"].items()}
        return tuple(_snapshot(each, bodies) for each in parsed["snapshots"])
    except InputError:
        raise
    except (UsageError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"the document {SCHEMA} is not complete: {type(error).__name__}: {error}") from error


def _definition(body: Body) -> dict[str, Any]:
    parsed = parse_json(body.text, max_bytes=len(body.text), max_depth=_DEPTH)
    if any(defect.kind == "non-finite-number" for defect in parsed.defects):
        return {"text": body.text}
    return {"body": parsed.value}


def _body(key: str, entry: Mapping[str, Any]) -> Body:
    body = Body(key, entry["text"]) if "text" in entry else Body.of(entry["body"])
    if body.hash != key or not body.intact:
        raise InputError(f"the definition {key[:12]} was altered: it has not the hash that it goes by")
    return body


def _snapshot(entry: Mapping[str, Any], bodies: Mapping[str, Body]) -> Snapshot:
    snapshot = identified(_record(entry), tuple(bodies[key] for key in entry["entries"]))
    if snapshot.id != entry["id"]:
        raise InputError(f"the snapshot {entry['id']!r} was altered: what it holds has the id {snapshot.id}")
    surface, record = snapshot.surface(), snapshot.record
    if (surface.digest, surface.revision, surface.count) != (record.digest, record.revision, record.count):
        raise InputError(f"the snapshot {snapshot.id} was altered: its digest or revision is not that of its tools")
    return snapshot


def _record(entry: Mapping[str, Any]) -> Record:
    """Return the record in an entry; raises `InputError` for a value of a type that nothing of ours would write."""
    target = entry["target"]
    _hold(target["transport"] in {"http", "stdio"}, "target.transport")
    _hold(entry["era"] in {"modern", "legacy", None}, "era")
    for key in ("complete", "instructionsRedacted"):
        _hold(isinstance(entry[key], bool), key)
    _hold(isinstance(entry["count"], int), "count")
    for key in ("revision", "digest"):
        _hold(entry[key] is None or (isinstance(entry[key], str) and bool(_SHA256.fullmatch(entry[key]))), key)
    for key in ("protocolVersion", "instructions"):
        _hold(entry[key] is None or isinstance(entry[key], str), key)
    for key in ("serverInfo", "capabilities"):
        _hold(entry[key] is None or isinstance(entry[key], dict), key)
    record = Record(
        target=Target(id=target["id"], transport=target["transport"], endpoint=target["endpoint"]),
        principal=entry["principal"],
        at=entry["at"],
        source=entry["source"],
        era=entry["era"],
        complete=entry["complete"],
        revision=entry["revision"],
        digest=entry["digest"],
        count=entry["count"],
    )
    return with_said(record, entry)


def _hold(condition: bool, what: str) -> None:
    if not condition:
        raise InputError(f"the document {SCHEMA} has no valid {what}")
