"""LibreChat."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import librechat

_DOCS = "LibreChat documentation"

CLIENT = Client(
    id="librechat",
    name="LibreChat",
    wire_names=("@librechat/api-client", "librechat-mcp-client", "LibreChat", "librechat"),
    transports=("stdio", "http", "sse", "ws"),
    list_changed=Behaviour(
        answer="yes",
        since="August 2026",
        text="It publishes added and removes dropped tools on list_changed and on reconnect; before, the list stood until a restart.",
        source="danny-avila/LibreChat PR#14686",
        confidence="high",
    ),
    cursors=Behaviour(
        answer="yes",
        text="It follows nextCursor for at most MCP_TOOLS_LIST_MAX_PAGES pages, 50 if not set.",
        source=_DOCS,
        confidence="high",
    ),
    modern=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    refresh=(
        Statement(text="In the MCP panel, reinitialize the server.", source=_DOCS, confidence="high"),
        Statement(text="Restart LibreChat.", source=_DOCS, confidence="high"),
    ),
    verify=(
        Statement(text="GET /api/mcp/tools lists the new tools; it needs a login.", source=_DOCS, confidence="high"),
        Statement(
            text="The log has `[MCP][<name>] Tool list changed; refreshed N tools`, or `Updated N tools`.",
            source=_DOCS,
            confidence="medium",
        ),
    ),
    naming=Naming(rule=librechat, pattern="<tool>_mcp_<server>"),
    views=(
        View(
            kind="api",
            what="GET /api/mcp/tools",
            shows="tools of each server; reading it could disturb the state in August 2026",
            session="running",
            source="danny-avila/LibreChat#14798",
            confidence="medium",
        ),
        View(
            kind="api",
            what="GET /api/mcp/connection/status/<name>",
            shows="state of one server",
            session="running",
            source=_DOCS,
            confidence="high",
        ),
        View(
            kind="log",
            what="the server's log",
            shows="lines of each refresh, and of each message sent",
            session="running",
            source=_DOCS,
            confidence="medium",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{project}/librechat.yaml"),
            form="yaml",
            keys=("mcpServers",),
            scope="project",
            variable="CONFIG_PATH",
        ),
    ),
    notes=(
        Statement(
            text="Servers that were made in the interface are in the database and in no file.",
            source=_DOCS,
            confidence="high",
        ),
    ),
    reports=(
        "danny-avila/LibreChat#7117",
        "danny-avila/LibreChat#8079",
        "danny-avila/LibreChat#9453",
        "danny-avila/LibreChat#14798",
    ),
)
