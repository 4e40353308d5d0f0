"""Zed."""

from __future__ import annotations

from diagnose.clients.config_file import ConfigFile
from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import zed_permission

_SOURCE = "zed-industries/zed context_server_registry.rs"

CLIENT = Client(
    id="zed",
    name="Zed",
    wire_names=("Zed",),
    transports=("stdio", "http"),
    list_changed=Behaviour(
        answer="yes",
        since="November 2025",
        text="It reloads on list_changed where the server has a tools capability, declared listChanged or not; the old list is dropped before the new one is there.",
        source="zed-industries/zed PR#42453",
        confidence="high",
    ),
    cursors=Behaviour(
        answer="no", text="It sends one tools/list and reads the first page.", source=_SOURCE, confidence="high"
    ),
    modern=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    refresh=(
        Statement(
            text="Switch the server off and on again in the Agent settings.", source=_SOURCE, confidence="medium"
        ),
        Statement(text="Quit Zed and start it again.", source=_SOURCE, confidence="medium"),
        Statement(
            text="If tools of later pages are missing, no refresh helps: have the server send one page.",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    verify=(
        Statement(
            text="The Agent panel lists the new tools; the log has `Received tools/list_changed notification for server`.",
            source=_SOURCE,
            confidence="high",
        ),
        Statement(
            text="Ask for the new tool and watch which one is called: one report saw another tool called.",
            source="Konnect#536",
            confidence="low",
        ),
    ),
    naming=Naming(others=(zed_permission,)),
    views=(
        View(
            kind="screen",
            what="Agent panel, tools",
            shows="tools of each server",
            session="running",
            source=_SOURCE,
            confidence="high",
        ),
        View(
            kind="log",
            what="zed: open log",
            shows="a line for each list_changed that was received",
            session="running",
            source=_SOURCE,
            confidence="high",
        ),
    ),
    configuration=(
        ConfigFile(
            paths={
                "linux": "{home}/.config/zed/settings.json",
                "macos": "{home}/.config/zed/settings.json",
                "windows": "{appdata}/Zed/settings.json",
            },
            form="json",
            keys=("context_servers",),
            scope="user",
        ),
    ),
    notes=(
        Statement(
            text="Where two servers have a tool of one name, the names are told apart elsewhere than in the registry.",
            source=_SOURCE,
            confidence="medium",
        ),
    ),
    reports=("Konnect#536",),
)
