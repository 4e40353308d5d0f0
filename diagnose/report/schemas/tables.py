"""The schemas of the small documents: `auth/1`, `faults/1`, `serving/1` and `explain/1`."""

from __future__ import annotations

from diagnose.report.schemas.parts import (
    BOOL,
    ERA,
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
