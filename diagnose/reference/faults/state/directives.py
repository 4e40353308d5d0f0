"""Faults of `[Cache-Control: …]` in descriptions."""

from __future__ import annotations

from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing
from diagnose.reference.faults.state.parts import ADJUST, CODES, REFUND, STOCK, described, state_fault, telling_of
from diagnose.statesync import strip_directives, write_directive

_IMMUTABLE, _NO_STORE = "[Cache-Control: immutable]", "[Cache-Control: no-store]"


@state_fault("directive-differs:value", breaks="A tool shows no-store where its author declared immutable.")
def directive_differs_value(passing: Passing) -> Answer:
    """Show the default of everything."""
    return described(passing, CODES, lambda words: write_directive(words, "no-store"))


@state_fault("directive-differs:lost", breaks="A tool shows no directive though its author declared one.")
def directive_differs_lost(passing: Passing) -> Answer:
    """Lose the directive, as servers do that match wire names by dotted patterns."""
    return described(passing, CODES, strip_directives)


@state_fault("directive-differs:undeclared", breaks="A tool shows a directive that nobody declared.")
def directive_differs_undeclared(passing: Passing) -> Answer:
    """Show the directive of another tool of the namespace."""
    return described(passing, ADJUST, lambda words: write_directive(words, "no-store"))


@state_fault("directive-malformed:several", breaks="A description has two directives, and they contradict each other.")
def directive_malformed_several(passing: Passing) -> Answer:
    """Put a directive in front of the one at the end."""
    return described(passing, CODES, lambda words: f"{_NO_STORE} {words}")


@state_fault("directive-malformed:place", breaks="A directive stands in the middle of a description.")
def directive_malformed_place(passing: Passing) -> Answer:
    """Say more behind it."""
    return described(passing, CODES, lambda words: f"{words} Sorted by name.")


@state_fault("directive-malformed:value", breaks="A directive has a value that is none of the two.")
def directive_malformed_value(passing: Passing) -> Answer:
    """Take it for the header of HTTP."""
    return described(passing, CODES, lambda words: words.replace("immutable", "max-age=60"))


@state_fault("directive-malformed:spelling", breaks="A directive is written in small letters.")
def directive_malformed_spelling(passing: Passing) -> Answer:
    """Write it as HTTP allows it."""
    return described(passing, CODES, lambda words: words.replace("Cache-Control", "cache-control"))


@state_fault("directive-malformed:spacing", breaks="Two spaces stand in front of a directive.")
def directive_malformed_spacing(passing: Passing) -> Answer:
    """Add the directive to a description that ended in a space."""
    return described(passing, CODES, lambda words: words.replace(" [", "  ["))


@state_fault("immutable-mutation:annotated", breaks="A tool that destroys by its annotations says immutable.")
def immutable_mutation_annotated(passing: Passing) -> Answer:
    """Give the refund the directive of the reads beside it."""
    return described(passing, REFUND, lambda words: write_directive(words, "immutable"))


@state_fault(
    "immutable-mutation:observed",
    breaks="A tool without annotations says immutable, and its calls make something stale; seen with --allow-mutations.",
)
def immutable_mutation_observed(passing: Passing) -> Answer:
    """Leave the annotations out as well."""

    def change(tool: ToolDict) -> ToolDict:
        told = {**tool, "description": write_directive(tool["description"], "immutable")}
        return {key: value for key, value in told.items() if key != "annotations"}

    return telling_of(passing, REFUND, change)


@state_fault("directive-unstable:loosened", breaks="A tool shows no-store in the first list, and immutable later.")
def directive_unstable_loosened(passing: Passing) -> Answer:
    """Change the word after the first list."""
    if passing.ask.is_list and not passing.memory.turn("list"):
        return passing.honest()
    return described(passing, STOCK, lambda words: words.replace(_NO_STORE, _IMMUTABLE))


@state_fault("directive-unstable:decorated", breaks="A directive is added to a description again with each list.")
def directive_unstable_decorated(passing: Passing) -> Answer:
    """Decorate what is decorated already, once more each time."""
    times = passing.memory.turn("list") if passing.ask.is_list else passing.memory.seen("list")
    return described(passing, STOCK, lambda words: words + f" {_NO_STORE}" * times)
