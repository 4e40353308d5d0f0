"""Cline."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import CLINE_HASH, CLINE_LIMIT, cline

_SOURCE = "cline/cline McpHub.ts"
_STORAGE = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

CLIENT = Client(
    id="cline",
    name="Cline",
    wire_names=("Cline", "cline"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(
        answer="yes",
        since="4.1 (July 2026)",
        text="It lists again 300 ms after the last of a burst, in order, and tries again where that fails. Before, a notification was shown and nothing refreshed.",
        source="cline/cline PR#12619",
        confidence="high",
    ),
    cursors=Behaviour(
        answer="no", text="It sends one tools/list and reads the first page.", source=_SOURCE, confidence="high"
    ),
    modern=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    refresh=(
        Statement(text="Restart the server in the MCP panel.", source=_SOURCE, confidence="high"),
        Statement(text="Reload the editor's window.", source=_SOURCE, confidence="medium"),
        Statement(
            text="If tools of later pages are missing, no refresh helps: have the server send one page.",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    verify=(
        Statement(text="The MCP panel lists the new tools under the server.", source=_SOURCE, confidence="high"),
        Statement(
            text="`autoApprove` does not hold names that the server has no more.", source=_SOURCE, confidence="medium"
        ),
    ),
    naming=Naming(
        rule=cline,
        pattern="<server>__<tool>",
        limit=CLINE_LIMIT,
        twins="hashed",
        hashed=CLINE_HASH,
    ),
    views=(
        View(
            kind="command",
            what="cline config mcp --json",
            shows="configured servers, no tools",
            session="new",
            source="cline/cline documentation",
            confidence="high",
        ),
        View(
            kind="screen",
            what="MCP panel",
            shows="state and tools of each server",
            session="running",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{home}/.cline/mcp.json"),
            form="json",
            keys=("mcpServers",),
            scope="user",
            approve=("autoApprove",),
        ),
        ConfigFile(
            paths={
                "linux": f"{{home}}/.config/Code/User/{_STORAGE}",
                "macos": f"{{home}}/Library/Application Support/Code/User/{_STORAGE}",
                "windows": f"{{appdata}}/Code/User/{_STORAGE}",
            },
            form="json",
            keys=("mcpServers",),
            scope="user",
            approve=("autoApprove",),
            official=False,
        ),
    ),
    notes=(
        Statement(
            text="A name that had to be changed or is longer than 64 characters is cut and ends with eight digits of a hash.",
            source="cline/cline name-transform.ts",
            confidence="high",
        ),
    ),
    reports=("cline/cline PR#12619",),
)
