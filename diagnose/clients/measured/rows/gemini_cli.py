"""Measured by `python scripts/measure_clients.py gemini-cli`."""

from __future__ import annotations

from diagnose.clients.measured.row import Result, Row

ROW = Row(
    client="gemini-cli",
    version="0.61.0",
    date="2026-11-30",
    setup="gemini-cli",
    how="--acp, with a model of ours on loopback",
    results=(
        Result("era", "no", "2025-06-18"),
        Result("pages", "no", "1 of 3 pages"),
        Result("aggregates", "no", "it holds 1 of 3 tools"),
        Result("empty-cursor", "yes", "asks for nothing behind it, and holds every tool"),
        Result("repeated-cursor", "not-shown", "it follows no cursor"),
        Result("listens", "yes", "a GET stream"),
        Result("declared", "yes", "at once, 1 of 2 pages"),
        Result("undeclared", "yes", "at once, 1 of 2 pages"),
        Result("early", "yes", "asked 2 times, and was sent the new list then"),
        Result("storm", "yes", "58 lists for 141 signals"),
        Result("failed-refresh", "yes", "asked once in vain, and holds 3 of 3 tools"),
        Result("ttl", "not-shown", "a list of the handshake era carries no TTL"),
        Result("lost-session", "no", "was refused once, and did not shake hands anew"),
        Result("schema-no-schema", "no", "drops every tool"),
        Result("schema-array-schema", "no", "drops every tool"),
        Result("schema-boolean-schema", "no", "drops every tool"),
        Result("schema-boolean-property", "no", "drops every tool"),
        Result("schema-items-list", "yes", "keeps all"),
        Result("schema-dangling-ref", "yes", "keeps all"),
        Result("schema-root-any-of", "yes", "keeps all"),
        Result("schema-description-number", "no", "drops every tool"),
    ),
)
