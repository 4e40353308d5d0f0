"""SDKs and tools: what a client that was built with one of them does, as far as it leaves that to them."""

from __future__ import annotations

from diagnose.clients.entry import Behaviour, Client, Statement, View
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import dotted, underscored

_MEASURED = "measured"

_PYTHON = Client(
    id="mcp-python",
    name="Python SDK",
    wire_names=("mcp", "mcp-python", "python-sdk"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(
        answer="no",
        text="Only the client's own handler lists again: the SDK hands the notification on and does nothing itself.",
        source=_MEASURED,
        confidence="high",
    ),
    cursors=Behaviour(
        answer="no",
        text="A call of list_tools is one page; whoever calls it must follow nextCursor.",
        source=_MEASURED,
        confidence="high",
    ),
    modern=Behaviour(
        answer="yes",
        since="2.0",
        text="Version 2 negotiates `auto`, modern first.",
        source=_MEASURED,
        confidence="high",
    ),
    refresh=(
        Statement(text="Call list_tools again and follow nextCursor to its end.", source=_MEASURED, confidence="high"),
        Statement(
            text="Version 2 answers from its cache inside the TTL: open a new session, or wait until the TTL is over.",
            source=_MEASURED,
            confidence="high",
        ),
    ),
    verify=(
        Statement(
            text="The server's log shows the tools/list, and the client holds as many names as the server lists.",
            source=_MEASURED,
            confidence="high",
        ),
    ),
)

_TYPESCRIPT = Client(
    id="mcp-typescript",
    name="TypeScript SDK",
    wire_names=("mcp-typescript", "typescript-sdk"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(
        answer="partly",
        text="With its option listChanged it lists again after 0.3 s, only where the server declared it; without the option it does nothing.",
        source=_MEASURED,
        confidence="high",
    ),
    cursors=Behaviour(
        answer="partly",
        since="2.0",
        text="Version 2 follows nextCursor and stops at a repeat; version 1 reads one page a call, and its refresh the first page only.",
        source=_MEASURED,
        confidence="high",
    ),
    modern=Behaviour(
        answer="partly",
        since="2.0",
        text="The default is legacy; `auto` asks for modern, over stdio in a process of its own.",
        source=_MEASURED,
        confidence="high",
    ),
    refresh=(
        Statement(text="Call listTools again; in version 1 follow nextCursor.", source=_MEASURED, confidence="high"),
        Statement(
            text="Version 2 answers from its cache inside the TTL: connect anew, or wait until the TTL is over.",
            source=_MEASURED,
            confidence="high",
        ),
    ),
    verify=_PYTHON.verify,
)

_FASTMCP = Client(
    id="fastmcp",
    name="fastmcp",
    wire_names=("fastmcp", "FastMCP"),
    transports=("stdio", "http", "sse"),
    list_changed=Behaviour(answer="no", text="It does not list again by itself.", source=_MEASURED, confidence="high"),
    cursors=Behaviour(
        answer="yes",
        since="3",
        text="It follows nextCursor; version 4 stops at a repeat, version 2 read the first page only.",
        source=_MEASURED,
        confidence="high",
    ),
    modern=Behaviour(answer="yes", since="4", text="Version 4 negotiates `auto`.", source=_MEASURED, confidence="high"),
    refresh=(Statement(text="Call list_tools again, or connect anew.", source=_MEASURED, confidence="high"),),
    verify=_PYTHON.verify,
    naming=Naming(others=(underscored,)),
    views=(
        View(
            kind="command",
            what="fastmcp list",
            shows="tools that a new client gets",
            session="new",
            source="fastmcp documentation",
            confidence="medium",
        ),
    ),
)


def _one_shot(key: str, name: str, wire: tuple[str, ...], naming: Naming, command: str) -> Client:
    """Return the entry of a tool that connects, lists once and ends."""
    return Client(
        id=key,
        name=name,
        wire_names=wire,
        transports=("stdio", "http", "sse"),
        list_changed=Behaviour(
            answer="no",
            text="A run lists once and ends: there is nothing to refresh.",
            source=_MEASURED,
            confidence="high",
        ),
        cursors=Behaviour(answer="yes", text="It follows nextCursor.", source=_MEASURED, confidence="high"),
        modern=Behaviour(answer="no", text="It asks for 2025-11-25.", source=_MEASURED, confidence="high"),
        refresh=(Statement(text="Run it again: each run is a new client.", source=_MEASURED, confidence="high"),),
        verify=_PYTHON.verify,
        naming=naming,
        views=(
            View(
                kind="command",
                what=command,
                shows="whole definitions as a new client gets them",
                session="new",
                source=_MEASURED,
                confidence="high",
            ),
        ),
    )


CLIENTS = (
    _PYTHON,
    _TYPESCRIPT,
    _FASTMCP,
    _one_shot(
        "inspector",
        "MCP Inspector CLI",
        ("inspector-client", "inspector-cli", "mcp-inspector"),
        Naming(),
        "npx @modelcontextprotocol/inspector --cli … --method tools/list",
    ),
    _one_shot("mcporter", "mcporter", ("mcporter",), Naming(others=(dotted,)), "mcporter list <server>"),
)
