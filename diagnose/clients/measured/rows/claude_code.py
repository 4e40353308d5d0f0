"""Measured by `python scripts/measure_clients.py claude-code`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="claude-code",
    version="2.1.332",
    date="2026-11-30",
    setup="claude-code",
    how="claude -p over stream-json, by mcp_status and mcp_reconnect, no model turn",
    results=(
        Result("era", "yes", "2026-07-28"),
        Result("pages", "yes", "3 of 3 pages"),
        Result("aggregates", "yes", "it holds 3 of 3 tools"),
        Result("empty-cursor", "yes", 'asks with "", after 2 requests, and holds every tool'),
        Result("repeated-cursor", "yes", "stops at the repeat, after 2 requests, and holds every tool"),
        Result("listens", "yes", "subscriptions/listen"),
        Result("declared", "yes", "at once, and holds the new list"),
        Result("undeclared", "no", "it opened no channel to be told on, and holds the old list"),
        Result("early", "no", "asked once, and keeps the list from before the change"),
        Result("storm", "yes", "8 lists for 82 signals"),
        Result("failed-refresh", "yes", "asked 3 times in vain, and holds 3 of 3 tools"),
        Result("ttl", "no", "asks the server each time, within the TTL too"),
        Result("lost-session", "yes", "shook hands anew and listed"),
        Result("schema-no-schema", "no", "drops every tool"),
        Result("schema-array-schema", "no", "drops every tool"),
        Result("schema-boolean-schema", "no", "drops every tool"),
        Result("schema-boolean-property", "yes", "keeps all"),
        Result("schema-items-list", "yes", "keeps all"),
        Result("schema-dangling-ref", "yes", "keeps all"),
        Result("schema-root-any-of", "yes", "drops that tool alone"),
        Result("schema-description-number", "no", "drops every tool"),
    ),
)
