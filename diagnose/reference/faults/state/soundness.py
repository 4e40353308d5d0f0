"""Faults of what the signals are for: answers that change, and nothing says so."""

from __future__ import annotations

import json

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing
from diagnose.reference.faults.state.parts import (
    CODES,
    REFUND,
    answered,
    calls,
    state_fault,
    tag,
    text,
    without_stale_uris,
)


@state_fault(
    "answer-changed-unannounced:uncovered",
    breaks="A change says that something else is stale than what it changed.",
    tells=without_stale_uris,
)
def answer_changed_uncovered(passing: Passing) -> Answer:
    """Name the wrong domain."""
    return answered(passing, REFUND, lambda content: [tag(REFUND, "reference.*"), *content[1:]])


@state_fault(
    "answer-changed-unannounced:immutable", breaks="An answer that is said to be immutable is another one each time."
)
def answer_changed_immutable(passing: Passing) -> Answer:
    """Add a currency each time."""
    turn = passing.memory.turn("codes") if calls(passing, CODES) else 0
    return answered(passing, CODES, lambda _: [text(json.dumps(["CHF", "EUR", "NOK", *["XTS"] * turn]))])


@state_fault(
    "failed-call-changed-state",
    breaks="A call changes what it should, and then fails without a word of that.",
    tells=without_stale_uris,
)
def failed_call_changed_state(passing: Passing) -> Answer:
    """Fail once the change is made, as when the receipt cannot be printed."""
    answer = passing.honest()
    result = answer.result
    if not calls(passing, REFUND) or result is None or result.get("isError"):
        return answer
    return answer.with_result({**result, "content": [text("The printer is offline; try again.")], "isError": True})
