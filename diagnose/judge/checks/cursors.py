"""Checks on paging: cursors that are out of the order, invented or kept from an earlier walk, and what a page holds."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list
from diagnose.judge.checks.probed import invented_cursor, old_cursor
from diagnose.judge.checks.registry import Seen, check
from diagnose.wire.message import INVALID_PARAMS

_PAGINATION = "MCP 2026-07-28, server/utilities/pagination"
_FAMILY = "paging"
#: From so many pages on, with fewer tools on each than this, paging costs more than it saves.
_MANY, _FEW = 10, 2


@check(
    "cursor-unchecked",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="A cursor that nobody issued is refused with JSON-RPC error -32602.",
    why="A client whose cursor has run out is given some page for an answer, and puts a wrong list together.",
    remedy="Refuse unknown cursors with -32602.",
    source=f"{_PAGINATION}, Error Handling: an invalid cursor should be refused with -32602",
    message="A cursor that nobody issued is answered with {answer}.",
    needs=(invented_cursor, origin_list),
)
def cursor_unchecked(case: Case) -> Iterable[Seen]:
    """Look at the answer to the invented cursor; another refusal than the one that is due is a note."""
    answer = case.bundle.probes.bogus_cursor if case.bundle.probes is not None else None
    if answer is None or (answer.refused and answer.code == INVALID_PARAMS):
        return
    tools = answer.result.get("tools") if answer.result is not None else None
    page = f"a page of {len(tools)} tools" if isinstance(tools, list) else "a result"
    yield Seen(
        args={"code": answer.code, "status": answer.status, "tools": len(tools) if isinstance(tools, list) else None},
        words={"answer": page if answer.result is not None else f"JSON-RPC error {answer.code}"},
        evidence=("tools/list with an invented cursor",),
        severity=None if answer.result is not None else "note",
    )


@check(
    "cursor-unstable",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="A cursor leads to the same page for as long as the list stays the same.",
    why="A client that keeps pages by their cursors must read the whole list again to have one of them.",
    remedy="Make cursors of the place in the list and its revision, not of the walk.",
    source=f"{_PAGINATION}: servers should provide stable cursors; server/utilities/caching: a page is fetched again by its cursor",
    message="A cursor of an earlier walk {answer}, though the list is the same.",
    needs=(old_cursor,),
)
def cursor_unstable(case: Case) -> Iterable[Seen]:
    """Look at where the old cursor leads; that the later walk got another one which is as good is a note."""
    again = case.bundle.probes.cursor_again if case.bundle.probes is not None else None
    if again is None or (again.now == again.then and again.reissued):
        return
    if again.now is None:
        answer = f"is refused with JSON-RPC error {again.answer.code}" if again.answer.refused else "is not answered"
    elif again.now != again.then:
        answer = f"leads to a page of {len(again.now)} tools where it led to {len(again.then)}"
        if len(again.now) == len(again.then):
            answer = "leads to other tools"
    else:
        answer = "still works, and a new walk is given others"
    yield Seen(
        args={"cursor": again.cursor[:200], "then": list(again.then[:20]), "now": list((again.now or ())[:20])},
        words={"answer": answer},
        evidence=("the first cursor of a walk, used again after the next walk",),
        severity="note" if again.now == again.then else None,
    )


@check(
    "page-sizes",
    family=_FAMILY,
    layer="origin",
    severity="note",
    summary="Every page brings tools, and more than one where there are many.",
    why="Some clients stop at a page without tools, and every page costs a request before anything can be called.",
    remedy="Fill the pages; a list of a few hundred tools fits one.",
    source=f"{_PAGINATION}, Pagination Model: the page size is the server's to choose; practice of clients",
    message="The list comes on {pages} pages of {sizes} tools.",
    needs=(origin_list,),
)
def page_sizes(case: Case) -> Iterable[Seen]:
    """Look for a page without tools that others follow, and for pages of one."""
    pages = case.walks.walks[-1].pages if case.walks.walks else ()
    sizes = [len(page.names) for page in pages]
    empty = [number for number, size in enumerate(sizes[:-1], 1) if not size]
    if empty or (len(sizes) > _MANY and sum(sizes) < _FEW * len(sizes)):
        yield Seen(
            args={"pages": len(sizes), "sizes": sizes[:50]},
            words={"sizes": ", ".join(map(str, sizes[:10])) + (" and so on" if len(sizes) > 10 else "")},
            evidence=tuple(f"page {number}" for number in (empty or range(1, len(sizes) + 1))[:5]),
        )
