"""What clients answer when they are asked for their servers: Codex, Claude Code and its SDK, and tools for developers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.errors import InputError
from diagnose.observe.registry.parts import Shown, chosen, text_of


def of_codex(document: Any, key: str | None) -> Shown | None:
    """Return the answer of `mcpServerStatus/list` of Codex's app-server: whole definitions, of a session made for it."""
    data = document.get("data") if isinstance(document, Mapping) else None
    if not isinstance(data, list) or not all(isinstance(each, Mapping) and "tools" in each for each in data):
        return None
    shape = "Codex's mcpServerStatus/list"
    entry = chosen(((str(each.get("name")), each) for each in data), key, shape)
    tools = entry["tools"]
    if not isinstance(tools, Mapping) or not all(isinstance(tool, Mapping) for tool in tools.values()):
        raise InputError(f"{shape}: expected `tools` as objects by name")
    info = entry.get("serverInfo")
    failed = next((entry[name] for name in ("startupError", "toolsError") if entry.get(name)), None)
    return Shown(
        shape=shape,
        tools=[{"name": name, **tool} for name, tool in tools.items()],
        session="running" if entry.get("runtimeStatus") else "new",
        server_info=info if isinstance(info, Mapping) else None,
        status=text_of(entry.get("runtimeStatus")),
        error=str(failed)[:300] if failed is not None else None,
    )


def of_init(documents: list[Any]) -> Shown | None:
    """Return the init event of Claude Code's stream: names alone, of a new session; tools may be deferred."""
    events = [
        each
        for each in documents
        if isinstance(each, Mapping) and each.get("subtype") == "init" and isinstance(each.get("tools"), list)
    ]
    if not events:
        return None
    servers = events[-1].get("mcp_servers")
    return Shown(
        shape="an init event of Claude Code",
        tools=[name for name in events[-1]["tools"] if isinstance(name, str)],
        names_only=True,
        session="new",
        servers=tuple(servers) if isinstance(servers, list) else (),
    )


def of_sdk(document: Any, key: str | None) -> Shown | None:
    """Return the status of Claude's agent SDK: names, descriptions and hints, without input schemas."""
    servers = document.get("mcpServers") if isinstance(document, Mapping) else None
    if not isinstance(servers, list) or not all(isinstance(each, Mapping) for each in servers):
        return None
    shape = "the agent SDK's mcp_status"
    entry = chosen(((str(each.get("name")), each) for each in servers), key, shape)
    tools = entry.get("tools")
    info = entry.get("serverInfo")
    return Shown(
        shape=shape,
        tools=_names(tools, "name") if isinstance(tools, list) else [],
        names_only=True,
        session="new",
        servers=({"name": entry.get("name"), "status": entry.get("status")},),
        server_info=info if isinstance(info, Mapping) else None,
        error=text_of(entry.get("error")) if not tools else None,
    )


def of_librechat(document: Any, key: str | None) -> Shown | None:
    """Return the answer of LibreChat's `GET /api/mcp/tools`, or an older list of its plugins: names and descriptions."""
    shape = "LibreChat's /api/mcp/tools"
    servers = document.get("servers") if isinstance(document, Mapping) else None
    if isinstance(servers, Mapping):
        if not all(isinstance(each, Mapping) and isinstance(each.get("tools"), list) for each in servers.values()):
            return None
        entry = chosen(((str(name), each) for name, each in servers.items()), key, shape)
        return Shown(shape=shape, tools=_names(entry["tools"], "name"), names_only=True, session="running")
    if (
        isinstance(document, list)
        and document
        and all(isinstance(each, Mapping) and "pluginKey" in each for each in document)
    ):
        # Of the plugins, those with the delimiter in their key are tools of servers.
        tools = [name for name in _names(document, "pluginKey") if "_mcp_" in name]
        return Shown(shape="LibreChat's list of plugins", tools=tools, names_only=True, session="running")
    return None


def of_mcporter(document: Any, key: str | None) -> Shown | None:
    """Return what `mcporter list --json` prints, of one server or of all: definitions, with options of its own beside them."""
    mode = document.get("mode") if isinstance(document, Mapping) else None
    if mode not in {"server", "list"}:
        return None
    servers = document.get("servers") if mode == "list" else [document]
    if not isinstance(servers, list) or not all(isinstance(each, Mapping) for each in servers):
        return None
    shape = "mcporter's list"
    meant = key if mode == "list" else None
    entry = chosen(((str(each.get("name")), each) for each in servers), meant, shape)
    tools = entry.get("tools")
    found = [each for each in tools if isinstance(each, Mapping)] if isinstance(tools, list) else []
    status = text_of(entry.get("status"))
    return Shown(
        shape=shape,
        tools=[{name: value for name, value in tool.items() if name != "options"} for tool in found],
        session="new",
        status=status,
        error=f"mcporter says of this server: {status}" if status not in {None, "ok"} and not found else None,
    )


def _names(entries: list[Any], member: str) -> list[str]:
    return [each[member] for each in entries if isinstance(each, Mapping) and isinstance(each.get(member), str)]
