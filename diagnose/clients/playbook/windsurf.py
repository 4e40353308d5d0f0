"""Windsurf's Cascade."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Limits, Statement, View

_REPORTS = "user reports, 2025"

CLIENT = Client(
    id="windsurf",
    name="Windsurf",
    wire_names=("windsurf-client", "windsurf"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    cursors=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    modern=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    refresh=(
        Statement(text="Press Refresh on the page Manage MCPs.", source=_REPORTS, confidence="medium"),
        Statement(text="Quit Windsurf and start it again.", source=_REPORTS, confidence="medium"),
    ),
    verify=(
        Statement(
            text="Manage MCPs shows the number of tools that the server lists.", source=_REPORTS, confidence="medium"
        ),
    ),
    limits=Limits(
        tools=100,
        statement=Statement(
            text="At most 100 tools at once; 50 in early 2025.",
            source="Zhwt/go-mcp-mysql#3; user reports",
            confidence="medium",
        ),
    ),
    views=(
        View(
            kind="screen",
            what="Manage MCPs",
            shows="servers and their tools",
            session="running",
            source=_REPORTS,
            confidence="medium",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{home}/.codeium/windsurf/mcp_config.json"),
            form="json",
            keys=("mcpServers",),
            scope="user",
            deny=("disabledTools",),
            official=False,
        ),
    ),
    notes=(
        Statement(
            text="A server with the resource capability was listed with no tools.",
            source="modelcontextprotocol/swift-sdk#131",
            confidence="medium",
        ),
    ),
    reports=("Zhwt/go-mcp-mysql#3", "modelcontextprotocol/swift-sdk#131"),
)
