"""Goose."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import goose

_DOCS = "block/goose config-files.md"

CLIENT = Client(
    id="goose",
    name="Goose",
    wire_names=("goose", "goose-desktop", "goose-cli"),
    transports=("stdio", "http"),
    list_changed=Behaviour(
        answer="unknown",
        text="Reported in July 2026 to drop list_changed; the issue is closed, in which version it was mended is not known.",
        source="block/goose#10433",
        confidence="medium",
    ),
    cursors=Behaviour(
        answer="yes",
        since="January 2025",
        text="It follows nextCursor.",
        source="block/goose PR#566",
        confidence="medium",
    ),
    modern=Behaviour(answer="unknown", text="Built on rmcp; not verified.", source="none found", confidence="low"),
    refresh=(
        Statement(text="Begin a new session.", source="block/goose#10433", confidence="medium"),
        Statement(text="Switch the extension off and on again.", source=_DOCS, confidence="medium"),
    ),
    verify=(
        Statement(text="The extension's card lists the new tools.", source=_DOCS, confidence="medium"),
        Statement(
            text="`available_tools` in config.yaml does not leave out the tool that is missed.",
            source=_DOCS,
            confidence="high",
        ),
    ),
    naming=Naming(rule=goose, pattern="<extension>__<tool>"),
    views=(
        View(
            kind="command",
            what="goose info -v",
            shows="paths and configuration, no tools",
            session="new",
            source=_DOCS,
            confidence="high",
        ),
        View(
            kind="screen",
            what="the extension's card",
            shows="names of tools",
            session="running",
            source=_DOCS,
            confidence="medium",
        ),
        View(
            kind="log",
            what="~/.local/state/goose/logs",
            shows="what the session did",
            session="running",
            source="user reports",
            confidence="low",
        ),
    ),
    configuration=(
        ConfigFile(
            paths={
                "linux": "{home}/.config/goose/config.yaml",
                "macos": "{home}/.config/goose/config.yaml",
                "windows": "{appdata}/Block/goose/config/config.yaml",
            },
            form="yaml",
            keys=("extensions",),
            scope="user",
            allow=("available_tools",),
        ),
    ),
    notes=(Statement(text="SSE is not supported.", source=_DOCS, confidence="high"),),
    reports=("block/goose#10433", "block/goose PR#8276", "block/goose#9700"),
)
