"""Faults between the first word and the first list."""

from __future__ import annotations

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing, fault

INTERNAL_ERROR = -32603


@fault(
    "auth-blocked",
    breaks="The MCP endpoint refuses every credential, and none, with 401.",
    transports=("http",),
)
def auth_blocked(passing: Passing) -> Answer:
    """Refuse whatever comes to the MCP endpoint; what is beside it stays open."""
    if not passing.ask.path.startswith("/mcp"):
        return passing.honest()
    challenge = ("www-authenticate", 'Bearer error="invalid_token"')
    return Answer.of({"error": "invalid_token"}, status=401, headers=(("content-type", "application/json"), challenge))


@fault("handshake-failed", breaks="Neither server/discover nor initialize comes to an end: both answer with an error.")
def handshake_failed(passing: Passing) -> Answer:
    """Fail the handshake of either era."""
    return (
        Answer.refusal(passing.ask, INTERNAL_ERROR, "cannot start a session")
        if passing.ask.is_handshake
        else passing.honest()
    )


@fault("timed-out", breaks="The MCP side takes every request and never answers; seen quickly with --timeout 1.")
def timed_out(passing: Passing) -> Answer:
    """Leave the client waiting."""
    return Answer(ending="silence") if passing.ask.method is not None else passing.honest()
