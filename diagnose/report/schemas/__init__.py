"""The published JSON Schema of every JSON document: `explain --json-schema NAME`, and what the tests hold the documents to.

The words in them (layers, impacts, states) come from the types that the documents are made of. Objects are left open, as a
later version may say more; a key, once published, keeps its meaning.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from diagnose.errors import UsageError
from diagnose.report.schemas import bench, clients, diagnosis, events, past, plan, sessions, steps, tables

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Each document by its name, as in `"schema": "diagnose.diff/1"`.
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "diagnosis/1": diagnosis.DIAGNOSIS,
    "health/1": steps.HEALTH,
    "version/1": steps.VERSION,
    "manifest/1": steps.MANIFEST,
    "revision/1": steps.REVISION,
    "diff/1": diagnosis.DIFF,
    "snapshots/1": past.SNAPSHOTS,
    "lock/1": past.LOCK,
    "plan/1": plan.PLAN,
    "event/1": events.EVENT,
    "live/1": sessions.LIVE,
    "clients/1": clients.CLIENTS,
    "names/1": clients.NAMES,
    "bench/1": bench.BENCH,
    "auth/1": tables.AUTH,
    "quarantine/1": tables.QUARANTINE,
    "faults/1": tables.FAULTS,
    "serving/1": tables.SERVING,
    "explain/1": tables.EXPLAIN,
}


def schema_of(name: str) -> dict[str, Any]:
    """Return the schema of a document: `diagnosis`, `diagnosis/1` or `diagnose.diagnosis/1`. Raises `UsageError`."""
    asked = name.strip().removeprefix("diagnose.")
    key = asked if "/" in asked else f"{asked}/1"
    if key not in SCHEMAS:
        raise UsageError(f"no JSON document is named {name!r}", advice=f"There are {', '.join(SCHEMAS)}.")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:diagnose:{key.replace('/', ':')}",
        "title": f"diagnose.{key}",
        **SCHEMAS[key],
    }


def schema_json(name: str) -> str:
    """Return the schema as JSON text. Raises `UsageError` for a name that no document has."""
    return json.dumps(schema_of(name), ensure_ascii=False, indent=2)
