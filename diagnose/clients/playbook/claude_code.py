"""Claude Code."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, Permissions, everywhere
from diagnose.clients.entry import Behaviour, Client, Limits, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.rules import Rewriting
from diagnose.clients.lens.spellings import claude_code

_DOCS = "code.claude.com/docs/en/mcp"
_CHANGES = "anthropics/claude-code CHANGELOG"
_PERMISSIONS: Permissions = (
    ("approve", ("permissions", "allow")),
    ("ask", ("permissions", "ask")),
    ("deny", ("permissions", "deny")),
)

CLIENT = Client(
    id="claude-code",
    name="Claude Code",
    wire_names=("claude-code", "Claude Code"),
    transports=("stdio", "http", "sse", "ws"),
    list_changed=Behaviour(
        answer="yes",
        since="2.1.0",
        text="It lists again on list_changed, but only if the server declared `capabilities.tools.listChanged`; a refresh that fails keeps the old list since 2.1.214.",
        source=f"{_CHANGES}; anthropics/claude-code#66084; measured on 2.1.332",
        confidence="high",
    ),
    cursors=Behaviour(
        answer="yes",
        since="2.1.144",
        text="It follows nextCursor for tools. Where a cursor repeats, 2.1.332 stops; 2.1.197 went on asking.",
        source=f"{_CHANGES}; measured on 2.1.332",
        confidence="high",
    ),
    modern=Behaviour(
        answer="partly",
        since="2.1.232",
        text="HTTP servers and connectors are asked for 2026-07-28; stdio only with MCP_PROTOCOL_NEGOTIATION=auto. Not on Bedrock, Claude Platform on AWS, Google Agent Platform, Foundry, or behind a gateway.",
        source=f"{_DOCS}; measured on 2.1.332",
        confidence="high",
    ),
    refresh=(
        Statement(text="Open /mcp, choose the server, then Reconnect.", source=_DOCS, confidence="high"),
        Statement(
            text="If its status says `cached`, use Clear authentication there, or start with MCP_DISCOVERY_CACHE=0: a reconnect keeps the cached list.",
            source=_DOCS,
            confidence="high",
        ),
        Statement(text="For a server of a plugin: /reload-plugins.", source=_DOCS, confidence="high"),
        Statement(text="Leave Claude Code and start it again.", source=_DOCS, confidence="high"),
    ),
    verify=(
        Statement(
            text="/mcp shows the server as connected, with the number of tools that the server lists.",
            source=_DOCS,
            confidence="high",
        ),
        Statement(
            text="`claude --debug` prints a line when a tools/list_changed notification is received.",
            source="reports, 2025-2026",
            confidence="medium",
        ),
        Statement(
            text="Ask for a tool that is new by its full name, mcp__<server>__<tool>: a search index may be older than the panel.",
            source="anthropics/claude-code#60626",
            confidence="medium",
        ),
    ),
    limits=Limits(
        description=2048,
        statement=Statement(
            text="Descriptions and server instructions are cut at 2 KB for the model since 2.1.84, while the panel shows them whole; names longer than 64 characters are refused by the API.",
            source=f"{_CHANGES}; anthropics/claude-code#87650, #19882",
            confidence="high",
        ),
    ),
    naming=Naming(
        rule=claude_code,
        pattern="mcp__<server>__<tool>",
        limit=64,
        refuses_longer=True,
        splits=True,
    ),
    rewriting=Rewriting(text_limit=2048),
    views=(
        View(
            kind="command",
            what='claude -p "…" --output-format stream-json --verbose',
            shows="names of tools and the state of servers in the first line; deferred tools may be missing; costs a model turn",
            session="new",
            source=_DOCS,
            confidence="high",
        ),
        View(
            kind="api",
            what="Agent SDK: mcpServerStatus() / get_mcp_status(); the control request mcp_status of claude -p over stream-json",
            shows="servers with their tools: name, three hints; no schemas; without a model turn and without a login",
            session="new",
            source="anthropics/claude-agent-sdk-python; measured on 2.1.332",
            confidence="high",
        ),
        View(
            kind="command",
            what="claude mcp list",
            shows="state of each server, no tools; it starts the servers",
            session="new",
            source=_DOCS,
            confidence="high",
        ),
        View(
            kind="screen",
            what="/mcp",
            shows="state and number of tools of each server",
            session="running",
            source=_DOCS,
            confidence="high",
        ),
        View(
            kind="log",
            what="claude --debug-file FILE",
            shows="connections and notifications",
            session="running",
            source="reports, 2025-2026",
            confidence="medium",
        ),
    ),
    configuration=(
        ConfigFile(
            paths={
                "linux": "/etc/claude-code/managed-mcp.json",
                "macos": "/Library/Application Support/ClaudeCode/managed-mcp.json",
                "windows": "{PROGRAMFILES}/ClaudeCode/managed-mcp.json",
            },
            form="json",
            keys=("mcpServers",),
            scope="managed",
            official=False,
        ),
        ConfigFile(
            paths=everywhere("{home}/.claude.json"),
            form="json",
            keys=("mcpServers",),
            scope="local",
            variable="CLAUDE_CONFIG_DIR",
            default_folder="{home}",
            per_project=True,
        ),
        ConfigFile(
            paths=everywhere("{project}/.mcp.json"),
            form="json",
            keys=("mcpServers",),
            scope="project",
        ),
        ConfigFile(
            paths=everywhere("{home}/.claude.json"),
            form="json",
            keys=("mcpServers",),
            scope="user",
            variable="CLAUDE_CONFIG_DIR",
            default_folder="{home}",
        ),
        ConfigFile(
            paths=everywhere("{project}/.claude/settings.local.json"),
            form="json",
            keys=(),
            scope="local",
            permissions=_PERMISSIONS,
            not_servers=("disabledMcpjsonServers",),
        ),
        ConfigFile(
            paths=everywhere("{project}/.claude/settings.json"),
            form="json",
            keys=(),
            scope="project",
            permissions=_PERMISSIONS,
            not_servers=("disabledMcpjsonServers",),
        ),
        ConfigFile(
            paths=everywhere("{home}/.claude/settings.json"),
            form="json",
            keys=(),
            scope="user",
            variable="CLAUDE_CONFIG_DIR",
            default_folder="{home}/.claude",
            permissions=_PERMISSIONS,
        ),
    ),
    notes=(
        Statement(
            text="Stdio servers are not reconnected by themselves; remote ones are, five times, from one second on.",
            source=_DOCS,
            confidence="high",
        ),
        Statement(
            text="The stream of the modern era is opened again three times if it lived under 10 seconds, else five times an hour; then it rests for about six hours.",
            source=_DOCS,
            confidence="high",
        ),
        Statement(
            text="`pending` in an init event is a race at start-up and no loss; connectors may be missing there while their tools are listed.",
            source="anthropics/claude-code#65094, #76239, #74926",
            confidence="medium",
        ),
        Statement(
            text="One tool without an object schema, or with a description that is no text, drops all tools of its server; on 2.1.197 a property that is no object did, too. A root allOf, anyOf or if drops one.",
            source="anthropics/claude-code#88049, #95504; measured on 2.1.332",
            confidence="high",
        ),
        Statement(
            text="Scopes win in the order local, project, user, then plugins and connectors; the same address or command twice is used once.",
            source=_DOCS,
            confidence="high",
        ),
    ),
    reports=(
        "anthropics/claude-code#4118",
        "anthropics/claude-code#13646",
        "anthropics/claude-code#60626",
        "anthropics/claude-code#66084",
        "anthropics/claude-code#77314",
        "anthropics/claude-code#88172",
        "anthropics/claude-code#92858",
    ),
)
