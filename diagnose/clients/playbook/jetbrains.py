"""JetBrains AI Assistant and Junie."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Statement, View

_HELP = "JetBrains help"

CLIENT = Client(
    id="jetbrains",
    name="JetBrains AI Assistant and Junie",
    wire_names=("JetBrains AI Assistant", "Junie", "jetbrains"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(answer="unknown", text="Not documented.", source=_HELP, confidence="low"),
    cursors=Behaviour(answer="unknown", text="Not documented.", source=_HELP, confidence="low"),
    modern=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    refresh=(
        Statement(
            text="AI Assistant: Settings, Tools, AI Assistant, Model Context Protocol (MCP); Apply starts the server again.",
            source=_HELP,
            confidence="high",
        ),
        Statement(
            text="Junie: Settings, Tools, Junie, MCP; stop and start the server.", source=_HELP, confidence="medium"
        ),
        Statement(text="Restart the IDE.", source=_HELP, confidence="medium"),
    ),
    verify=(
        Statement(
            text="The icon in the Status column of that page lists the new tools.", source=_HELP, confidence="high"
        ),
    ),
    views=(
        View(
            kind="screen",
            what="Settings, Tools, AI Assistant, Model Context Protocol (MCP), Status",
            shows="names of tools",
            session="running",
            source=_HELP,
            confidence="high",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{project}/.junie/mcp/mcp.json"),
            form="json",
            keys=("mcpServers",),
            scope="project",
        ),
        ConfigFile(
            paths=everywhere("{home}/.junie/mcp/mcp.json"),
            form="json",
            keys=("mcpServers",),
            scope="user",
        ),
    ),
    notes=(
        Statement(
            text="The IDE's own MCP server renamed six tools in 2026.2.1, so that allow-lists of its clients hold dead names.",
            source="JetBrains/kotlin PR#7664",
            confidence="high",
        ),
        Statement(
            text="AI Assistant keeps its servers in the settings of the IDE, for all projects or for one.",
            source=_HELP,
            confidence="medium",
        ),
    ),
)
