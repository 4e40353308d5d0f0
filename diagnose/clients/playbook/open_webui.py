"""Open WebUI."""

from __future__ import annotations

from diagnose.clients.entry import Behaviour, Client, Statement
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.spellings import open_webui

_SOURCE = "open-webui utils/mcp/client.py"
_DOCS = "Open WebUI documentation"

CLIENT = Client(
    id="open-webui",
    name="Open WebUI",
    wire_names=("open-webui", "Open WebUI"),
    transports=("http",),
    list_changed=Behaviour(
        answer="no",
        text="Not needed: it connects and lists whenever tools are used.",
        source=_SOURCE,
        confidence="high",
    ),
    cursors=Behaviour(
        answer="partly",
        text="A later version follows nextCursor without a guard, so an empty or repeated cursor never ends; older ones read the first page.",
        source=f"{_SOURCE}; open-webui#29879",
        confidence="medium",
    ),
    modern=Behaviour(answer="no", text="It uses the interface of SDK 1.", source=_SOURCE, confidence="high"),
    refresh=(
        Statement(text="Send a new message: tools are listed again.", source=_SOURCE, confidence="high"),
        Statement(
            text="In Admin Settings, External Tools, verify and save the connection again.",
            source=_DOCS,
            confidence="medium",
        ),
        Statement(
            text="Behind mcpo, restart mcpo: it freezes its view when it starts.", source=_DOCS, confidence="medium"
        ),
    ),
    verify=(
        Statement(
            text="The server's log shows a tools/list with the next message.", source=_SOURCE, confidence="medium"
        ),
        Statement(
            text="The Function Name Filter List of the connection does not leave out the tool that is missed.",
            source=_DOCS,
            confidence="high",
        ),
    ),
    naming=Naming(rule=open_webui, pattern="<server id>_<tool>"),
    notes=(
        Statement(
            text="Connections are kept in the database and in no file; WEBUI_SECRET_KEY must stay the same, or tools behind OAuth break.",
            source=_DOCS,
            confidence="high",
        ),
    ),
    reports=("open-webui#13373", "open-webui#29808", "open-webui#29879"),
)
