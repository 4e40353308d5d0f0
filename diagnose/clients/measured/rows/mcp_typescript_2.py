"""Measured by `python scripts/measure_clients.py mcp-typescript-2`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="mcp-typescript",
    version="2.4.0",
    date="2026-11-30",
    setup="mcp-typescript-2",
    how="with its option listChanged",
    results=(
        Result("era", "no", "2025-11-25"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "yes", 'asks with "", after 2 requests, and holds every tool'),
        Result("repeated-cursor", "yes", "stops at the repeat, after 3 requests, and holds every tool"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "yes", "0.3 s after the signal, and holds the new list"),
        Result("undeclared", "no", "not in 11 s, and holds the old list"),
        Result("early", "no", "asked once, and keeps the list from before the change"),
        Result("storm", "not-shown", "it asks for no list as long as the storm lasts (for 80 signals)"),
        Result("failed-refresh", "yes", "asked once in vain, and holds 3 of 3 tools"),
        Result("ttl", "not-shown", "a list of the handshake era carries no TTL"),
        Result("lost-session", "no", "was refused 3 times, and did not shake hands anew"),
        Result("schema-no-schema", "no", "drops every tool"),
        Result("schema-array-schema", "no", "drops every tool"),
        Result("schema-boolean-schema", "no", "drops every tool"),
        Result("schema-boolean-property", "yes", "keeps all"),
        Result("schema-items-list", "yes", "keeps all"),
        Result("schema-dangling-ref", "yes", "keeps all"),
        Result("schema-root-any-of", "yes", "keeps all"),
        Result("schema-description-number", "no", "drops every tool"),
    ),
)
