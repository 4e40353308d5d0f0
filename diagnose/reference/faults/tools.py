"""Faults of the list: what it holds, in which order, and that it moves or differs."""

from __future__ import annotations

import copy

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.capability import mute, unannounced
from diagnose.reference.faults.declare import Passing, fault
from diagnose.reference.faults.retell import Tools, absent, listed, retold
from diagnose.reference.orchard import PRESS_CIDER

INTERNAL_ERROR = -32603
#: The header that names a session; the modern era has no sessions.
SESSION = "mcp-session-id"


@fault(
    "surface-changed",
    breaks="The surface moves, and nobody is told, when a client that has listed it begins a new round at GET /tools; "
    "seen against a snapshot of the first round.",
    transports=("http",),
)
def surface_changed(passing: Passing) -> Answer:
    """Hold the moved surface from the first request for the manifest that follows a list."""
    if passing.ask.is_list:
        passing.memory.turn("list")
    if passing.ask.is_manifest and passing.memory.seen("list"):
        passing.memory.turn("moved")
    return retold(passing, moved if passing.memory.seen("moved") else _same)


@fault(
    "replica-skew",
    breaks="Two instances answer by turns, and one of them holds an older surface; no changes are promised, and there is "
    "no manifest to tell which.",
    transports=("http",),
    tells=mute,
)
def replica_skew(passing: Passing) -> Answer:
    """Let every second list, and the handshake before it, meet the other instance."""
    if passing.ask.is_manifest:
        return absent()
    turn = passing.memory.turn("list") if passing.ask.is_list else passing.memory.seen("list")
    return unannounced(retold(passing, moved if turn % 2 else _same))


@fault(
    "server-frozen-snapshot",
    breaks="The session that was opened first is served the old list for ever, and later ones the new list; "
    "there is no manifest.",
    eras=("legacy",),
    transports=("http",),
)
def server_frozen_snapshot(passing: Passing) -> Answer:
    """Know the first session by its identifier, which only the handshake era has, and leave it as it was."""
    if passing.ask.is_manifest:
        return absent()
    if passing.ask.method == "initialize" and not passing.memory.turn("session"):
        answer = retold(passing, _same)
        passing.memory.keep("first", answer.header(SESSION))
        return answer
    first = passing.ask.header(SESSION) == passing.memory.kept("first")
    return retold(passing, _same if first else moved)


@fault(
    "list-varies-by-connection",
    breaks="Every second connection is shown a tool less, for as long as it lasts; there is no manifest.",
    transports=("http",),
)
def list_varies_by_connection(passing: Passing) -> Answer:
    """Let the connection decide, which a server must not do in the modern era."""
    if passing.ask.is_manifest:
        return absent()
    return retold(passing, (lambda tools: tools[:-1]) if passing.ask.connection % 2 else _same)


@fault(
    "list-varies-by-connection:other-requests",
    breaks="Once a connection has asked for the prompts, it is shown a tool less; there is no manifest.",
)
def list_varies_by_other_requests(passing: Passing) -> Answer:
    """Let what was asked before decide."""
    ask = passing.ask
    if ask.is_manifest:
        return absent()
    place = f"asked over connection {ask.connection}"
    if ask.method == "prompts/list":
        passing.memory.keep(place, True)
    return retold(passing, (lambda tools: tools[:-1]) if passing.memory.kept(place) else _same)


@fault("list-error", breaks="tools/list answers with an internal error, though the handshake works.")
def list_error(passing: Passing) -> Answer:
    """Fail every list."""
    return (
        Answer.refusal(passing.ask, INTERNAL_ERROR, "internal error - please retry")
        if passing.ask.is_list
        else passing.honest()
    )


@fault(
    "order-unstable",
    breaks="The same tools come in another order every time; there is no manifest, so that the list is read twice.",
    transports=("http",),
)
def order_unstable(passing: Passing) -> Answer:
    """Turn the list by one place at every request."""
    if passing.ask.is_manifest:
        return absent()
    if not passing.ask.is_list:
        return passing.honest()
    tools = passing.tools()
    turn = passing.memory.turn("list") % len(tools)
    return listed(passing, tools[turn:] + tools[:turn])


@fault("name-collision", breaks="Two tools with different definitions have one name.")
def name_collision(passing: Passing) -> Answer:
    """Give the later tool the first one's name."""
    return retold(passing, lambda tools: [*tools, {**copy.deepcopy(PRESS_CIDER), "name": tools[0]["name"]}])


@fault("invalid-definition", breaks="The input schema of one tool is not that of an object.")
def invalid_definition(passing: Passing) -> Answer:
    """Let the first tool take a bare text."""
    return retold(passing, lambda tools: [{**tools[0], "inputSchema": {"type": "string"}}, *tools[1:]])


def moved(tools: Tools) -> Tools:
    """Return the surface after a release: one tool more, and one that now demands what was optional."""
    first = copy.deepcopy(tools[0])
    schema = first["inputSchema"]
    schema["required"] = sorted(schema["properties"])
    return [first, *tools[1:], copy.deepcopy(PRESS_CIDER)]


def _same(tools: Tools) -> Tools:
    return tools
