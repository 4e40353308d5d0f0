"""Claude Desktop: servers of the user's machine. Connectors are `claude-ai`."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import coloned

_GUIDE = "modelcontextprotocol.io, connect local servers"

CLIENT = Client(
    id="claude-desktop",
    name="Claude Desktop",
    wire_names=("claude-desktop", "Claude Desktop"),
    transports=("stdio",),
    list_changed=Behaviour(
        answer="no",
        text="Maintainers said in 2024 and 2025 that list_changed is ignored; a later version that honours it is not known.",
        source="modelcontextprotocol discussion #76; Meridian's table of clients",
        confidence="medium",
    ),
    cursors=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    modern=Behaviour(
        answer="unknown",
        text="2026-07-28 was announced as rolling out to Claude; for local servers nothing is known.",
        source="announcement cited in pc-style/x-md PR#22",
        confidence="medium",
    ),
    refresh=(
        Statement(
            text="Quit Claude Desktop completely, not only its window, and start it again.",
            source=_GUIDE,
            confidence="high",
        ),
        Statement(text="Begin a new chat.", source=_GUIDE, confidence="medium"),
    ),
    verify=(
        Statement(
            text="The list of tools under the server's name in the settings shows the new tools.",
            source=_GUIDE,
            confidence="high",
        ),
        Statement(
            text="`mcp.log` shows a tools/list after the start, with the new tools in its answer.",
            source=_GUIDE,
            confidence="high",
        ),
    ),
    naming=Naming(others=(coloned,)),
    views=(
        View(
            kind="log",
            what="macOS ~/Library/Logs/Claude/mcp.log, mcp-server-<NAME>.log; Windows %APPDATA%\\Claude\\logs\\",
            shows="connections, and requests and answers as JSON: it can be read as a recording",
            session="running",
            source=_GUIDE,
            confidence="high",
        ),
        View(
            kind="screen",
            what="Settings, the server's tools",
            shows="names and descriptions",
            session="running",
            source=_GUIDE,
            confidence="high",
        ),
    ),
    configuration=(
        ConfigFile(
            paths={
                "macos": "{home}/Library/Application Support/Claude/claude_desktop_config.json",
                "windows": "{appdata}/Claude/claude_desktop_config.json",
                "linux": "{home}/.config/Claude/claude_desktop_config.json",
            },
            form="json",
            keys=("mcpServers",),
            scope="user",
        ),
    ),
    notes=(
        Statement(
            text="Do not reset files of its profile: that is not documented.",
            source="no documentation found",
            confidence="medium",
        ),
        Statement(
            text="Extensions (.mcpb) and connectors are kept elsewhere than in the configuration file.",
            source=_GUIDE,
            confidence="high",
        ),
    ),
    reports=("anthropics/claude-code#7519", "anthropics/claude-code#38931", "anthropics/claude-ai-mcp#552"),
)
