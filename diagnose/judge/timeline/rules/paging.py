"""Rules of paging, as the frames of a walk show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.pages import mixture
from diagnose.judge.timeline.deeds import Refusal, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules.needs import client_list, two_lists, whole_list
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.walks import same_list, same_order
from diagnose.wire.message import RpcErrorBody
from diagnose.wire.paging import is_cursor_refusal

_PAGINATION = "MCP 2026-07-28, server/utilities/pagination"


def walks(case: Case) -> Iterator[tuple[Timeline, Session, Walk]]:
    """Yield every walk of every recording."""
    for line in case.timelines:
        for session in line.sessions:
            for walk in session.walks:
                yield line, session, walk


def _endless(case: Case, rule: str) -> Iterator[Seen]:
    """Yield the walks whose paging cannot end, each server once: what it does, it does to all."""
    for line in case.timelines:
        found = [(session, walk) for session in line.sessions for walk in session.walks if walk.fault == rule]
        for session, walk in found[:1]:
            names = {name for page in walk.pages for name in page.page.names if isinstance(name, str)}
            last = walk.pages[-1]
            yield Seen(
                args={"cursor": last.page.next_cursor, "pages": len(walk.pages), "names": len(names)},
                evidence=line.frames(*(page.answered for page in walk.pages[-2:])),
                layer=line.layer("server"),
                session=line.label(session),
                literal=f"{walk.says}; {len(names)} different names came on {len(walk.pages)} pages",
            )


@also("cursor-loop", needs=(client_list,))
def cursor_loop(case: Case) -> Iterable[Seen]:
    """Look for a cursor or a page that came again."""
    return _endless(case, "cursor-loop")


@also("cursor-empty-string", needs=(client_list,))
def cursor_empty_string(case: Case) -> Iterable[Seen]:
    """Look for an empty cursor behind which a page came again."""
    return _endless(case, "cursor-empty-string")


def _refuses_cursor(refusal: Refusal | None) -> bool:
    return refusal is not None and is_cursor_refusal(RpcErrorBody(code=refusal.code, message=refusal.message))


def _read_later(session: Session, walk: Walk) -> bool:
    return any(other.whole and other.asked.frame > walk.asked.frame for other in session.walks)


@also("cursor-rejected", needs=(client_list,))
def cursor_rejected(case: Case) -> Iterable[Seen]:
    """Look for a cursor that was issued and then refused; where a later walk worked, the list had only changed."""
    for line, session, walk in walks(case):
        if walk.pages and _refuses_cursor(walk.refusal) and walk.refusal is not None:
            later = _read_later(session, walk)
            yield Seen(
                args={"cursor": walk.pages[-1].page.next_cursor, "code": walk.refusal.code},
                evidence=line.frames(walk.pages[-1].answered, walk.refusal.at),
                layer=line.layer("server"),
                session=line.label(session),
                severity="note" if later else None,
                says="The server refuses the cursor {cursor} that it has just issued (error {code})"
                + ("; a fresh walk worked, so the list had changed." if later else "."),
            )


@check(
    "cursor-invented",
    family="paging",
    layer="wire",
    severity="error",
    summary="A client sends no cursor that nobody issued.",
    why="A strict server refuses it, and the client has no tools although the server is well.",
    remedy="Leave the cursor out of the first request.",
    source=f"{_PAGINATION}: cursors are opaque and come from the server",
    message="{client} asks for its first page with a cursor that nobody issued, {cursor}, and is refused (error {code}).",
    needs=(client_list,),
)
def cursor_invented(case: Case) -> Iterable[Seen]:
    """Look for a first request with a cursor that was refused, with no list read since."""
    for standing in case.standings:
        for session in standing.client.sessions:
            for walk in session.walks:
                if walk.invented and not walk.pages and _refuses_cursor(walk.refusal) and walk.refusal is not None:
                    yield Seen(
                        args={"client": standing.client.name, "cursor": walk.cursor, "code": walk.refusal.code},
                        evidence=standing.frames(walk.asked, walk.refusal.at),
                        layer=standing.timeline.layer("client"),
                        session=standing.timeline.label(session),
                        severity="note" if _read_later(session, walk) else None,
                        confidence="proven" if session.began else "likely",
                    )


@also("page-mixed-snapshot", needs=(whole_list,))
def page_mixed_snapshot(case: Case) -> Iterable[Seen]:
    """Look for a walk that joined pages of two lists; the newest of a session, and a note once whole walks followed."""
    for line in case.timelines:
        for session in line.sessions:
            read = [walk for walk in session.walks if walk.whole]
            mixed = [walk for walk in read if mixture(line.reading(session, walk)) is not None]
            if not mixed:
                continue
            found = mixture(line.reading(session, mixed[-1]))
            settled = mixed[-1] not in read[-2:]
            if found is not None:
                yield Seen(
                    args={"sign": found.sign, "tools": found.names},
                    evidence=line.frames(*(page.answered for page in mixed[-1].pages)),
                    layer=line.layer("server"),
                    session=line.label(session),
                    severity="note" if settled else None,
                )


@check(
    "page-scope-differs",
    family="paging",
    layer="origin",
    severity="error",
    summary="All pages of one list have one cacheScope.",
    why="A shared cache keeps some pages of a list that is meant for one caller, and mixes the lists of several.",
    remedy="Give every page of a list the same cacheScope.",
    source="MCP 2026-07-28, server/utilities/caching: cacheScope is the same on all pages",
    message="The pages of one list carry different scopes: {scopes}.",
    needs=(origin_list,),
)
def page_scope_differs(case: Case) -> Iterable[Seen]:
    """Compare the scopes of the pages of each reading of the origin."""
    for reading in case.readings:
        scopes = [str(page.cache_scope) for page in reading.pages]
        if reading.era == "modern" and len(set(scopes)) > 1:
            evidence = tuple(f"page {number}: {scope}" for number, scope in enumerate(scopes, start=1))
            yield Seen(args={"scopes": scopes}, evidence=evidence)
            return


@also("page-scope-differs", needs=(client_list,))
def page_scope_differs_on_the_wire(case: Case) -> Iterable[Seen]:
    """Compare the scopes of the pages of each walk, and tell each server once."""
    for line in case.timelines:
        for session, walk in [(each, walk) for each in line.sessions for walk in each.walks]:
            scopes = [str(page.page.cache_scope) for page in walk.pages]
            if walk.era == "modern" and len(set(scopes)) > 1:
                evidence = line.frames(*(page.answered for page in walk.pages))
                yield Seen(
                    args={"scopes": scopes},
                    evidence=evidence,
                    layer=line.layer("server"),
                    session=line.label(session),
                )
                break


@check(
    "page-truncated",
    family="paging",
    layer="wire",
    severity="error",
    summary="A client follows every page.",
    why="Its user misses the tools of the later pages, new ones first, and nothing says so.",
    remedy="Use a client that reads every page, or let the server put all tools on one.",
    source=f"{_PAGINATION}: a result with nextCursor is not the whole list",
    message="{client} read {names} tools on {pages} and never asked for the next page{cursor}.",
    needs=(client_list,),
)
def page_truncated(case: Case) -> Iterable[Seen]:
    """Look for a client whose newest walk ended on a page that named another one."""
    for standing in case.standings:
        walk = standing.client.walks[-1] if standing.client.walks else None
        if walk is not None and walk.state == "open" and walk.cursor is None and walk.answered is not None:
            yield _truncated(standing, walk, standing.silence(walk.answered.t))


def _truncated(standing: Standing, walk: Walk, silence: object) -> Seen:
    names = [str(name) for page in walk.pages for name in page.page.names]
    following, pages = walk.pages[-1].page.next_cursor, len(walk.pages)
    more = _known_to_hold_more(standing, names)
    # Servers that mean the end by "" are as many as clients that take it for the end: it takes more to tell.
    undecided = silence is None or (following == "" and not more)
    return Seen(
        args={"client": standing.client.name, "names": len(names), "next": following},
        words={
            "pages": "1 page" if pages == 1 else f"{pages} pages",
            "cursor": ' ("", which is a cursor)' if following == "" else f" ({following})",
        },
        evidence=standing.frames(walk.pages[-1].answered),
        layer=standing.timeline.layer("client"),
        session=standing.label,
        severity="note" if undecided else None,
        confidence="possible" if undecided else "likely" if silence == "likely" and not more else "proven",
    )


def _known_to_hold_more(standing: Standing, names: list[str]) -> bool:
    """Tell whether the list that was observed outside begins with these names and goes on."""
    listed = standing.outside
    return listed is not None and len(listed.names) > len(names) and list(listed.names[: len(names)]) == names


@also("order-unstable", needs=(two_lists,))
def order_unstable(case: Case) -> Iterable[Seen]:
    """Look for two neighbouring lists of one session with one set and two orders."""
    for line in case.timelines:
        for session in line.sessions:
            read = [walk for walk in session.walks if walk.surface is not None]
            for older, newer in pairwise(read):
                left, right = older.surface, newer.surface
                if left is None or right is None or left is right or same_order(left, right):
                    continue
                if same_list(left, right):
                    pairs = enumerate(zip(left.names, right.names, strict=False), start=1)
                    yield Seen(
                        args={
                            "count": len(right.tools),
                            "position": next((place for place, (one, other) in pairs if one != other), 1),
                        },
                        evidence=line.frames(older.answered, newer.answered),
                        layer=line.layer("server"),
                        session=line.label(session),
                    )
                    break
