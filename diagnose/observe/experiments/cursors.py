"""Two questions about cursors: what becomes of one that nobody issued, and of one that was issued a walk ago.

MCP 2026-07-28, server/utilities/pagination: an invalid cursor should be refused with -32602, cursors should be stable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from diagnose.evidence.observation import Observation
from diagnose.evidence.probes import Answered, CursorAgain
from diagnose.observe.experiments.asking import ask, ask_modern
from diagnose.observe.listing import LIST, ListReader
from diagnose.observe.session import Session

#: A cursor that no server has issued.
INVENTED: Final = "diagnose-no-such-cursor"


def invented_cursor(session: Session) -> Answered:
    """Ask for a page with a cursor that nobody issued."""
    return _ask_page(session, INVENTED, "a cursor that nobody issued")


def cursor_again(session: Session, *, now: Callable[[], str]) -> CursorAgain | str:
    """Read the list twice over one session, and use the first cursor of the first walk once more.

    Returns in words why that says nothing, where it does not.
    """
    reader = ListReader(session, now=now)
    first, second = reader.read(), reader.read()
    if first.surface is None or second.surface is None:
        return "the list could not be read twice over one session"
    if len(first.pages) < 2:
        return "the list has one page"
    if first.surface.digest != second.surface.digest:
        return "the list changed between two walks"
    cursor = str(first.pages[0].next_cursor)
    answer = _ask_page(session, cursor, "the first cursor of an earlier walk")
    return CursorAgain(
        cursor=cursor,
        then=first.pages[1].names,
        now=_names(answer.result),
        reissued=_first_cursor(second) == cursor,
        answer=answer,
    )


def _ask_page(session: Session, cursor: str, what: str) -> Answered:
    params = {"cursor": cursor}
    if session.era == "modern":
        return ask_modern(session.dialogue, LIST, params, version=session.protocol_version, what=what)
    return ask(session.dialogue, LIST, params, what=what)


def _first_cursor(walk: Observation) -> Any:
    return walk.pages[0].next_cursor if walk.pages else None


def _names(result: Mapping[str, Any] | None) -> tuple[Any, ...] | None:
    tools = result.get("tools") if result is not None else None
    if not isinstance(tools, list):
        return None
    return tuple(tool.get("name") if isinstance(tool, Mapping) else None for tool in tools)
