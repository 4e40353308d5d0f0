"""Gemini CLI."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile, everywhere
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.rules import Rewriting
from diagnose.clients.lens.spellings import GEMINI_LIMIT, gemini, gemini_before, gemini_before_twin

_SOURCE = "google-gemini/gemini-cli mcp-client.ts, August 2026"
_DOCS = "google-gemini/gemini-cli docs/tools/mcp-server.md"

CLIENT = Client(
    id="gemini-cli",
    name="Gemini CLI",
    wire_names=("gemini-cli-mcp-client", "gemini-cli"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(
        answer="yes",
        since="March 2026",
        text="It lists again on list_changed, also where the server did not declare it; if no name has changed it waits half a second and lists once more. A failure keeps the old list.",
        source="google-gemini/gemini-cli PR#21050; measured on 0.61.0",
        confidence="high",
    ),
    cursors=Behaviour(
        answer="no",
        text="It sends one tools/list and takes the first page for the whole (measured: 2 of 5 tools).",
        source=f"{_SOURCE}; measured on 0.61.0",
        confidence="high",
    ),
    modern=Behaviour(answer="no", text="Its SDK is 1.23.", source=_SOURCE, confidence="high"),
    refresh=(
        Statement(text="/mcp reload (or /mcp refresh): it restarts the servers.", source=_DOCS, confidence="high"),
        Statement(
            text="After a change of settings.json begin a new session.",
            source="google-gemini/gemini-cli#11565",
            confidence="medium",
        ),
        Statement(
            text="If tools of later pages are missing, no refresh helps: have the server send one page.",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    verify=(
        Statement(
            text="/mcp desc lists the new tools, and says `Discovery State: COMPLETED`.",
            source=_DOCS,
            confidence="high",
        ),
        Statement(
            text="`includeTools` and `excludeTools` in settings.json do not leave out the tool that is missed.",
            source=_DOCS,
            confidence="high",
        ),
    ),
    naming=Naming(
        rule=gemini,
        pattern="mcp_<server>_<tool>",
        others=(gemini_before_twin, gemini_before),
        limit=GEMINI_LIMIT,
        twins="last-wins",
        splits=True,
    ),
    rewriting=Rewriting(
        drops=frozenset({"$schema", "additionalProperties"}),
        adds={"type": "object", "properties": {}},
        parameters=frozenset({"wait_for_previous"}),
        nullable=True,
    ),
    views=(
        View(
            kind="screen",
            what="/mcp list, /mcp desc, /mcp schema",
            shows="state, names, descriptions, schemas as rewritten",
            session="running",
            source=_DOCS,
            confidence="high",
        ),
        View(
            kind="command",
            what="gemini mcp list",
            shows="state of each server, no tools; measured: it sends initialize and ping",
            session="new",
            source=f"{_DOCS}; measured on 0.61.0",
            confidence="high",
        ),
        View(
            kind="log",
            what="gemini --debug",
            shows="a line for each update notification, and the number of tools found",
            session="running",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    configuration=(
        ConfigFile(
            paths=everywhere("{project}/.gemini/settings.json"),
            form="json",
            keys=("mcpServers",),
            scope="project",
            allow=("includeTools",),
            deny=("excludeTools",),
            only_servers=("mcp", "allowed"),
            not_servers=("mcp", "excluded"),
        ),
        ConfigFile(
            paths=everywhere("{home}/.gemini/settings.json"),
            form="json",
            keys=("mcpServers",),
            scope="user",
            allow=("includeTools",),
            deny=("excludeTools",),
            only_servers=("mcp", "allowed"),
            not_servers=("mcp", "excluded"),
        ),
    ),
    notes=(
        Statement(
            text="It splits shown names at the first underscore behind mcp_, so a server key with an underscore is ambiguous.",
            source="google-gemini/gemini-cli mcp-tool.ts",
            confidence="high",
        ),
        Statement(
            text="One tool of which a property is no object (`true` and `false` are schemas, too) drops all tools of its server.",
            source="measured on 0.61.0",
            confidence="high",
        ),
        Statement(
            text="Each tool is offered to the model with a parameter wait_for_previous, which is the client's own.",
            source="measured on 0.61.0",
            confidence="high",
        ),
        Statement(
            text="Schemas lose $schema and additionalProperties, and a union with null becomes nullable.",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    reports=(
        "google-gemini/gemini-cli#3528",
        "google-gemini/gemini-cli#5783",
        "google-gemini/gemini-cli#11565",
        "google-gemini/gemini-cli#11783",
        "google-gemini/gemini-cli#14928",
    ),
)
