"""Faults of paging. The list is dealt out in pages of two, whatever the server's own page size is."""

from __future__ import annotations

import copy

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.capability import mute, unannounced
from diagnose.reference.faults.declare import Passing, fault
from diagnose.reference.faults.retell import Tools, absent, listed
from diagnose.reference.orchard import PRESS_CIDER

INVALID_PARAMS = -32602
#: Tools on the first page; the rest is on the second.
FIRST = 2
#: The cursor of the second page.
SECOND = "page-2"
#: Tools on each of the endless pages: enough that a reader's limit is met soon.
ENDLESS = 2_500
#: Tools that the growing list gains before it starts over.
SEEDLINGS = 100


@fault("cursor-loop", breaks="Paging never ends: the last page hands out its own cursor again.")
def cursor_loop(passing: Passing) -> Answer:
    """Deal two pages; the second one's cursor leads to itself."""
    return _dealt(passing)


@fault(
    "cursor-empty-string", breaks="An empty string is sent as the cursor to mean the end; asked with, it starts over."
)
def cursor_empty_string(passing: Passing) -> Answer:
    """Put everything on one page, with an empty cursor behind it."""
    if not passing.ask.is_list:
        return passing.honest()
    return listed(passing, passing.tools(), following="", issued=("",))


@fault("cursor-rejected", breaks="A cursor that was just handed out is refused, though nothing has changed.")
def cursor_rejected(passing: Passing) -> Answer:
    """Hand out a cursor and know nothing of it."""
    if passing.ask.is_list and passing.ask.cursor is not None:
        return Answer.refusal(passing.ask, INVALID_PARAMS, "unknown cursor")
    return _dealt(passing)


@fault(
    "page-mixed-snapshot",
    breaks="The pages of one walk come from different lists, so that a tool comes twice; no changes are promised, "
    "and there is no manifest.",
    tells=mute,
)
def page_mixed_snapshot(passing: Passing) -> Answer:
    """Let the list grow at the front with every page; cursors are offsets, as they often are."""
    if passing.ask.is_manifest:
        return absent()
    if not passing.ask.is_list:
        return unannounced(passing.honest())
    whole = [*_seedlings(passing.memory.turn("page") % SEEDLINGS), *passing.tools()]
    if passing.ask.cursor is None:
        return listed(passing, whole[:FIRST], following=str(FIRST), whole=whole)
    return listed(passing, whole[FIRST:], whole=whole, issued=(str(FIRST),))


@fault("limit-exceeded", breaks="There is always one more page, with new tools on it.")
def limit_exceeded(passing: Passing) -> Answer:
    """Make every page of new tools."""
    if not passing.ask.is_list:
        return passing.honest()
    cursor = passing.ask.cursor or "0"
    if not cursor.isdecimal():
        return Answer.refusal(passing.ask, INVALID_PARAMS, "nobody issued this cursor")
    number = int(cursor)
    page = [{"name": f"tree_{number}_{branch}", "inputSchema": {"type": "object"}} for branch in range(ENDLESS)]
    return listed(passing, page, following=str(number + 1), whole=passing.tools(), issued=(cursor,))


@fault("cursor-unchecked", breaks="A cursor that nobody issued is answered with the first page.")
def cursor_unchecked(passing: Passing) -> Answer:
    """Take what is not understood for nothing."""
    answer = passing.honest()
    if passing.ask.is_list and passing.ask.cursor is not None and answer.result is None:
        return passing.server.answer(passing.ask.without_cursor())
    return answer


@fault("cursor-unstable", breaks="Every walk has cursors of its own, and each cursor is good for one request.")
def cursor_unstable(passing: Passing) -> Answer:
    """Deal two pages; hand out another cursor every time, and forget it once it was used."""
    if not passing.ask.is_list:
        return passing.honest()
    memory, whole, cursor = passing.memory, passing.tools(), passing.ask.cursor
    if cursor is None:
        following = f"page-2-{memory.turn('walk')}"
        memory.keep(following, following)
        return listed(passing, whole[:FIRST], following=following, whole=whole)
    issued = (memory.kept(cursor),)
    memory.keep(cursor, None)
    return listed(passing, whole[FIRST:], whole=whole, issued=issued)


@fault("page-sizes", breaks="The first page of the list has no tools; all of them are on the second.")
def page_sizes(passing: Passing) -> Answer:
    """Deal an empty page first."""
    if not passing.ask.is_list:
        return passing.honest()
    whole = passing.tools()
    if passing.ask.cursor is None:
        return listed(passing, [], following=SECOND, whole=whole)
    return listed(passing, whole, whole=whole, issued=(SECOND,))


def _dealt(passing: Passing) -> Answer:
    """Deal the list out on two pages, each of them with the cursor of the second."""
    if not passing.ask.is_list:
        return passing.honest()
    whole = passing.tools()
    page = whole[:FIRST] if passing.ask.cursor is None else whole[FIRST:]
    return listed(passing, page, following=SECOND, whole=whole, issued=(SECOND,))


def _seedlings(count: int) -> Tools:
    return [{**copy.deepcopy(PRESS_CIDER), "name": f"plant_seedling_{number}"} for number in range(count, 0, -1)]
