"""Measured by `python scripts/measure_clients.py claude-code-legacy`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="claude-code",
    version="2.1.197",
    date="2026-11-30",
    setup="claude-code-legacy",
    how="claude -p over stream-json, by mcp_status and mcp_reconnect, no model turn",
    results=(
        Result("era", "no", "2025-11-25"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "yes", "asks for nothing behind it, and holds every tool"),
        Result("repeated-cursor", "no", "asks on and on: 20 requests"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "yes", "at once, and holds the new list"),
        Result("undeclared", "no", "not in 11 s, and holds the old list"),
        Result("early", "no", "asked once, and keeps the list from before the change"),
        Result("storm", "no", "80 lists for 81 signals"),
        Result("failed-refresh", "yes", "asked 3 times in vain, and holds 3 of 3 tools"),
        Result("ttl", "not-shown", "a list of the handshake era carries no TTL"),
        Result("lost-session", "yes", "shook hands anew and listed"),
        Result("schema-no-schema", "no", "drops every tool"),
        Result("schema-array-schema", "no", "drops every tool"),
        Result("schema-boolean-schema", "no", "drops every tool"),
        Result("schema-boolean-property", "no", "drops every tool"),
        Result("schema-items-list", "yes", "keeps all"),
        Result("schema-dangling-ref", "yes", "keeps all"),
        Result("schema-root-any-of", "yes", "drops that tool alone"),
        Result("schema-description-number", "no", "drops every tool"),
    ),
)
