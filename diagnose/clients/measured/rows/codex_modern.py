"""Measured by `python scripts/measure_clients.py codex-modern`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="codex",
    version="0.171.0",
    date="2026-11-30",
    setup="codex-modern",
    how="a thread of its app-server, with feature flag and variable for 2026-07-28",
    results=(
        Result("era", "yes", "2026-07-28"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "no", 'asks with "", after 2 requests, and holds none of 3 tools'),
        Result("repeated-cursor", "no", "stops at the repeat, after 2 requests, and holds none of 3 tools"),
        Result("listens", "no", "neither GET nor subscriptions/listen"),
        Result("declared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("undeclared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("early", "not-shown", "it opened no channel to be told on"),
        Result("storm", "not-shown", "it opened no channel for the storm"),
        Result("failed-refresh", "not-shown", "it opened no channel to be told on"),
        Result("ttl", "no", "goes on with the old list after it"),
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
