"""Cursor, the editor and its command line."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Limits, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import cursor

_CLI = "cursor.com/docs/cli/mcp"

CLIENT = Client(
    id="cursor",
    name="Cursor",
    wire_names=("cursor-vscode", "cursor", "cursor-agent"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(
        answer="unknown",
        text="In 2025 tools changed only by its refresh icon or toggle; no version is documented to honour list_changed.",
        source="cursor/cursor#2980; iMCP#13",
        confidence="medium",
    ),
    cursors=Behaviour(
        answer="unknown",
        text="Not documented; its command line asked without end when a server sent an empty cursor.",
        source="cccc PR#50",
        confidence="medium",
    ),
    modern=Behaviour(answer="unknown", text="Nothing is published.", source="Rul1an/assay#2483", confidence="medium"),
    refresh=(
        Statement(
            text="In Settings, Customize, MCPs switch the server off and on again, or press its refresh icon.",
            source="cursor/cursor#2980",
            confidence="medium",
        ),
        Statement(text="Reload the window.", source="Meridian's table of clients", confidence="medium"),
        Statement(
            text="For a server of a project, open that folder in an editor window: its servers load only there.",
            source="firecrawl-docs PR#1424",
            confidence="medium",
        ),
    ),
    verify=(
        Statement(
            text="`agent mcp list-tools <identifier>` names the new tools: that is a connection of its own, so compare the panel, too.",
            source=_CLI,
            confidence="high",
        ),
        Statement(
            text="MCP Logs has a line `listOfferings: Found N tools` after the refresh.",
            source="user reports, 2025",
            confidence="medium",
        ),
    ),
    limits=Limits(
        tools=40,
        statement=Statement(
            text="At most 40 tools were offered in versions of 2025; a warning comes where server and tool are longer than 60 characters together.",
            source="user reports, 2025",
            confidence="medium",
        ),
    ),
    naming=Naming(rule=cursor, pattern="mcp_<server>_<tool>", limit=64, refuses_longer=True),
    views=(
        View(
            kind="command",
            what="agent mcp list-tools <identifier>",
            shows="names, descriptions, parameters with their types; text, no documented JSON",
            session="new",
            source=_CLI,
            confidence="high",
        ),
        View(
            kind="command",
            what="agent mcp list",
            shows="name, state, source and transport of each server",
            session="new",
            source=_CLI,
            confidence="high",
        ),
        View(
            kind="log",
            what="Output panel, MCP Logs; …/Cursor/logs/<time>/window1/exthost/anysphere.cursor-…/MCP Logs.log",
            shows="connections and the number of tools found",
            session="running",
            source="user reports, 2025",
            confidence="medium",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{project}/.cursor/mcp.json"),
            form="json",
            keys=("mcpServers",),
            scope="project",
        ),
        ConfigFile(paths=everywhere("{home}/.cursor/mcp.json"), form="json", keys=("mcpServers",), scope="user"),
    ),
    notes=(
        Statement(
            text="A server that is new in Cursor 3 starts disabled.",
            source="firecrawl-docs PR#1424",
            confidence="medium",
        ),
        Statement(
            text="It opens a GET stream after initialize and expects 405 where there is none.",
            source="mcp-proxy PR#62",
            confidence="medium",
        ),
    ),
    reports=("cursor/cursor#2980", "cursor/cursor#3861"),
)
