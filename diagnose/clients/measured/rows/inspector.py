"""Measured by `python scripts/measure_clients.py inspector`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="inspector",
    version="2.12.0",
    date="2026-11-30",
    setup="inspector",
    how="--cli --method tools/list",
    results=(
        Result("era", "no", "2025-11-25"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "yes", 'asks with "", after 2 requests, and holds every tool'),
        Result("repeated-cursor", "yes", "stops at the repeat, after 3 requests, and holds every tool"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "not-shown", "it ended before the list was changed"),
        Result("undeclared", "not-shown", "it ended before the list was changed"),
        Result("early", "not-shown", "it ended before the list was changed"),
        Result("storm", "not-shown", "too few signals came"),
        Result("failed-refresh", "not-shown", "it ended before the list was changed"),
        Result("ttl", "not-shown", "a list of the handshake era carries no TTL"),
        Result("lost-session", "not-shown", "it ended before its session did"),
        Result("schema-no-schema", "yes", "drops that tool alone"),
        Result("schema-array-schema", "yes", "drops that tool alone"),
        Result("schema-boolean-schema", "yes", "drops that tool alone"),
        Result("schema-boolean-property", "yes", "keeps all"),
        Result("schema-items-list", "yes", "keeps all"),
        Result("schema-dangling-ref", "yes", "keeps all"),
        Result("schema-root-any-of", "yes", "keeps all"),
        Result("schema-description-number", "yes", "drops that tool alone"),
    ),
)
