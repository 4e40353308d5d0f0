"""Roo Code."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import ROO_LIMIT, roo, roo_underscores

_SOURCE = "RooCodeInc/Roo-Code McpHub.ts, April 2026"
_STORAGE = "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"

CLIENT = Client(
    id="roo",
    name="Roo Code",
    wire_names=("Roo Code", "roo-code", "roo"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(answer="no", text="It has no handler for list_changed.", source=_SOURCE, confidence="high"),
    cursors=Behaviour(
        answer="no", text="It sends one tools/list and reads the first page.", source=_SOURCE, confidence="high"
    ),
    modern=Behaviour(answer="no", text="Not in the version read.", source=_SOURCE, confidence="high"),
    refresh=(
        Statement(text="Restart the server in the MCP view.", source=_SOURCE, confidence="high"),
        Statement(text="Refresh MCP Servers, for all of them.", source=_SOURCE, confidence="high"),
        Statement(
            text="If tools of later pages are missing, no refresh helps: have the server send one page.",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    verify=(
        Statement(text="The MCP view lists the new tools under the server.", source=_SOURCE, confidence="high"),
        Statement(
            text="`alwaysAllow` and `disabledTools` do not hold names that the server has no more.",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    naming=Naming(
        rule=roo,
        pattern="mcp--<server>--<tool>",
        others=(roo_underscores,),
        limit=ROO_LIMIT,
        splits=True,
    ),
    views=(
        View(
            kind="screen",
            what="MCP view",
            shows="state and tools of each server",
            session="running",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{project}/.roo/mcp.json"),
            form="json",
            keys=("mcpServers",),
            scope="project",
            approve=("alwaysAllow",),
            deny=("disabledTools",),
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
            approve=("alwaysAllow",),
            deny=("disabledTools",),
            official=False,
        ),
    ),
    notes=(
        Statement(
            text="Characters of names are deleted, and names are cut at 64: no way leads back, and two tools may become one.",
            source="RooCodeInc/Roo-Code mcp-name.ts",
            confidence="high",
        ),
    ),
)
