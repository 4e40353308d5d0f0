"""Faults of the bytes: connections that end, and answers that are no messages."""

from __future__ import annotations

from dataclasses import replace

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing, fault

#: Half of a character: what is left where a text was cut inside of a surrogate pair.
HALF = b"\\ud83c"


@fault("unreachable", breaks="Every connection is closed without an answer.")
def unreachable(_: Passing) -> Answer:
    """Hang up on everything."""
    return Answer(ending="hang-up")


@fault(
    "wire-corrupt",
    breaks="Bytes that are no message: over stdio a banner on stdout, over HTTP half of a character in a description.",
)
def wire_corrupt(passing: Passing) -> Answer:
    """Spoil the bytes of an answer; over HTTP in the list and in the manifest alike."""
    answer = passing.honest()
    if passing.ask.transport == "stdio":
        return (
            replace(answer, body=b"The orchard is open.\n" + answer.body)
            if not passing.memory.turn("answer")
            else answer
        )
    if not (passing.ask.is_list or passing.ask.is_manifest):
        return answer
    return replace(answer, body=answer.body.replace("\u2192".encode(), HALF).replace(b"\\u2192", HALF))
