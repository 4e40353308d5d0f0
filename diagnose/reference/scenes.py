"""What the client bench plays to a client beside the faults: a server that does well, and then something happens to it.

Scenes are no faults: nothing finds them, for it is the client that is looked at. They stand where a fault would stand.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Fault, Passing, Telling
from diagnose.reference.faults.retell import retold
from diagnose.reference.orchard import PRESS_CIDER
from diagnose.reference.outlet import Message
from diagnose.wire.subscription import LIST_CHANGED

PREFIX = "scene:"
#: The path at which the bench says what is to happen; the honest server has it too, for changes of its surface.
CONTROL = "/control"
#: What makes a server forget its sessions, as one that starts anew does.
FORGET = {"forget": "sessions"}
#: The name of the tool whose definition is spoilt.
SPOILT = "graft_tree"
INTERNAL_ERROR = -32603
_SESSION = "mcp-session-id"

_ROW: dict[str, Any] = {"type": "object", "properties": {"row": {"type": "integer"}}}
#: What is wrong with the definition, by the name of its scene: the members that it has in the place of good ones.
SPOILS: dict[str, dict[str, Any]] = {
    "no-schema": {"inputSchema": None},
    "array-schema": {"inputSchema": {"type": "array", "items": {"type": "string"}}},
    "boolean-schema": {"inputSchema": True},
    "boolean-property": {"inputSchema": {"type": "object", "properties": {"row": True}}},
    "items-list": {
        "inputSchema": {"type": "object", "properties": {"rows": {"type": "array", "items": [{"type": "integer"}]}}}
    },
    "dangling-ref": {"inputSchema": {"type": "object", "properties": {"row": {"$ref": "#/$defs/nowhere"}}}},
    "root-any-of": {"inputSchema": {**_ROW, "anyOf": [{"required": ["row"]}, {"required": []}]}},
    "description-number": {"description": 7},
}


def spoilt(kind: str) -> ToolDict:
    """Return the definition of that scene; a member that is None there is left out."""
    tool = {**copy.deepcopy(PRESS_CIDER), "name": SPOILT, **SPOILS[kind]}
    return {name: value for name, value in tool.items() if value is not None}


def _spoiling(kind: str) -> Fault:
    def answer(passing: Passing) -> Answer:
        return retold(passing, lambda tools: [*tools, spoilt(kind)])

    return _scene(f"schema-{kind}", "A fourth tool has a definition that some clients refuse.", answer)


def _remember_signal(telling: Telling) -> Iterable[Message]:
    telling.memory.keep("told", telling.method == LIST_CHANGED or telling.memory.kept("told"))
    return (telling.message,)


def _refuse_refresh(passing: Passing) -> Answer:
    if passing.ask.is_list and passing.memory.kept("told"):
        return Answer.refusal(passing.ask, INTERNAL_ERROR, "the list cannot be had at the moment")
    return passing.honest()


def _forget_sessions(passing: Passing) -> Answer:
    memory, ask = passing.memory, passing.ask
    if ask.path == CONTROL and isinstance(ask.message, dict) and FORGET.items() <= ask.message.items():
        memory.turn("forgotten")
        for outlet in passing.outlets:
            outlet.close(clean=False)
        return Answer.of({})
    session, times = dict(ask.headers).get(_SESSION), memory.seen("forgotten")
    if session is not None and memory.first(session, times) < times:
        return Answer.of({"error": "no such session"}, status=404)
    return passing.honest()


def _scene(name: str, breaks: str, answer: Any, **rest: Any) -> Fault:
    return Fault(
        **{
            "name": PREFIX + name,
            "breaks": breaks,
            "eras": ("modern", "legacy"),
            "transports": ("http",),
            "apply": answer,
            **rest,
        }
    )


SCENES: dict[str, Fault] = {
    scene.name: scene
    for scene in (
        _scene(
            "refresh-fails",
            "The list can be had until a change was told, and then no more.",
            _refuse_refresh,
            tells=_remember_signal,
        ),
        _scene(
            "sessions-forgotten",
            "The server forgets its sessions when it is told to, as if it had started anew.",
            _forget_sessions,
            eras=("legacy",),
        ),
        *map(_spoiling, SPOILS),
    )
}
