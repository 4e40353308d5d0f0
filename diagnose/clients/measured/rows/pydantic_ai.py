"""Measured by `python scripts/measure_clients.py pydantic-ai`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="pydantic-ai",
    version="2.68.0",
    date="2026-11-30",
    setup="pydantic-ai",
    how="MCPToolset",
    results=(
        Result("era", "yes", "2026-07-28"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "yes", 'asks with "", after 2 requests, and holds every tool'),
        Result("repeated-cursor", "yes", "stops at the repeat, after 2 requests, and holds every tool"),
        Result("listens", "no", "neither GET nor subscriptions/listen"),
        Result("declared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("undeclared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("early", "not-shown", "it opened no channel to be told on"),
        Result("storm", "not-shown", "it opened no channel for the storm"),
        Result("failed-refresh", "not-shown", "it opened no channel to be told on"),
        Result("ttl", "no", "goes on with the old list after it"),
        Result("lost-session", "no", "was refused once, and did not shake hands anew"),
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
