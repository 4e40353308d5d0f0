"""The tool lists of a recording: which request continues which walk, and what each walk came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.evidence.observation import Page
from diagnose.judge.timeline.deeds import Exposure, Moment, Refusal, Walk, WirePage
from diagnose.judge.timeline.model import Session
from diagnose.surface import JsonError, Surface
from diagnose.wire.paging import Walk as Paging

MANIFEST = "meridian/toolManifest"
#: Walks of one session that may be open at once, different lists that are remembered of it, cursors that are.
_MOST_OPEN, _MOST_OLDER, _MOST_CURSORS = 16, 50, 20_000
#: Lists that are remembered so that an equal one is kept once.
_MOST_LISTS = 2_000
#: Pages of one walk that are kept; no list that ends has so many.
_MOST_PAGES = 10_000


class Listing:
    """Follows every walk of one recording. Equal lists are kept once, however often they were sent.

    ``marked``: a definition that says of itself that it was redacted was so by our own recorder, with its true digest.
    """

    def __init__(self, *, marked: bool = False) -> None:
        self._marked = marked
        self._names: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._surfaces: dict[tuple[str | None, str | None, str], Surface] = {}
        self._issued: dict[str, set[str | None]] = {}
        self._open: dict[str, list[Walk]] = {}

    def asked(self, session: Session, cursor: Any, at: Moment) -> Walk:
        """Take in a request for a page, and return the walk that it belongs to."""
        given = cursor if isinstance(cursor, str) else None
        walk = self._continued(session, given) if given is not None else None
        if walk is not None:
            walk.state, walk.asks = "asking", walk.asks + 1
            return walk
        session.lists_asked += 1
        walk = Walk(
            asked=at,
            cursor=given,
            principal=session.principal,
            signals_before=session.signals.total,
            calls_before=session.calls_made,
        )
        walk.paging = Paging()
        if given is not None:
            owners = self._issued.get(given)
            walk.invented = owners is None
            walk.borrowed_from = _stranger(owners or set(), session.principal)
        session.walks.put(walk)
        held_open = self._open.setdefault(session.key, [])
        held_open.append(walk)
        del held_open[:-_MOST_OPEN]
        return walk

    def answered(self, session: Session, walk: Walk, result: Any, asked: Moment, at: Moment) -> None:
        """Take in a page."""
        walk.answered, walk.signals_after, walk.era = at, session.signals.total, session.era
        if not isinstance(result, Mapping):
            result = {}
        if "resultType" in result:
            session.modern_words, walk.era = True, session.era or "modern"
        cursor = walk.cursor if not walk.pages else _expected(walk)
        if len(walk.pages) >= _MOST_PAGES:
            walk.pages.pop()  # A walk that never ends keeps its beginning and its newest page.
        walk.pages.append(WirePage(asked=asked, answered=at, page=_page(cursor, result, self._once(result))))
        following = result.get("nextCursor")
        if isinstance(following, str) and (following in self._issued or len(self._issued) < _MOST_CURSORS):
            self._issued.setdefault(following, set()).add(session.principal)
        self._judge(session, walk, result)

    def refused(self, walk: Walk, refusal: Refusal) -> None:
        """Take in a refusal of a page."""
        walk.state, walk.refusal, walk.answered, walk.paging = "refused", refusal, refusal.at, None

    def _once(self, result: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the names on a page; those of equal pages are kept once, as far as there is room."""
        tools = result.get("tools")
        names = (
            tuple(entry.get("name") for entry in tools if isinstance(entry, Mapping)) if isinstance(tools, list) else ()
        )
        if not all(isinstance(name, str) for name in names) or len(self._names) >= _MOST_LISTS:
            return names
        return self._names.setdefault(names, names)

    def _continued(self, session: Session, cursor: str) -> Walk | None:
        """Return the open walk whose last page issued this cursor; the newest, where several did."""
        for walk in reversed(self._open.get(session.key, ())):
            if walk.state in {"open", "faulty"} and _expected(walk) == cursor:
                return walk
        return None

    def _judge(self, session: Session, walk: Walk, result: Mapping[str, Any]) -> None:
        if walk.paging is None:  # It never ends, and the client asks on.
            walk.state = "faulty"
            return
        progress = walk.paging.feed(result, 0)
        if progress == "asking":
            walk.state = "open"
            return
        failure, tools = walk.paging.failure, walk.paging.tools
        walk.paging = None
        if failure is not None:
            walk.state, walk.fault, walk.says = "faulty", failure.rule, failure.message
            return
        walk.state = "complete"
        meta = result.get("_meta")
        walk.meta = meta if isinstance(meta, Mapping) else None
        if walk.cursor is None:
            self._complete(session, walk, tools)

    def _complete(self, session: Session, walk: Walk, tools: list[Any]) -> None:
        try:
            walk.surface = self._interned(tools, session.instructions)
        except JsonError as error:
            walk.state, walk.fault, walk.says = "faulty", "limit-exceeded", str(error)
            return
        _expose(session, walk)
        older = session.held
        if older is not None and older.surface is not None and walk.asked.frame < older.asked.frame:
            # Answers that overtook each other: what the client asked for last is what it should hold.
            if older.surface is not walk.surface and len(session.out_of_order) < _MOST_OLDER:
                session.out_of_order.append((walk, older))
            return
        if older is not None and older.surface is not None and older.surface is not walk.surface:
            session.older.append(older.surface)
            del session.older[:-_MOST_OLDER]
        session.held = walk

    def _interned(self, tools: list[Any], instructions: str | None) -> Surface:
        take_up = Surface.recorded if self._marked else Surface.of
        surface = take_up(tools, instructions)
        told = surface.names if surface.digest is not None else [tool.identity for tool in surface.tools]
        key = (surface.digest, instructions, "\n".join(told))
        if key not in self._surfaces and len(self._surfaces) >= _MOST_LISTS:
            self._surfaces.pop(next(iter(self._surfaces)))
        return self._surfaces.setdefault(key, surface)


def _expose(session: Session, walk: Walk) -> None:
    newest = session.exposures.newest
    if walk.answered is None:
        return
    if newest is not None and newest.surface is walk.surface:
        newest.last, newest.lists = walk.answered, newest.lists + 1
    else:
        session.exposures.put(Exposure(walk=walk, last=walk.answered))


def _stranger(owners: set[str | None], principal: str | None) -> str | None:
    """Return to whom else a cursor was issued; None where that is not told, or it was issued to this one too."""
    if principal is None or None in owners or principal in owners:
        return None
    return min((owner for owner in owners if owner is not None), default=None)


def _expected(walk: Walk) -> Any:
    return walk.pages[-1].page.next_cursor if walk.pages else None


def _page(cursor: str | None, result: Mapping[str, Any], names: tuple[Any, ...]) -> Page:
    meta = result.get("_meta")
    manifest = meta.get(MANIFEST) if isinstance(meta, Mapping) else None
    told = manifest if isinstance(manifest, Mapping) else {}
    return Page(
        cursor=cursor,
        next_cursor=result.get("nextCursor"),
        names=names,
        ttl_ms=result.get("ttlMs"),
        cache_scope=result.get("cacheScope"),
        revision=told.get("revision"),
        count=told.get("count"),
    )
