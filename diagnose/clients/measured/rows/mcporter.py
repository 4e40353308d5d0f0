"""Measured by `python scripts/measure_clients.py mcporter`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="mcporter",
    version="0.12.3",
    date="2026-11-30",
    setup="mcporter",
    how="list URL --json",
    results=(
        Result("era", "no", "2025-11-25"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "yes", "asks for nothing behind it, and holds every tool"),
        Result("repeated-cursor", "no", "asks on and on: 286 requests"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "not-shown", "it ended before the list was changed"),
        Result("undeclared", "not-shown", "it ended before the list was changed"),
        Result("early", "not-shown", "it ended before the list was changed"),
        Result("storm", "not-shown", "too few signals came"),
        Result("failed-refresh", "not-shown", "it ended before the list was changed"),
        Result("ttl", "not-shown", "a list of the handshake era carries no TTL"),
        Result("lost-session", "not-shown", "it ended before its session did"),
        Result("schema-no-schema", "not-shown", "what it holds cannot be seen from outside"),
        Result("schema-array-schema", "not-shown", "what it holds cannot be seen from outside"),
        Result("schema-boolean-schema", "not-shown", "what it holds cannot be seen from outside"),
        Result("schema-boolean-property", "not-shown", "what it holds cannot be seen from outside"),
        Result("schema-items-list", "yes", "keeps all"),
        Result("schema-dangling-ref", "yes", "keeps all"),
        Result("schema-root-any-of", "yes", "keeps all"),
        Result("schema-description-number", "not-shown", "what it holds cannot be seen from outside"),
    ),
)
