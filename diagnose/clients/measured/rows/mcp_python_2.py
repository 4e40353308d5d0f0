"""Measured by `python scripts/measure_clients.py mcp-python-2`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="mcp-python",
    version="2.3.0",
    date="2026-11-30",
    setup="mcp-python-2",
    how="",
    results=(
        Result("era", "yes", "2026-07-28"),
        Result("pages", "no", "1 of 3 pages"),
        Result("aggregates", "no", "it holds 1 of 3 tools"),
        Result("empty-cursor", "yes", "asks for nothing behind it, and holds every tool"),
        Result("repeated-cursor", "not-shown", "it follows no cursor"),
        Result("listens", "no", "neither GET nor subscriptions/listen"),
        Result("declared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("undeclared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("early", "not-shown", "it opened no channel to be told on"),
        Result("storm", "not-shown", "it opened no channel for the storm"),
        Result("failed-refresh", "not-shown", "it opened no channel to be told on"),
        Result("ttl", "yes", "keeps the list within it, and lists again after it"),
        Result("lost-session", "no", "was refused 2 times, and did not shake hands anew"),
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
