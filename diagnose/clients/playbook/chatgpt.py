"""ChatGPT apps, formerly connectors, and its developer mode: a frozen snapshot that the vendor keeps."""

from __future__ import annotations

from diagnose.clients.entry import Behaviour, Client, Statement, View

_STAFF = "openai/tunnel-client#42"

CLIENT = Client(
    id="chatgpt",
    name="ChatGPT apps",
    wire_names=("openai-mcp", "ChatGPT", "chatgpt"),
    hosted=True,
    transports=("http", "sse"),
    list_changed=Behaviour(
        answer="no",
        text="An approved app uses a frozen snapshot of tools and inputs by contract; updates are not enabled by themselves.",
        source=_STAFF,
        confidence="high",
    ),
    cursors=Behaviour(answer="unknown", text="Nothing is published.", source="none found", confidence="low"),
    modern=Behaviour(
        answer="partly",
        text="One server log shows server/discover at a refresh, another 2025-06-18 from the desktop app.",
        source="yyjeqhc/webcodex PR#10; anthropics/claude-code#88172",
        confidence="low",
    ),
    refresh=(
        Statement(
            text="In developer mode: Settings, Apps, the app, Refresh. In a workspace an administrator: Action control, Refresh and review.",
            source=_STAFF,
            confidence="high",
        ),
        Statement(text="Then begin a new chat.", source=_STAFF, confidence="high"),
        Statement(
            text="If it is still old, delete the app and create it again under a different name.",
            source="ha-mcp PR#2017",
            confidence="medium",
        ),
    ),
    verify=(
        Statement(
            text="The app's page in the settings lists the new tools and inputs, and a new chat can call one.",
            source=_STAFF,
            confidence="high",
        ),
        Statement(
            text="The server's log shows a list by openai-mcp at the time of the refresh; HTTP 424 at the refresh means that the endpoint failed.",
            source="statgpt-backend#613",
            confidence="medium",
        ),
    ),
    views=(
        View(
            kind="screen",
            what="Settings, Apps, the app",
            shows="tools of the approved snapshot",
            session="running",
            source=_STAFF,
            confidence="high",
        ),
    ),
    notes=(
        Statement(
            text="There is no public interface to see or refresh the snapshot, and no local file.",
            source="OpenAI community 1395374",
            confidence="medium",
        ),
    ),
    reports=("openai/tunnel-client#42", "ha-mcp#2016", "quilombo#216", "statgpt-backend#613"),
)
