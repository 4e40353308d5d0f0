"""Measured by `python scripts/measure_clients.py codex`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="codex",
    version="0.171.0",
    date="2026-11-30",
    setup="codex",
    how="a thread of its app-server, no model turn",
    results=(
        Result("era", "no", "2025-06-18"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "no", 'asks with "", after 2 requests, and holds none of 3 tools'),
        Result("repeated-cursor", "no", "stops at the repeat, after 2 requests, and holds none of 3 tools"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "no", "not in 11 s, and holds the old list"),
        Result("undeclared", "no", "not in 11 s, and holds the old list"),
        Result("early", "not-shown", "it asks for no list after a signal"),
        Result("storm", "not-shown", "it asks for no list as long as the storm lasts (for 79 signals)"),
        Result("failed-refresh", "not-shown", "it asks for no list after a signal"),
        Result("ttl", "not-shown", "a list of the handshake era carries no TTL"),
        Result("lost-session", "yes", "shook hands anew, and kept the list that it had"),
        Result("schema-no-schema", "no", "drops every tool"),
        Result("schema-array-schema", "yes", "keeps all"),
        Result("schema-boolean-schema", "no", "drops every tool"),
        Result("schema-boolean-property", "yes", "keeps all"),
        Result("schema-items-list", "yes", "keeps all"),
        Result("schema-dangling-ref", "yes", "keeps all"),
        Result("schema-root-any-of", "yes", "keeps all"),
        Result("schema-description-number", "no", "drops every tool"),
    ),
)
