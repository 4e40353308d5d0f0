"""Libraries for agents with an MCP client in them: what they do where their user leaves it to them."""

from __future__ import annotations

from diagnose.clients.entry import Answer, Behaviour, Client, Statement, Transport

_MEASURED = "measured"


def _framework(
    key: str,
    name: str,
    *,
    wire: tuple[str, ...] = (),
    transports: tuple[Transport, ...] = ("stdio", "http", "sse"),
    list_changed: str,
    cursors: str,
    modern: tuple[Answer, str],
    refresh: str,
    note: str,
) -> Client:
    """Return the entry of a library that lists when its user's program makes it."""
    return Client(
        id=key,
        name=name,
        wire_names=wire,
        transports=transports,
        list_changed=Behaviour(answer="no", text=list_changed, source=_MEASURED, confidence="high"),
        cursors=Behaviour(answer="yes", text=cursors, source=_MEASURED, confidence="high"),
        modern=Behaviour(answer=modern[0], text=modern[1], source=_MEASURED, confidence="high"),
        refresh=(Statement(text=refresh, source=_MEASURED, confidence="high"),),
        verify=(
            Statement(
                text="The server's log shows a tools/list of the running program, and the next run of the agent offers the new tool.",
                source=_MEASURED,
                confidence="high",
            ),
        ),
        notes=(Statement(text=note, source=_MEASURED, confidence="high"),),
    )


CLIENTS = (
    _framework(
        "pydantic-ai",
        "Pydantic AI",
        list_changed="In the modern era it opens no subscription, so that it is told of nothing.",
        cursors="It follows nextCursor and stops at a repeat.",
        modern=("yes", "It probes, and speaks 2026-07-28 where the server does."),
        refresh="Leave the toolset's `async with` and enter it anew: within it the first list is kept.",
        note="An MCPToolset keeps its list for as long as it is open, whatever TTL the server gave it.",
    ),
    _framework(
        "openai-agents",
        "OpenAI Agents SDK",
        list_changed="In the modern era it opens no subscription; the list is asked for with each run of an agent.",
        cursors="It follows nextCursor, and fails where a cursor repeats.",
        modern=("yes", "It probes, and speaks 2026-07-28 where the server does."),
        refresh="Nothing by default: the next run lists again; with cache_tools_list, call invalidate_tools_cache first.",
        note="With cache_tools_list the first list is kept for good, whatever TTL the server gave it.",
    ),
    _framework(
        "langchain-mcp-adapters",
        "LangChain MCP adapters",
        list_changed="A signal is heard and nothing is done: tools are what load_mcp_tools once returned.",
        cursors="It follows nextCursor in load_mcp_tools, and gives up after 1,000 pages where a cursor repeats.",
        modern=("no", "It shakes hands, for 2025-11-25."),
        refresh="Call load_mcp_tools (or get_tools) again, and give the agent the new tools.",
        note="Where get_tools is called without a session, it opens one for each call.",
    ),
    _framework(
        "ai-sdk",
        "AI SDK",
        wire=("ai-sdk-mcp-client",),
        list_changed="In the modern era it opens no subscription; the tools are what client.tools() once returned.",
        cursors="It follows nextCursor in client.tools(), and without an end where a cursor repeats or is empty.",
        modern=("yes", "It probes, and speaks 2026-07-28 where the server does."),
        refresh="Call client.tools() again, and give the model the new tools.",
        note="Each call of client.tools() asks the server, within a TTL too.",
    ),
)
