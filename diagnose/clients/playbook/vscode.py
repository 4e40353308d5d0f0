"""Visual Studio Code with GitHub Copilot's agent mode."""

from __future__ import annotations

from functools import partial

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Limits, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import VSCODE_LIMIT, vscode, vscode_numbered

_DOCS = "microsoft/vscode-docs mcp-servers.md"
_SOURCE = "microsoft/vscode mcpServerRequestHandler.ts, 2025"

CLIENT = Client(
    id="vscode",
    name="VS Code",
    wire_names=("Visual Studio Code", "Visual Studio Code - Insiders", "vscode"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(
        answer="yes", text="A list_changed fires its tool-list event.", source=_SOURCE, confidence="high"
    ),
    cursors=Behaviour(
        answer="yes",
        text="It walks all pages while there is a nextCursor, so an empty or repeated cursor never ends.",
        source=_SOURCE,
        confidence="high",
    ),
    modern=Behaviour(answer="unknown", text="Not found in what was read.", source=_DOCS, confidence="low"),
    refresh=(
        Statement(text="MCP: List Servers, choose the server, Restart.", source=_DOCS, confidence="high"),
        Statement(text="MCP: Reset Cached Tools.", source=_DOCS, confidence="high"),
        Statement(text="Developer: Reload Window.", source=_DOCS, confidence="high"),
        Statement(
            text="Quit and start VS Code: in 1.107 only that was reported to help.",
            source="microsoft/vscode#284221",
            confidence="medium",
        ),
    ),
    verify=(
        Statement(
            text="The server's output has a line `Discovered N tools` after the restart, with the number that the server lists.",
            source="user logs, 2025",
            confidence="medium",
        ),
        Statement(
            text="Configure Tools shows the new tools; a stopped server goes on showing cached ones.",
            source=_DOCS,
            confidence="high",
        ),
    ),
    limits=Limits(
        tools=128,
        statement=Statement(
            text="At most 128 tools go into one request.", source="microsoft/vscode#245921", confidence="medium"
        ),
    ),
    naming=Naming(
        rule=vscode,
        pattern="mcp_<server, shortened>_<tool>",
        # Servers with one shortened label are numbered in the order in which they were found.
        others=(partial(vscode_numbered, number=2), partial(vscode_numbered, number=3)),
        limit=VSCODE_LIMIT,
    ),
    views=(
        View(
            kind="screen",
            what="Configure Tools",
            shows="tools of each server, cached or live",
            session="running",
            source=_DOCS,
            confidence="high",
        ),
        View(
            kind="log",
            what="MCP: List Servers, Show Output; logs/<time>/…/mcpServer.*.log",
            shows="connections, the number of tools, and at level Trace each message as JSON",
            session="running",
            source="user logs, 2025",
            confidence="medium",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{project}/.vscode/mcp.json"),
            form="json",
            keys=("servers",),
            scope="project",
        ),
        ConfigFile(
            paths={
                "linux": "{home}/.config/Code/User/mcp.json",
                "macos": "{home}/Library/Application Support/Code/User/mcp.json",
                "windows": "{appdata}/Code/User/mcp.json",
            },
            form="json",
            keys=("servers",),
            scope="user",
        ),
    ),
    notes=(
        Statement(
            text="A server that an extension provides is read again when the extension raises its version.",
            source=_DOCS,
            confidence="high",
        ),
        Statement(
            text="How exactly labels are shortened was read from a version of 2025.",
            source="microsoft/vscode mcpService.ts, 2025",
            confidence="low",
        ),
    ),
    reports=(
        "microsoft/vscode#243602",
        "microsoft/vscode#245921",
        "microsoft/vscode#256421",
        "microsoft/vscode#272530",
        "microsoft/vscode#284221",
        "github/copilot-cli#3125",
    ),
)
