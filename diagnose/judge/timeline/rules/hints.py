"""Rules of the cache hints: whether they are there, valid, true, and used as they are meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, TypeAlias

from diagnose.evidence.observation import Page
from diagnose.judge.case import Case
from diagnose.judge.checks.probed import modern_hints
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.timeline.deeds import Moment, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules.needs import client_list, modern_list, two_principals, whole_list
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.walks import same_list

_CACHING = "MCP 2026-07-28, server/utilities/caching"
SCOPES = ("public", "private")
Flaws: TypeAlias = Callable[[Page], Iterator[str]]
#: So many lists in a row, each as long after the last one as the list's TTL, are a clock and no use.
_POLLS = 4
_JITTER = 0.1


def ttl_flaws(page: Page) -> Iterator[str]:
    """Yield what is wrong with how long one page of a modern list may be kept."""
    ttl = page.ttl_ms
    if ttl is None:
        others = [name for name in page.hints if name not in {"cacheScope", "ttlMs"}]
        yield "ttlMs is missing" + (f" (there is {', '.join(map(_shown, others))})" if others else "")
    elif isinstance(ttl, bool) or not isinstance(ttl, int):
        yield f"ttlMs is no whole number but {_shown(ttl)}"
    elif ttl < 0:
        yield f"ttlMs is negative ({ttl})"


def scope_flaws(page: Page) -> Iterator[str]:
    """Yield what is wrong with for whom one page of a modern list may be kept."""
    scope = page.cache_scope
    if scope is None:
        yield "cacheScope is missing"
    elif scope not in SCOPES:
        yield f"cacheScope is neither public nor private but {_shown(scope)}"


def _flaws(case: Case) -> Flaws:
    """Return what counts as misuse: a fault of either hint is this cause, unless a check of its own tells the scope."""
    if case.bundle.probes is not None:
        return ttl_flaws
    return lambda page: chain(ttl_flaws(page), scope_flaws(page))


def _shown(value: Any) -> str:
    return repr(value)[:40]


def told_wrong(case: Case, flaws: Flaws) -> Iterator[Seen]:
    """Look at the hints of our own reading; what a bundle leaves out need not have been missing on the wire."""
    origin = case.origin
    if origin is None:
        return
    # A bundle may state the hints of the whole list alone.
    told = origin.pages or (Page(cursor=None, ttl_ms=origin.ttl_ms, cache_scope=origin.cache_scope),)
    found = list(dict.fromkeys(flaw for page in told for flaw in flaws(page)))
    found = found if case.bundle.live else [flaw for flaw in found if "missing" not in flaw]
    if found:
        pages = [number for number, page in enumerate(told, start=1) if any(flaws(page))]
        yield Seen(args={"flaws": found}, evidence=tuple(f"page {number}" for number in pages))


def _sent_wrong(case: Case, flaws: Flaws) -> Iterator[Seen]:
    """Look at the hints of every modern list that crossed."""
    for line in case.timelines:
        modern = [(each, walk) for each in line.sessions for walk in each.walks if walk.era == "modern"]
        pages = [(each, page) for each, walk in modern for page in walk.pages if any(flaws(page.page))]
        if pages:
            found = list(dict.fromkeys(flaw for _, page in pages for flaw in flaws(page.page)))
            yield Seen(
                args={"flaws": found},
                evidence=line.frames(*(page.answered for _, page in pages[:5])),
                layer=line.layer("server"),
                session=line.label(pages[0][0]),
            )


@check(
    "ttl-misuse",
    family="hints",
    layer="origin",
    severity="error",
    summary="A modern list says how long it may be kept; a client takes that for an expiry.",
    why="A strict client refuses a list without valid hints; one that polls at the TTL loads the server and learns nothing.",
    remedy="Send ttlMs as whole milliseconds on every page: long for a list that stands still, short with a channel for one that moves, 0 where you are unsure.",
    source=f"{_CACHING}: ttlMs is required on a list result, and at least 0",
    message="The hints of a modern list are wrong: {flaws}.",
    needs=(modern_hints,),
)
def ttl_misuse(case: Case) -> Iterable[Seen]:
    """Look at our own reading."""
    return told_wrong(case, _flaws(case))


@also("ttl-misuse", needs=(modern_list,))
def ttl_misuse_on_the_wire(case: Case) -> Iterable[Seen]:
    """Look at every modern list that crossed."""
    return _sent_wrong(case, _flaws(case))


@also("ttl-misuse", needs=(modern_list,))
def broken_promise(case: Case) -> Iterable[Seen]:
    """Look for a list that changed while it was promised to keep: allowed, and hard on whoever believed it."""
    for standing in case.standings:
        until, held = standing.fresh_until, standing.held
        early = [pair for pair in standing.pairs if pair.relation == "different" and pair.t is not None]
        changed = min((pair.t for pair in early if pair.t is not None), default=None)
        if (
            held is None
            or held.answered is None
            or until is None
            or changed is None
            or not held.answered.t < changed < until
        ):
            continue
        yield Seen(
            args={"ttlMs": held.ttl_ms, "after": round(changed - held.answered.t, 1)},
            evidence=(*standing.frames(held.answered), *(pair.side for pair in early)),
            layer=standing.timeline.layer("server"),
            session=standing.label,
            severity="warning",
            says="The list was promised for {ttlMs} ms, and had changed {after} s later.",
        )


@also("ttl-misuse", needs=(modern_list,))
def polled_by_the_clock(case: Case) -> Iterable[Seen]:
    """Look for a client that takes the TTL for an interval: it lists at each expiry, with nothing else in between."""
    for standing in case.standings:
        for session in standing.client.sessions:
            run = _by_the_clock([walk for walk in session.walks if walk.whole])
            if run:
                yield Seen(
                    args={"client": standing.client.name, "lists": len(run), "ttlMs": run[0].ttl_ms},
                    evidence=standing.frames(*(walk.asked for walk in run[:6])),
                    layer=standing.timeline.layer("client"),
                    session=standing.timeline.label(session),
                    says="{client} listed {lists} times at the interval of the TTL ({ttlMs} ms): it polls by it.",
                )


def _by_the_clock(read: Sequence[Walk]) -> list[Walk]:
    run: list[Walk] = []
    for older, newer in pairwise(read):
        ttl = older.ttl_ms
        number = isinstance(ttl, (int, float)) and not isinstance(ttl, bool) and ttl > 0
        due = ttl / 1000 if number else 0.0
        on_time = number and abs(newer.asked.t - older.asked.t - due) <= max(_JITTER * due, 0.05)
        # A busy client that lists again because it is about to use an expired list keeps the same time.
        unasked = newer.signals_before == older.signals_before and newer.calls_before == older.calls_before
        if on_time and unasked and older.surface is newer.surface:
            run = [*run, newer] if run else [older, newer]
        elif len(run) > _POLLS:
            break
        else:
            run = []
    return run if len(run) > _POLLS else []


@also("ttl-misuse", needs=(modern_list,))
def used_after_expiry(case: Case) -> Iterable[Seen]:
    """Look for calls by a list that had expired, and that was listed again later: a warning."""
    for standing in case.standings:
        for session in standing.client.sessions:
            for older, newer in pairwise([walk for walk in session.walks if walk.whole]):
                late = _expired_call(session, older, newer)
                if late is not None:
                    yield Seen(
                        args={"client": standing.client.name, "ttlMs": older.ttl_ms},
                        evidence=standing.frames(older.answered, late, newer.asked),
                        layer=standing.timeline.layer("client"),
                        session=standing.timeline.label(session),
                        severity="warning",
                        says="{client} went on with its list after the {ttlMs} ms that it was good for, and listed again later.",
                    )
                    break


def _expired_call(session: Session, older: Walk, newer: Walk) -> Moment | None:
    ttl = older.ttl_ms
    if older.answered is None or older.era != "modern" or isinstance(ttl, bool) or not isinstance(ttl, int) or ttl <= 0:
        return None
    expiry = older.answered.t + ttl / 1000
    uses = [call.asked for call in session.calls] + [
        moment for tally in session.tallies.values() for moment in (tally.first, tally.last)
    ]
    return min((use for use in uses if expiry < use.t < newer.asked.t), key=lambda use: use.t, default=None)


@check(
    "scope-leak",
    family="hints",
    layer="origin",
    severity="error",
    summary="A list that is meant for one authorization reaches no other.",
    why="One user sees, and may call, what another one may; or misses what is theirs.",
    remedy="Key every cache by authorization and server, and mark lists that differ by caller private.",
    source=f"{_CACHING}: a public result may be shared between callers",
    message="A list is marked public, and two authorizations get different ones.",
    needs=(two_principals, whole_list),
)
def scope_leak(case: Case) -> Iterable[Seen]:
    """Look for public lists that differ by caller."""
    for line in case.timelines:
        yield from _public_and_different(line)


@also("scope-leak", needs=(two_principals, client_list))
def borrowed_cursor(case: Case) -> Iterable[Seen]:
    """Look for a cursor of one caller in the hands of another; for that, no list has to be whole."""
    for standing in case.standings:
        yield from _borrowed(standing)


def _public_and_different(line: Timeline) -> Iterator[Seen]:
    read = [(each, walk) for each in line.sessions for walk in each.walks if walk.surface and walk.principal]
    read.sort(key=lambda item: item[1].asked.frame)
    for (_, older), (session, newer) in pairwise(read):
        public = any(page.page.cache_scope == "public" for walk in (older, newer) for page in walk.pages)
        if older.principal == newer.principal or not public or older.surface is None or newer.surface is None:
            continue
        if not same_list(older.surface, newer.surface):
            later = [
                walk.surface
                for _, walk in read
                if walk.surface and walk.principal == older.principal and walk.asked.frame > newer.asked.frame
            ]
            again = any(same_list(each, older.surface) for each in later)
            if not again and (
                _announced_between(line, older, newer) or any(same_list(each, newer.surface) for each in later)
            ):
                continue  # The list moved on for both of them.
            yield Seen(
                args={"older": len(older.surface.tools), "newer": len(newer.surface.tools)},
                evidence=line.frames(older.answered, newer.answered),
                layer=line.layer("server"),
                session=line.label(session),
                confidence="proven" if again else "likely",
            )
            return


def _announced_between(line: Timeline, older: Walk, newer: Walk) -> bool:
    """Tell whether anybody was told of a change between two lists."""
    return any(
        older.asked.frame < signal.at.frame < newer.asked.frame for each in line.sessions for signal in each.signals
    )


def _borrowed(standing: Standing) -> Iterator[Seen]:
    for session in standing.client.sessions:
        for walk in session.walks:
            if walk.borrowed_from is not None and walk.pages:
                yield Seen(
                    args={"client": standing.client.name},
                    evidence=standing.frames(walk.asked, walk.pages[0].answered),
                    layer=standing.timeline.layer("client"),
                    session=standing.timeline.label(session),
                    says="{client} reads the next page of a list with a cursor that another authorization was given.",
                )
