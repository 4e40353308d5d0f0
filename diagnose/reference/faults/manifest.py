"""Faults of the list outside MCP, and of what the server says of its own list."""

from __future__ import annotations

from typing import Any

from diagnose.reference.contract import MANIFEST, REVISION_FIELD, SERVER_INFO
from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing, fault
from diagnose.surface import revision

#: The key in a list's `_meta` under which a Meridian tells of trouble with a tenant's tunnel.
TUNNEL_HEALTH = "meridian/tunnelHealth"
GATE = b"""<!doctype html>
<html><head><title>Orchard: sign in</title></head>
<body><form method="post"><input type="password" name="password"><button>Enter</button></form></body></html>
"""


@fault(
    "manifest-gated",
    breaks="GET /tools answers with a page that asks for a password, with status 200.",
    transports=("http",),
)
def manifest_gated(passing: Passing) -> Answer:
    """Put a password page before the manifest, as a staging server's gate does."""
    if passing.ask.is_manifest:
        return Answer(headers=(("content-type", "text/html; charset=utf-8"),), body=GATE)
    return passing.honest()


@fault(
    "manifest-disagrees",
    breaks="GET /tools and tools/list define one tool differently, though one build serves both.",
    transports=("http",),
)
def manifest_disagrees(passing: Passing) -> Answer:
    """Serve the manifest from an older copy, in which the first tool takes nothing."""
    answer = passing.honest()
    if not passing.ask.is_manifest:
        return answer
    first, *rest = passing.tools()
    return Answer.of([{**first, "inputSchema": {"type": "object"}}, *rest])


@fault("revision-mismatch", breaks="The revision beside a list is that of another list.")
def revision_mismatch(passing: Passing) -> Answer:
    """Advertise the revision of a list that lacks the last tool."""
    return _advertising(passing, "revision", lambda tools: revision(tools[:-1]))


@fault("count-mismatch", breaks="The count beside a list is not the number of its tools.")
def count_mismatch(passing: Passing) -> Answer:
    """Count one tool too many."""
    return _advertising(passing, "count", lambda tools: len(tools) + 1)


@fault(
    "revision-places-differ", breaks="The handshake tells one revision in the server information and another in _meta."
)
def revision_places_differ(passing: Passing) -> Answer:
    """Leave the server information as it was a tool ago."""
    answer = passing.honest()
    result = answer.result
    if not passing.ask.is_handshake or result is None:
        return answer
    info = result["serverInfo"] if "serverInfo" in result else result["_meta"][SERVER_INFO]
    info[REVISION_FIELD] = revision(passing.tools()[:-1])
    return answer.with_result(result)


@fault("tunnel-degraded", breaks="The list says that the tunnel to the tenant's own tools is degraded.")
def tunnel_degraded(passing: Passing) -> Answer:
    """Report the trouble beside the list, as a Meridian does."""
    answer = passing.honest()
    result = answer.result
    if not passing.ask.is_list or result is None:
        return answer
    result["_meta"][TUNNEL_HEALTH] = {"status": "degraded", "message": "the tunnel gave no tools"}
    return answer.with_result(result)


def _advertising(passing: Passing, key: str, value: Any) -> Answer:
    answer = passing.honest()
    result = answer.result
    if not passing.ask.is_list or result is None:
        return answer
    result["_meta"][MANIFEST][key] = value(passing.tools())
    return answer.with_result(result)
