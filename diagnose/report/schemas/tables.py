"""The schemas of the small documents: `auth/1`, `faults/1`, `serving/1`, `explain/1` and `quarantine/1`."""

from __future__ import annotations

from diagnose.report.schemas.parts import (
    BOOL,
    COUNT,
    ERA,
    MOMENT,
    STAMP,
    TEXT,
    described,
    document,
    nullable,
    record,
    rows,
    words,
)

AUTH = document(
    "auth/1",
    {
        "tool": STAMP,
        "action": words(("set", "status", "remove")),
        "origins": rows(
            record(
                origin=TEXT,
                uses=TEXT,
                why=nullable(TEXT),
                sources=rows(
                    record(
                        source=TEXT,
                        present=described(nullable(BOOL), "Null where it was not looked at."),
                        fingerprint=described(nullable(TEXT), "Keyed; never the value."),
                        why=nullable(TEXT),
                    )
                ),
            )
        ),
    },
)
FAULTS = document(
    "faults/1",
    {"faults": rows(record(name=TEXT, breaks=TEXT, eras=rows(ERA), transports=rows(words(("http", "stdio")))))},
)
SERVING = document(
    "serving/1",
    {"url": TEXT, "pid": {"type": "integer"}, "fault": nullable(TEXT)},
)
_TOPICS = {
    "type": "object",
    "additionalProperties": rows(record(name=TEXT, summary=TEXT)),
}
EXPLAIN = {
    **document(
        "explain/1",
        {"tool": STAMP},
        {
            "name": TEXT,
            "kinds": rows(TEXT),
            "facts": {"type": "object", "additionalProperties": TEXT},
            "topics": described(_TOPICS, "All names that can be explained, by kind."),
        },
    ),
    "oneOf": [{"required": ["name", "kinds", "facts"]}, {"required": ["topics"]}],
}
_STATES = ("planned", "quarantined", "restored", "not-moved", "missing")
QUARANTINE = document(
    "quarantine/1",
    {
        "tool": STAMP,
        "action": words(("move", "list", "restore")),
        "done": described(BOOL, "Whether anything was moved; without --yes nothing is."),
        "moves": rows(
            record(
                id=described(nullable(TEXT), "What `quarantine restore` takes; null where nothing was moved yet."),
                state=described(words(_STATES), "As the folder shows it now."),
                path=TEXT,
                backup=described(TEXT, "A sibling of the path."),
                kind=words(("file", "folder")),
                files=described(COUNT, "Files, links and folders, itself included."),
                bytes=COUNT,
                reason=TEXT,
                movedAt=nullable(MOMENT),
                restoredAt=nullable(MOMENT),
                client=described(nullable(TEXT), "In whose own folder it lies, where that is known."),
                notes=rows(TEXT),
            )
        ),
    },
)
