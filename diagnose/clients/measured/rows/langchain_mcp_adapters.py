"""Measured by `python scripts/measure_clients.py langchain-mcp-adapters`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="langchain-mcp-adapters",
    version="0.3.2",
    date="2026-11-30",
    setup="langchain-mcp-adapters",
    how="load_mcp_tools of one session",
    results=(
        Result("era", "no", "2025-11-25"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "yes", "asks for nothing behind it, and holds every tool"),
        Result("repeated-cursor", "no", "asks on and on: 1000 requests"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "no", "not in 12 s, and holds the old list"),
        Result("undeclared", "no", "not in 12 s, and holds the old list"),
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
