"""Measured by `python scripts/measure_clients.py ai-sdk`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="ai-sdk",
    version="2.0.99",
    date="2026-11-30",
    setup="ai-sdk",
    how="createMCPClient over http",
    results=(
        Result("era", "yes", "2026-07-28"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "no", "asks on and on: 1717 requests"),
        Result("repeated-cursor", "no", "asks on and on: 1798 requests"),
        Result("listens", "no", "neither GET nor subscriptions/listen"),
        Result("declared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("undeclared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("early", "not-shown", "it opened no channel to be told on"),
        Result("storm", "not-shown", "it opened no channel for the storm"),
        Result("failed-refresh", "not-shown", "it opened no channel to be told on"),
        Result("ttl", "no", "asks the server each time, within the TTL too"),
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
