"""Measured by `python scripts/measure_clients.py mcp-python-1`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="mcp-python",
    version="1.30.0",
    date="2026-11-30",
    setup="mcp-python-1",
    how="",
    results=(
        Result("era", "no", "2025-11-25"),
        Result("pages", "no", "1 of 3 pages"),
        Result("aggregates", "no", "it holds 1 of 3 tools"),
        Result("empty-cursor", "yes", "asks for nothing behind it, and holds every tool"),
        Result("repeated-cursor", "not-shown", "it follows no cursor"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "no", "not in 11 s, and holds the old list"),
        Result("undeclared", "no", "not in 11 s, and holds the old list"),
        Result("early", "not-shown", "it asks for no list after a signal"),
        Result("storm", "not-shown", "it asks for no list as long as the storm lasts (for 80 signals)"),
        Result("failed-refresh", "not-shown", "it asks for no list after a signal"),
        Result("ttl", "not-shown", "a list of the handshake era carries no TTL"),
        Result("lost-session", "no", "was refused 2 times, and did not shake hands anew"),
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
