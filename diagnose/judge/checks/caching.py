"""Checks on the caching hints of the modern era: where they are missing, and whether they are true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from diagnose.evidence.observation import Observation
from diagnose.freshness.hints import read_hints
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list
from diagnose.judge.checks.probed import modern_hints, modern_walks, modern_walks_twice, other_hints, probed
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.clock import seconds_after
from diagnose.judge.timeline.rules.hints import scope_flaws, told_wrong
from diagnose.judge.walks import same_list
from diagnose.judge.words import counted

_CACHING = "MCP 2026-07-28, server/utilities/caching"
_FAMILY = "cache"
#: Nobody means to have a list asked for again before a second is over.
_SECOND = 1_000
#: Numbers that people write for a time in seconds, and hardly ever for one in milliseconds.
_SECONDS = frozenset({1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400, 604_800})
_MONTH = 30 * 86_400_000
_DECISION = (
    "A list that stands still and is the same for all may be public and long; one that is filtered by caller is private; "
    "one that moves is short, with a channel for signals; where you are unsure: private, or 0."
)


@check(
    "cache-scope-invalid",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="A modern list says whether it may be shared between callers, in one of the two words that there are.",
    why="Clients take anything but `public` for private, or refuse the list; a shared cache may do otherwise.",
    remedy="Send cacheScope as public where all callers get one list, else, and where you are unsure, as private.",
    source=f"{_CACHING}: cacheScope is required, and is public or private",
    message="The scope of a modern list is wrong: {flaws}.",
    needs=(probed, modern_hints),
)
def cache_scope_invalid(case: Case) -> Iterable[Seen]:
    """Look at our own reading."""
    return told_wrong(case, scope_flaws)


@check(
    "ttl-unit",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="ttlMs is a number of milliseconds that somebody can have meant.",
    why="Seconds taken for milliseconds let the list expire at once, and every client asks again and again.",
    remedy="Multiply by 1000: ttlMs is in milliseconds.",
    source=f"{_CACHING}: ttlMs is in milliseconds",
    message="ttlMs is {ttlMs}, that is {seconds}: it looks like a number of seconds.",
    needs=(probed, modern_hints),
)
def ttl_unit(case: Case) -> Iterable[Seen]:
    """Look for times that only make sense in seconds."""
    for ttl, page in _times(case):
        if 0 < ttl < _SECOND or ttl in _SECONDS:
            yield Seen(args={"ttlMs": ttl}, words={"seconds": f"{ttl / 1000:g} s"}, evidence=(page,))
            return


@check(
    "ttl-too-long",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="A list is not promised for longer than a month.",
    why="A client that believes it asks no more, and shows the old tools for as long.",
    remedy=_DECISION,
    source=f"{_CACHING}: ttlMs is how long a client may take the result for fresh",
    message="ttlMs is {ttlMs}, that is {days} days.",
    needs=(probed, modern_hints),
)
def ttl_too_long(case: Case) -> Iterable[Seen]:
    """Look for times that outlast any session, and most releases."""
    for ttl, page in _times(case):
        if ttl > _MONTH:
            yield Seen(args={"ttlMs": ttl}, words={"days": str(ttl // 86_400_000)}, evidence=(page,))
            return


def _times(case: Case) -> Iterator[tuple[int, str]]:
    """Yield each valid time of the newest walk of the modern era, with its page."""
    for walk in modern_walks(case)[-1:]:
        for number, page in enumerate(walk.pages, start=1):
            if isinstance(page.ttl_ms, int) and not isinstance(page.ttl_ms, bool):
                yield page.ttl_ms, f"page {number}"


@check(
    "cache-hints-missing-elsewhere",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="Discovery, prompts, resources and resource templates carry valid caching hints, too.",
    why="A strict client refuses a result without them, and a proxy has no rule for whom it may keep it.",
    remedy="Send ttlMs and cacheScope with every complete result of these methods, on every page.",
    source=f"{_CACHING}, Cacheable Results: servers must include both",
    message="{method} is answered with hints that are wrong on {pages}: {flaws}.",
    needs=(other_hints,),
)
def cache_hints_missing_elsewhere(case: Case) -> Iterable[Seen]:
    """Read the hints of every result but the tool list's own, as a client would."""
    probes = case.bundle.probes
    for hinted in probes.hints if probes is not None else ():
        wrong = {number: _flaws(page) for number, page in enumerate(hinted.pages, start=1) if _flaws(page)}
        if wrong:
            flaws = list(dict.fromkeys(flaw for found in wrong.values() for flaw in found))
            yield Seen(
                args={"method": hinted.method, "flaws": flaws},
                words={"pages": counted(len(wrong), "page")},
                evidence=tuple(f"{hinted.method}, page {number}" for number in list(wrong)[:5]),
            )


def _flaws(page: Mapping[str, Any]) -> list[str]:
    """Say what is wrong with the hints of a result; a time that is too long is not wrong."""
    said = {"absent": "is missing", "negative": "is negative"}
    return [
        f"{flaw.field} {said.get(flaw.kind, f'is {str(flaw.value)[:40]!r}')}"
        for flaw in read_hints(page).flaws
        if flaw.kind != "excessive"
    ]


@also("page-scope-differs", needs=(other_hints,))
def other_scopes(case: Case) -> Iterable[Seen]:
    """Compare the scopes of the pages of every other list."""
    probes = case.bundle.probes
    for hinted in probes.hints if probes is not None else ():
        scopes = [str(page.get("cacheScope")) for page in hinted.pages]
        if len(set(scopes)) > 1:
            yield Seen(args={"method": hinted.method, "scopes": scopes}, evidence=(hinted.method,))


@check(
    "cache-hints-legacy",
    family=_FAMILY,
    layer="origin",
    severity="note",
    summary="A list of the older era carries no caching hints.",
    why="They mean nothing there: a client of that era does not know them, and a strict one may refuse the result.",
    remedy="Leave ttlMs and cacheScope out of the results of versions before 2026-07-28.",
    source="MCP 2025-11-25, server/tools: a list has no such members",
    message="A list of version {version} carries {members}.",
    needs=(probed, origin_list),
)
def cache_hints_legacy(case: Case) -> Iterable[Seen]:
    """Look for hints on the lists of the older era."""
    for walk in (*case.walks.walks, *case.walks.others):
        members = sorted({name for page in walk.pages for name in page.hints})
        if walk.era == "legacy" and members:
            yield Seen(args={"version": walk.protocol_version, "members": members}, evidence=("page 1",))
            return


@check(
    "ttl-on-varying-list",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="A list that differs from walk to walk is not promised to keep.",
    why="Whoever believes the promise holds a list that was out of date as soon as it came.",
    remedy=_DECISION,
    source=f"{_CACHING}: ttlMs is how long a client can reasonably avoid to ask again",
    message="The list is promised for {ttlMs} ms, and {lists} lists came in {walks} walks.",
    needs=(probed, modern_walks_twice),
)
def ttl_on_varying_list(case: Case) -> Iterable[Seen]:
    """Look for a promise on a list that is another one again and again."""
    walks = case.walks
    ttl = _promised(walks.walks[-1])
    if ttl and sum(older != newer for older, newer in pairwise(walks.lists)) > 1:
        yield Seen(args={"ttlMs": ttl, "lists": len(set(walks.lists)), "walks": len(walks.walks)})


@also("ttl-misuse", needs=(probed, modern_walks_twice))
def changed_inside(case: Case) -> Iterable[Seen]:
    """Look for a list that changed once while it was promised to keep: allowed, and hard on whoever believed it."""
    moves = [
        (place, older, newer)
        for place, (older, newer) in enumerate(pairwise(case.walks.walks), 1)
        if _moved(older, newer)
    ]
    if len(moves) != 1:
        return
    place, older, newer = moves[0]
    ttl, passed = _promised(older), seconds_after(older.at, newer.at)
    if ttl and passed is not None and passed * 1000 < ttl:
        yield Seen(
            args={"ttlMs": ttl, "after": round(passed, 1)},
            evidence=(f"walk {place}", f"walk {place + 1}"),
            severity="warning",
            says="The list was promised for {ttlMs} ms, and another one came {after} s later.",
        )


def _moved(older: Observation, newer: Observation) -> bool:
    return older.surface is not None and newer.surface is not None and not same_list(older.surface, newer.surface)


def _promised(walk: Observation) -> int:
    """Return for how many milliseconds the whole of a walk may be kept: as long as its first page to expire."""
    times = [page.ttl_ms for page in walk.pages]
    valid = [time for time in times if isinstance(time, int) and not isinstance(time, bool) and time > 0]
    return min(valid) if valid and len(valid) == len(times) else 0
