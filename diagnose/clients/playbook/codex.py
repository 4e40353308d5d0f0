"""Codex: command line, IDE extension, desktop app, and its app connectors."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.codex_schema import codex_schema
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.rules import Rewriting
from diagnose.clients.lens.spellings import (
    CODEX_HASH,
    codex,
    codex_alone,
    codex_cut,
    codex_namespace,
    codex_twin,
)

_HANDLER = "openai/codex rmcp-client/src/logging_client_handler.rs"
_NAMES = "openai/codex codex-mcp/src/tools.rs"
_APP_SERVER = "openai/codex app-server schema"

CLIENT = Client(
    id="codex",
    name="Codex",
    wire_names=("codex-mcp-client", "codex", "codex_cli_rs", "codex_vscode"),
    transports=("stdio", "http"),
    list_changed=Behaviour(
        answer="no",
        text="A list_changed is logged and nothing else: the list stays for the life of the thread (confirmed to 0.153.4, measured on 0.171.0).",
        source=f"{_HANDLER}; measured",
        confidence="high",
    ),
    cursors=Behaviour(
        answer="yes",
        text="0.171.0 follows nextCursor and drops the whole server where a cursor repeats; 0.140 read the first page only.",
        source="measured; openai/codex#28858",
        confidence="high",
    ),
    modern=Behaviour(
        answer="partly",
        since="0.147",
        text="Opt-in: the feature mcp_2026_07_28 or CODEX_MCP_PROTOCOL_VERSION=2026-07-28; in 0.171.0 over HTTP only with both.",
        source="openai/codex releases; measured",
        confidence="high",
    ),
    refresh=(
        Statement(text="Begin a new thread, or a new process of the command line.", source=_HANDLER, confidence="high"),
        Statement(
            text="For the desktop app and app connectors, quit the app completely and start it again: its connector catalogue is kept apart from the configured servers.",
            source="Meridian's table of clients",
            confidence="high",
        ),
        Statement(
            text="For an app, sign in again, or use Refresh in ChatGPT's settings.",
            source="openai/codex#37417",
            confidence="medium",
        ),
        Statement(
            text="After a change of config.toml: the request config/mcpServer/reload of the app-server, or a new process.",
            source=_APP_SERVER,
            confidence="high",
        ),
    ),
    verify=(
        Statement(
            text="`codex app-server` with mcpServerStatus/list shows the new tools: without a threadId it looks afresh and tells what a new session gets.",
            source="measured on 0.171.0",
            confidence="high",
        ),
        Statement(text="/mcp in the new thread lists the new tools.", source=_APP_SERVER, confidence="medium"),
        Statement(
            text="`enabled_tools` and `disabled_tools` in config.toml do not leave out the tool that is missed.",
            source="openai/codex configuration documentation",
            confidence="high",
        ),
    ),
    naming=Naming(
        rule=codex,
        pattern="mcp__<server>__<tool>",
        others=(codex_cut, codex_namespace, codex_alone),
        twins="hashed",
        twin=codex_twin,
        hashed=CODEX_HASH,
    ),
    rewriting=Rewriting(forms=(codex_schema,)),
    views=(
        View(
            kind="api",
            what="codex app-server: initialize, initialized, mcpServerStatus/list",
            shows="whole definitions under their own names, without a model turn; may be cached for a thread",
            session="new",
            source=f"{_APP_SERVER}; measured on 0.171.0",
            confidence="high",
        ),
        View(
            kind="command",
            what="codex mcp list --json",
            shows="configuration only, no tools; env is printed in clear",
            session="new",
            source="openai/codex cli/tests/mcp_list.rs",
            confidence="high",
        ),
        View(
            kind="screen",
            what="/mcp",
            shows="servers and names of tools",
            session="running",
            source=_APP_SERVER,
            confidence="medium",
        ),
        View(
            kind="log",
            what="~/.codex/log/codex-tui.log",
            shows="a line for each list_changed that was received; level by RUST_LOG",
            session="running",
            source=_HANDLER,
            confidence="medium",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{project}/.codex/config.toml"),
            form="toml",
            keys=("mcp_servers",),
            scope="project",
            allow=("enabled_tools",),
            deny=("disabled_tools",),
        ),
        ConfigFile(
            paths=everywhere("{home}/.codex/config.toml"),
            form="toml",
            keys=("mcp_servers",),
            scope="user",
            variable="CODEX_HOME",
            default_folder="{home}/.codex",
            allow=("enabled_tools",),
            deny=("disabled_tools",),
        ),
    ),
    notes=(
        Statement(
            text="Between turns only servers whose configuration changed are read again; a catalogue of 30 minutes stands beside that.",
            source="openai/codex#37417",
            confidence="medium",
        ),
        Statement(
            text="Two tools with one shown name get twelve digits of a hash each; an exact duplicate is skipped with a warning. Older versions cut names at 64 bytes.",
            source=f"{_NAMES}; measured on 0.171.0",
            confidence="high",
        ),
        Statement(
            text="One tool without an input schema, with `true` for one, or with a description that is no text drops all tools of its server; a list of items or the schema of an array keeps that tool from the model alone.",
            source="measured on 0.171.0",
            confidence="high",
        ),
        Statement(
            text="The model is offered a part of each schema: limits, formats, patterns, defaults and titles are left out, and types are written out.",
            source="measured on 0.171.0",
            confidence="high",
        ),
        Statement(
            text="The catalogue of apps is seeded from a file once a process: look, and do not touch.",
            source="openai/codex codex_apps_cache.rs",
            confidence="high",
        ),
    ),
    reports=(
        "openai/codex#10105",
        "openai/codex#28858",
        "openai/codex#31443",
        "openai/codex#33266",
        "openai/codex#37417",
        "openai/codex#37567",
    ),
)
