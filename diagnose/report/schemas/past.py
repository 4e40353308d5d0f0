"""The schemas of what is kept: `snapshots/1` and `lock/1`."""

from __future__ import annotations

from diagnose.report.schemas.parts import (
    BOOL,
    COUNT,
    ERA,
    MOMENT,
    RECEIVED,
    SHA256,
    STAMP,
    TARGET,
    TEXT,
    described,
    document,
    nullable,
    record,
    rows,
)

_OBJECT = {"type": "object"}
_RECORD = record(
    {
        "tools": described(rows(RECEIVED), "The definitions, where one snapshot is shown."),
        "entries": described(rows(SHA256), "Of an export: the hashes of its definitions, in the server's order."),
    },
    id={"type": "string", "pattern": "^[0-9a-f]{12}$"},
    target=TARGET,
    principal={"type": "string", "pattern": "^(none|fp:[0-9a-f]{8,64})$"},
    at=MOMENT,
    source=TEXT,
    era=nullable(ERA),
    complete=BOOL,
    revision=nullable(SHA256),
    digest=nullable(SHA256),
    count=COUNT,
    protocolVersion=nullable(TEXT),
    serverInfo=nullable(_OBJECT),
    capabilities=nullable(_OBJECT),
    instructions=nullable(TEXT),
    instructionsRedacted=BOOL,
    advertised=record(initialize=RECEIVED, initializeMeta=RECEIVED, list=RECEIVED, count=RECEIVED),
    ttlMs=RECEIVED,
    cacheScope=RECEIVED,
)
_DEFINITION = {
    "anyOf": [
        record(body=RECEIVED),
        record(text=described(TEXT, "A definition that strict JSON cannot express.")),
    ]
}

SNAPSHOTS = document(
    "snapshots/1",
    {"snapshots": rows(_RECORD)},
    {
        "tool": STAMP,
        "added": described(COUNT, "Of an import: how many are new."),
        "removed": described(BOOL, "Of a prune: whether they are gone, or would go."),
        "definitions": described(
            {
                "type": "object",
                "propertyNames": {"pattern": "^[0-9a-f]{64}$"},
                "additionalProperties": _DEFINITION,
            },
            "Of an export: each definition once, by its hash.",
        ),
    },
)

LOCK = document(
    "lock/1",
    {
        "revision": nullable(SHA256),
        "digest": SHA256,
        "count": COUNT,
        "capabilities": nullable(record({"tools": record(listChanged=BOOL)})),
        "instructions": nullable(TEXT),
        "tools": described(
            rows({**_OBJECT, "required": ["name"]}),
            "Whole definitions, sorted by name; a redacted one says so beside its $digest.",
        ),
        "integrity": described({"type": "string", "pattern": "^sha256-[0-9a-f]{64}$"}, "Over everything else in here."),
    },
    {"instructionsRedacted": BOOL},
)
