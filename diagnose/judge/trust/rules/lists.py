"""Rules of how long lists may be kept, and for whom, over all kinds of lists (C1, C2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.rules.hints import SCOPES
from diagnose.judge.trust.deeds import ListPage
from diagnose.judge.trust.ledger import LISTS
from diagnose.judge.trust.needs import lists_again, modern_answers, states

FAMILY = "state-lists"
_CACHING = "MCP 2026-07-28, server/utilities/caching"
#: A list is compared with those of so many other callers, the latest.
_CALLERS = 5
_CAPABILITY = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resources",
}


@check(
    "list-hints-wrong",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="Every answer that a cache may keep says for how long and for whom, in the modern era (C1).",
    why="A cache that meets no valid hint keeps nothing, or keeps what it must not.",
    remedy="Send ttlMs, a whole number of milliseconds from 0 on, and cacheScope, public or private.",
    source=_CACHING,
    message="{method} {what}.",
    needs=(modern_answers,),
)
def list_hints_wrong(case: Case) -> Iterable[Seen]:
    """Look at the hints of lists, discovery and resources."""
    for line, state in states(case):
        found: dict[tuple[str, str], list[ListPage]] = {}
        for page in state.ledger.pages:
            for what in _flaws(page) if page.modern else ():
                found.setdefault((page.method, what), []).append(page)
        for (method, what), pages in found.items():
            yield Seen(
                args={"method": method, "what": what},
                evidence=line.frames(*(page.answered for page in pages[:10])),
            )


def _flaws(page: ListPage) -> Iterator[str]:
    if page.missing:
        yield f"lacks {' and '.join(page.missing)}"
    ttl, scope = page.ttl, page.scope
    if "ttlMs" not in page.missing and (isinstance(ttl, bool) or not isinstance(ttl, int) or ttl < 0):
        yield f"has a ttlMs that is no whole number from 0 on: {repr(ttl)[:40]}"
    if "cacheScope" not in page.missing and scope not in SCOPES:
        yield f"has a cacheScope that is neither public nor private: {repr(scope)[:40]}"


@check(
    "list-scope-differs",
    family=FAMILY,
    layer="origin",
    severity="warning",
    summary="The lists of one server are for the same audience, page by page and kind by kind (C1).",
    why="One option governs them all: where one list ignores it, either that list leaks or the others are not shared.",
    remedy="Apply the scope to tools, prompts, resources and templates alike, and to every page.",
    source=_CACHING,
    message="The lists are not for one audience: {scopes}.",
    needs=(modern_answers,),
)
def list_scope_differs(case: Case) -> Iterable[Seen]:
    """Compare the scopes of the lists that one caller was sent."""
    for line, state in states(case):
        for principal in dict.fromkeys(page.principal for page in state.ledger.pages):
            pages = [
                page
                for page in state.ledger.pages
                if page.modern and page.method in LISTS and page.principal == principal and page.scope in SCOPES
            ]
            scopes: dict[str, list[str]] = {}
            for page in pages:
                known = scopes.setdefault(page.method, [])
                if page.scope not in known:
                    known.append(page.scope)
            if len({scope for each in scopes.values() for scope in each}) > 1:
                first = [next(page for page in pages if page.method == method) for method in scopes]
                yield Seen(
                    args={"scopes": {method: " and ".join(each) for method, each in scopes.items()}},
                    evidence=line.frames(*(page.answered for page in first)),
                )
                break


@check(
    "list-kept-too-long",
    family=FAMILY,
    layer="origin",
    severity="warning",
    summary="A list that varies is not kept without a signal, and one that differs by caller is private (C2).",
    why="A cache serves one caller the list of another, or an old list until its time is over.",
    remedy="Declare listChanged and send it, or lower the TTL to 0; say private where the list differs by caller.",
    source=_CACHING,
    message="{method} {what}.",
    needs=(lists_again,),
)
def list_kept_too_long(case: Case) -> Iterable[Seen]:
    """Compare lists of one kind: of one caller over time, and of two callers."""
    for line, state in states(case):
        for method in LISTS:
            pages = [page for page in state.ledger.pages if page.method == method and not page.cursor]
            told: set[str] = set()
            for old, new in _neighbours(pages):
                what = _kept(old, new)
                if what is not None and what not in told:
                    told.add(what)
                    yield Seen(
                        args={"method": method, "what": what},
                        evidence=line.frames(old.answered, new.answered),
                        severity="error" if "public" in what else None,
                    )


def _neighbours(pages: Sequence[ListPage]) -> Iterator[tuple[ListPage, ListPage]]:
    """Yield each list with the one before it of the same caller, and with the one before it of another."""
    own: dict[str | None, ListPage] = {}
    for page in pages:
        others = [newest for principal, newest in own.items() if principal != page.principal]
        for old in (*others[-_CALLERS:], own.pop(page.principal, None)):
            if old is not None:
                yield old, page
        own[page.principal] = page


def _kept(old: ListPage, new: ListPage) -> str | None:
    if old.digest == new.digest:
        return None
    if old.principal != new.principal:
        differ = "public" in (old.scope, new.scope)
        return "is public, and two authorizations get different ones" if differ else None
    if not _positive(old.ttl) or new.answered.t > old.answered.t + old.ttl / 1000 or _signals(old):
        return None
    return "may be kept, changed inside its TTL, and the server declares no listChanged for it"


def _positive(ttl: object) -> bool:
    return isinstance(ttl, int) and not isinstance(ttl, bool) and ttl > 0


def _signals(page: ListPage) -> bool:
    capability = (page.session.capabilities or {}).get(_CAPABILITY[page.method])
    return isinstance(capability, dict) and capability.get("listChanged") is True
