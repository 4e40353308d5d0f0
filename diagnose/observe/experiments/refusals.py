"""Requests that a modern server must refuse in one particular way: contradictory headers, methods that are no more.

MCP 2026-07-28, transports/streamable-http (Server Validation, Protocol Version Header); basic/index (Error Codes).
"""

from __future__ import annotations

from typing import Final

from diagnose.evidence.probes import Answered
from diagnose.observe.dialogue import Dialogue
from diagnose.observe.experiments.asking import ask_modern
from diagnose.observe.listing import LIST
from diagnose.wire.headers import VERSION

#: A version that there never was.
NO_VERSION: Final = "1900-01-01"
#: A method that there never was.
NO_METHOD: Final = "diagnose/no-such-method"
PING: Final = "ping"

_CONTRADICTIONS: Final[tuple[tuple[str, dict[str, str | None]], ...]] = (
    ("Mcp-Method names another method", {"Mcp-Method": "prompts/list"}),
    ("Mcp-Method is missing", {"Mcp-Method": None}),
    (f"{VERSION} names another version", {VERSION: NO_VERSION}),
)


def contradictions(dialogue: Dialogue, version: str) -> tuple[Answered, ...]:
    """Send a good request for the list again and again, each time with other headers than its body has."""
    return tuple(
        ask_modern(dialogue, LIST, version=version, what=what, headers=headers) for what, headers in _CONTRADICTIONS
    )


def removed_methods(dialogue: Dialogue, version: str) -> tuple[Answered, ...]:
    """Ask for what the modern era no longer has, and for what no era ever had."""
    return (
        ask_modern(dialogue, PING, version=version, what="a method that was removed"),
        ask_modern(dialogue, NO_METHOD, version=version, what="a method that never was"),
    )
