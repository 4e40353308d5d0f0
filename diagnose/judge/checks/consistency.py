"""Checks over several walks, or several pages, of one list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from diagnose.evidence.observation import Observation
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list, two_walks
from diagnose.judge.checks.probed import asked_beside, other_era
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.checks.shapes import changed, changed_words, failed
from diagnose.judge.pages import Mixture, between, mixture
from diagnose.judge.walks import same_list, same_order, surface_of
from diagnose.surface import difference, relation

_DETERMINISTIC = "MCP 2026-07-28, server/tools: servers should return tools in a deterministic order"


@check(
    "replica-skew",
    family="consistency",
    layer="origin",
    severity="error",
    summary="Fresh walks bring one list, or change it once.",
    why="Which tools a client holds depends on the instance that it met.",
    remedy="Bring every instance to one surface; until then pin a client to one instance.",
    source="catalogue of causes, replica-skew, Walks",
    message="Walks of the list alternate: {order}; they differ in {tools}.",
    needs=(two_walks,),
)
def replica_skew(case: Case) -> Iterable[Seen]:
    """Look for a list that comes again after another one."""
    if case.walks.pattern == "skew":
        yield Seen(
            args=_alternation(case),
            evidence=_evidence(case),
            # With the build known to be one, nothing but its instances can differ.
            confidence="proven" if _one_build(case) else "likely",
        )


@check(
    "server-frozen-snapshot",
    family="consistency",
    layer="origin",
    severity="error",
    summary="An open session gets the list that a new one gets.",
    why="A client stays stale until it reconnects, whatever it does.",
    remedy="Build the list per request, or refresh it in open sessions when it changes.",
    source="catalogue of causes, server-frozen-snapshot, Walks",
    message="An older session still gets the old list while a new one gets another: {order}; they differ in {tools}.",
    needs=(two_walks,),
)
def server_frozen_snapshot(case: Case) -> Iterable[Seen]:
    """Look for sessions that each keep to a list of their own, the older ones to the older list."""
    if case.walks.pattern == "frozen" and not _without_sessions(case):
        yield Seen(args=_alternation(case), evidence=_evidence(case))


@check(
    "list-varies-by-connection",
    family="consistency",
    layer="origin",
    severity="error",
    summary="The list does not depend on the connection that asks for it, or on what was asked before.",
    why="Two clients of one user see two surfaces, and a proxy that shares connections mixes them.",
    remedy="Build the list from the request's authorization alone.",
    source="MCP 2026-07-28, server/tools, Capabilities: the set MUST NOT vary per-connection or as a side effect of other "
    "requests on the connection",
    message="Connections of one caller get lists of their own, again and again: {order}; they differ in {tools}.",
    needs=(two_walks,),
)
def list_varies_by_connection(case: Case) -> Iterable[Seen]:
    """Look for connections that each keep to a list of their own; before 2026-07-28 that was allowed."""
    pattern, modern = case.walks.pattern, bool(case.walks.walks) and case.walks.walks[-1].era == "modern"
    if pattern == "connection" or (pattern == "frozen" and _without_sessions(case)):
        yield Seen(
            args=_alternation(case),
            evidence=_evidence(case),
            severity=None if modern else "warning",
            # Behind one address there may be instances, each of which is bound to a connection.
            confidence="proven" if _one_build(case) else "likely",
        )


@also("list-varies-by-connection", needs=(asked_beside,))
def list_varies_by_requests(case: Case) -> Iterable[Seen]:
    """Look for a list that is another one each time after other things were asked; before 2026-07-28 that was allowed."""
    beside = case.bundle.probes.beside if case.bundle.probes is not None else None
    rounds = beside.rounds if beside is not None else ()
    before = [surface for each in rounds if (surface := surface_of(each.before)) is not None]
    after = [surface for each in rounds if (surface := surface_of(each.after)) is not None]
    again = len(before) > 1 and all(each.changed for each in rounds) and same_list(before[0], before[1])
    if not again or case.walks.pattern not in {"single", "steady"}:
        return  # It changed once, or it changes whatever is asked.
    methods = list(rounds[0].asked)
    yield Seen(
        args={"asked": methods, "tools": [change.subject for change in difference(before[0], after[0])]},
        words={"methods": ", ".join(methods)},
        evidence=tuple(
            f"tools/list before and after {', '.join(each.asked)}, session {n}" for n, each in enumerate(rounds, 1)
        ),
        severity=None if rounds[0].before.era == "modern" else "warning",
        says="The list is another one once other things were asked over the same connection ({methods}), each time anew: "
        "it differs in {tools}.",
    )


def _without_sessions(case: Case) -> bool:
    """Tell whether nothing but the connection tells two walks apart: the modern era has no sessions over HTTP."""
    newest = case.walks.walks[-1] if case.walks.walks else None
    return newest is not None and newest.era == "modern" and case.bundle.target.transport == "http"


def _alternation(case: Case) -> dict[str, object]:
    first, second = case.walks.walk_of(0).surface, case.walks.walk_of(1).surface
    tools = [] if first is None or second is None else [change.subject for change in difference(first, second)]
    return {"order": ", ".join(_letter(number) for number in case.walks.lists), "tools": tools}


def _evidence(case: Case) -> tuple[str, ...]:
    return tuple(
        f"walk {place}: list {_letter(number)}, digest {walk.surface.digest if walk.surface else None}"
        for place, (walk, number) in enumerate(zip(case.walks.walks, case.walks.lists, strict=True), start=1)
    )


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"list {number + 1}"


def _one_build(case: Case) -> bool:
    seen = case.bundle.deployed
    return seen is not None and len([sample for sample in seen.samples if sample.build]) > 1


@check(
    "changed-while-observed",
    family="consistency",
    layer="origin",
    severity="note",
    summary="The list keeps still while it is observed.",
    why="A change in the middle of the observation is no fault, but what was read before it is out of date.",
    remedy="Look again.",
    source="catalogue of causes, Walks: A, B, B is a change",
    message="The list changed while it was observed, and stayed: {what}.",
    needs=(two_walks,),
)
def changed_while_observed(case: Case) -> Iterable[Seen]:
    """Look for walks that differ once and then agree."""
    if case.walks.pattern == "changed":
        for pair in case.comparisons:
            if pair.older.startswith("origin#") and pair.relation == "different":
                facts = changed(pair)
                yield Seen(args=facts, words=changed_words(facts), evidence=(pair.older, pair.newer))


@check(
    "page-mixed-snapshot",
    family="consistency",
    layer="origin",
    severity="error",
    summary="The pages of one walk are pages of one list.",
    why="A list that was put together from two is one that the server never had: a tool twice, another missing.",
    remedy="Tie cursors to one version of the list, or refuse a cursor once the list has changed.",
    source="catalogue of causes, page-mixed-snapshot; MCP 2026-07-28, server/utilities/caching: no consistency across pages",
    message="The pages of one walk belong to different lists: {sign}.",
    needs=(origin_list,),
)
def page_mixed_snapshot(case: Case) -> Iterable[Seen]:
    """Look for one definition on two pages, or revisions that differ between pages."""
    yield from failed(case, "page-mixed-snapshot")
    signs = [mixture(walk) or _between(case, place) for place, walk in enumerate(case.walks.walks)]
    mixed = [(place, found) for place, found in enumerate(signs, start=1) if found is not None]
    whole = [walk for walk, found in zip(case.walks.walks, signs, strict=True) if found is None]
    settled = _two_agree(whole)
    for place, found in mixed if settled else mixed[-1:]:
        yield _mixed(place, found, settled=settled)


def _between(case: Case, place: int) -> Mixture | None:
    walks = case.walks.walks
    return between(*walks[place - 1 : place + 2]) if 0 < place < len(walks) - 1 else None


def _mixed(place: int, found: Mixture, *, settled: bool) -> Seen:
    return Seen(
        args={"walk": place, "kind": found.kind, "tools": found.names},
        words={"sign": found.sign},
        evidence=found.evidence,
        severity="note" if settled else None,
        says="Walk {walk} joined pages of different lists ({sign}); two whole walks agree since." if settled else None,
    )


def _two_agree(walks: list[Observation]) -> bool:
    surfaces = [walk.surface for walk in walks if walk.surface is not None]
    return any(relation(left, right) != "different" for left, right in pairwise(surfaces))


@check(
    "order-unstable",
    family="consistency",
    layer="origin",
    severity="warning",
    summary="Two lists of the same tools have the same order.",
    why="A model's prompt cache is lost with each new order, and a comparison by bytes cries wolf.",
    remedy="Sort the list before it is sent.",
    source=_DETERMINISTIC,
    message="Two walks bring the same {count} tools in different orders, from position {position} on.",
    needs=(two_walks,),
)
def order_unstable(case: Case) -> Iterable[Seen]:
    """Look for two neighbouring walks with one set and two orders."""
    for older, newer in pairwise(case.walks.walks):
        if older.surface is None or newer.surface is None or same_order(older.surface, newer.surface):
            continue
        if relation(older.surface, newer.surface) != "different":
            names = zip(older.surface.names, newer.surface.names, strict=False)
            position = next((place for place, (left, right) in enumerate(names, start=1) if left != right), 1)
            yield Seen(args={"count": len(newer.surface.tools), "position": position})
            return


@check(
    "eras-differ",
    family="consistency",
    layer="origin",
    severity="note",
    summary="Both eras of the protocol list the same tools.",
    why="Two clients of one server then see two surfaces, and neither is stale.",
    remedy="Serve both eras from one list, if that is what is meant.",
    source="catalogue of causes: a difference between eras is a note",
    message="The lists of the {older} and the {newer} era differ: {tools}.",
    needs=(other_era,),
)
def eras_differ(case: Case) -> Iterable[Seen]:
    """Compare the newest walk of each era, as one principal."""
    yield from _eras(case)


def _eras(case: Case) -> Iterator[Seen]:
    newest = case.walks.walks[-1] if case.walks.walks else None
    listed = surface_of(newest)
    if newest is None or listed is None:
        return
    for other in reversed(case.walks.others):
        surface = surface_of(other)
        if surface is not None and other.principal == newest.principal and other.era != newest.era:
            if relation(surface, listed) == "different":
                tools = [change.subject for change in difference(surface, listed)]
                yield Seen(args={"older": other.era, "newer": newest.era, "tools": tools})
            return
