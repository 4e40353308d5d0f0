"""claude.ai and its connectors, on the web, on the desktop and on mobile: the list is kept by the vendor."""

from __future__ import annotations

from diagnose.clients.entry import Behaviour, Client, Statement, View

_KNOWN = "anthropics/claude-ai-mcp#45"

CLIENT = Client(
    id="claude-ai",
    name="claude.ai connectors",
    wire_names=("Anthropic/ClaudeAI", "ClaudeAI", "Anthropic"),
    hosted=True,
    transports=("http", "sse"),
    list_changed=Behaviour(
        answer="unknown",
        text="Lists are kept in a store by address; several reports of old tools are open, one of them labelled a known issue.",
        source=_KNOWN,
        confidence="medium",
    ),
    cursors=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    modern=Behaviour(
        answer="partly",
        text="Rolling out: logs show it probing server/discover and falling back.",
        source="Urigo PR#4393",
        confidence="medium",
    ),
    refresh=(
        Statement(
            text="In the connector's settings choose Refresh tools list, or Disconnect and Connect; it has been reported not to help.",
            source="anthropics/claude-ai-mcp#1044, #137",
            confidence="medium",
        ),
        Statement(text="Begin a new chat.", source=_KNOWN, confidence="medium"),
        Statement(
            text="Add the connector under a changed address, for example with another query string: it gets an entry of its own.",
            source=_KNOWN,
            confidence="medium",
        ),
        Statement(
            text="Wait: one careful report saw the stored list expire after 15 to 24 hours.",
            source=_KNOWN,
            confidence="low",
        ),
    ),
    verify=(
        Statement(
            text="The connector's panel shows the new tools, and a new chat can call one: panel and chat may differ.",
            source="anthropics/claude-ai-mcp#811",
            confidence="medium",
        ),
        Statement(
            text="The server's log shows a tools/list from Anthropic after the refresh.",
            source="anthropics/claude-ai-mcp#45",
            confidence="medium",
        ),
    ),
    views=(
        View(
            kind="screen",
            what="Settings, Connectors, the connector",
            shows="names and descriptions of the stored list; web, desktop and mobile may differ",
            session="running",
            source="anthropics/claude-ai-mcp#811; anthropics/claude-code#38324",
            confidence="medium",
        ),
    ),
    notes=(
        Statement(
            text="Nothing on the user's machine holds this list; resetting files there changes nothing.",
            source=_KNOWN,
            confidence="medium",
        ),
    ),
    reports=(
        "anthropics/claude-ai-mcp#45",
        "anthropics/claude-ai-mcp#137",
        "anthropics/claude-ai-mcp#235",
        "anthropics/claude-ai-mcp#811",
        "anthropics/claude-ai-mcp#1044",
    ),
)
