"""Faults of how long lists may be kept, and for whom, over all kinds of lists."""

from __future__ import annotations

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.capability import unannounced
from diagnose.reference.faults.declare import Era, Passing
from diagnose.reference.faults.retell import listed
from diagnose.reference.faults.state.parts import READ, described, hinted, state_fault

MODERN: tuple[Era, ...] = ("modern",)
_PROMPTS = "prompts/list"
_SECOND = "the-second-page"


@state_fault("list-hints-wrong:missing", breaks="The list of prompts says nothing of how long it holds.", eras=MODERN)
def list_hints_missing(passing: Passing) -> Answer:
    """Leave both hints out."""
    return _of_prompts(passing, ttlMs=None, cacheScope=None)


@state_fault("list-hints-wrong:fraction", breaks="The TTL of the list of prompts is a fraction.", eras=MODERN)
def list_hints_fraction(passing: Passing) -> Answer:
    """Divide it."""
    return _of_prompts(passing, ttlMs=1.5)


@state_fault("list-hints-wrong:negative", breaks="The TTL of the list of prompts is below zero.", eras=MODERN)
def list_hints_negative(passing: Passing) -> Answer:
    """Count backwards."""
    return _of_prompts(passing, ttlMs=-1)


@state_fault("list-hints-wrong:scope", breaks="The scope of the list of prompts is a word of its own.", eras=MODERN)
def list_hints_scope(passing: Passing) -> Answer:
    """Say who runs it."""
    return _of_prompts(passing, cacheScope="server")


def _of_prompts(passing: Passing, **hints: object) -> Answer:
    answer = passing.honest()
    return hinted(answer, **hints) if passing.ask.method == _PROMPTS else answer


@state_fault(
    "list-scope-differs:kinds",
    breaks="The list of tools is public, and the lists beside it, under the same option, are private.",
    eras=MODERN,
)
def list_scope_differs_kinds(passing: Passing) -> Answer:
    """Heed the option in one list alone."""
    answer = passing.honest()
    return hinted(answer, cacheScope="public") if passing.ask.is_list else answer


@state_fault("list-scope-differs:pages", breaks="The pages of one list are for different audiences.", eras=MODERN)
def list_scope_differs_pages(passing: Passing) -> Answer:
    """Deal the list out in two pages, and say of the second what nobody said."""
    if not passing.ask.is_list:
        return passing.honest()
    tools = passing.tools()
    if passing.ask.cursor is None:
        return listed(passing, tools[:3], following=_SECOND, whole=tools)
    return hinted(listed(passing, tools[3:], whole=tools, issued=(_SECOND,)), cacheScope="public")


@state_fault(
    "list-kept-too-long:moving",
    breaks="The list of tools moves inside its TTL, and no change is promised to be told.",
    eras=MODERN,
)
def list_kept_moving(passing: Passing) -> Answer:
    """Put the number of the list into a description."""
    turn = passing.memory.turn("list") if passing.ask.is_list else passing.memory.seen("list")
    return unannounced(described(passing, READ, lambda words: f"{words} (Seen {turn} times.)"))


@state_fault(
    "list-kept-too-long:public",
    breaks="A list that differs by caller is public; seen by `statesync manifest` with --second-auth.",
    eras=MODERN,
    transports=("http",),
)
def list_kept_public(passing: Passing) -> Answer:
    """Say public of every list."""
    return (
        hinted(passing.honest(), cacheScope="public") if str(passing.ask.method).endswith("/list") else passing.honest()
    )
