"""Rules of what a client holds: a part of the list, an old one, or that of another authorization."""

from __future__ import annotations

from itertools import accumulate
from math import comb

from diagnose.clients import client
from diagnose.evidence.observation import Observation, Page
from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.clock import seconds_after, told_after
from diagnose.judge.diagnosis import Confidence
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.views.causes import evidence, explaining, explains, facts, what
from diagnose.judge.views.rules.needs import registry
from diagnose.judge.views.sides import client_side
from diagnose.judge.views.status import status_of
from diagnose.judge.views.view import View, read_view
from diagnose.judge.walks import same_list

#: Numbers at which clients are known to stop, or have been.
_CAPS = frozenset([40, 50, 60, 80, 100, 120, 128])
#: Numbers that servers and gateways put on a page.
_PAGES = frozenset([10, 20, 25, 30, 50, 100])
#: The odds against a set of tools that happens to come first in the alphabet.
_ODDS = 100


@check(
    "client-cap",
    family="views",
    layer="registry",
    severity="error",
    summary="A client has room for every tool.",
    why="Tools beyond its limit are missing, new ones first, and nothing says so.",
    remedy="Disable tools or servers that are not needed.",
    source="catalogue of causes, client-cap",
    message="The client holds the first {count} of {live} tools{order}: it takes no more.",
    needs=(registry,),
)
@explaining("client-cap", "registry")
def client_cap(case: Case, view: View) -> Seen | None:
    """Look for the first so many of an order that is the client's own, or for a number that is known as a limit."""
    if not view.is_subset or not view.kept:
        return None
    by_name = _is_prefix(sorted(view.live.by_name), view.kept)
    chosen = by_name and not _is_prefix(list(view.live.by_name), view.kept)
    unlikely = comb(view.live.count, len(view.kept)) >= _ODDS
    cap = _cap(case, view)
    if cap is None and not (chosen and unlikely):
        return None
    return Seen(
        args={**facts(view), "count": cap or len(view.kept), "live": view.live.count, "limit": cap},
        words={"order": " in the order of their names" if chosen else ""},
        evidence=evidence(view),
        confidence="likely",
    )


def _cap(case: Case, view: View) -> int | None:
    """Return the limit that the view stands at: the client's own, or one at which clients stop."""
    known = view.lens.cap
    sizes = {view.shown.count, view.held.count}
    if known in sizes:
        return known
    one_page = len(_pages(case, view)) == 1
    return next((size for size in sorted(sizes & _CAPS) if one_page or size not in _PAGES), None)


@explains("page-truncated", "registry")
def page_truncated(case: Case, view: View) -> Seen | None:
    """Look for a registry that holds just the first pages, where no frames show how it came by them."""
    if view.side == "wire" or not first_pages(case, view):
        return None
    return Seen(
        args={**facts(view), "names": len(view.kept), "client": view.lens.client},
        evidence=evidence(view),
        layer="registry",
        confidence="likely",
        says="{client} holds the first {names} tools, as they stand on the first pages: it does not follow nextCursor.",
    )


def first_pages(case: Case, view: View) -> bool:
    """Tell whether a view is the beginning of the list and ends where a page ends."""
    if not view.is_subset or not view.kept or not _is_prefix(list(view.live.by_name), view.kept):
        return False
    pages = _pages(case, view)
    if len(pages) > 1:
        ends = list(accumulate(len(page.names) for page in pages))
        return len(view.kept) in ends[:-1]
    known = client(case.bundle.client.id) if case.bundle.client is not None else None
    follows_none = known is not None and known.cursors.answer == "no"
    return not pages and follows_none and len(view.kept) in _PAGES


def _pages(case: Case, view: View) -> tuple[Page, ...]:
    """Return the pages of the list before a view, as far as they are known."""
    path, origin = case.bundle.path, case.bundle.origin
    near = path.pages if view.side == "path" and path is not None else ()
    return near if len(near) > 1 or origin is None else origin.pages


def _is_prefix(order: list[str], kept: tuple[str, ...]) -> bool:
    return set(order[: len(kept)]) == set(kept)


@explains("startup-race", "registry")
def asked_too_early(case: Case, view: View) -> Seen | None:
    """Look for a client that says itself that it is not connected yet."""
    del case
    if status_of(view) != "pending" or not view.missing:
        return None
    return Seen(
        args={"client": view.lens.client, "early": view.held.count, "now": view.live.count},
        evidence=evidence(view, "status: pending"),
        layer="registry",
        confidence="likely",
        says="{client} was still connecting when it was looked at: it held {early} of {now} tools.",
    )


@explains("auth-view-diff", "registry")
def older_grant(case: Case, view: View) -> Seen | None:
    """Look for a client that holds the list of an authorization that was looked at before another one."""
    walks = [walk for seen in (case.bundle.path, case.bundle.origin) if seen is not None for walk in _walks(seen)]
    newest = walks[-1] if walks else None
    for walk in walks[:-1]:
        if newest is None or newest.surface is None or walk.surface is None or walk.principal == newest.principal:
            continue
        if walk.principal is None or newest.principal is None or same_list(walk.surface, newest.surface):
            continue
        if view.seen.principal in {None, newest.principal} and _holds(view, walk):
            return Seen(
                args={**facts(view), "principals": [walk.principal, newest.principal]},
                evidence=evidence(view, f"the list of {walk.principal}"),
                layer="registry",
                severity="error",
                state="stale",
                confidence="likely" if view.seen.principal is None else "proven",
                says="The client holds the list of an older authorization: it {what}.",
                words={"what": what(view)},
            )
    return None


def _walks(seen: Observation) -> list[Observation]:
    return [walk for walk in (seen.samples or (seen,)) if walk.complete and walk.surface is not None]


def _holds(view: View, walk: Observation) -> bool:
    """Tell whether a view is the list of a walk."""
    if walk.surface is None:
        return False
    other = read_view(view.layer, view.seen, walk.surface, "origin", lens=view.lens, policy=view.policy)
    return other is not None and other.relation != "different"


@explains("scope-leak", "registry")
def another_one_s(case: Case, view: View) -> Seen | None:
    """Look for a client that holds the list of another authorization than its own."""
    own = view.seen.principal
    if own is None:
        return None
    walks = [walk for seen in (case.bundle.path, case.bundle.origin) if seen is not None for walk in _walks(seen)]
    mine = [walk for walk in walks if walk.principal == own]
    for walk in walks if mine else ():
        later = walks.index(walk) > walks.index(mine[-1])
        if walk.principal not in {None, own} and later and _holds(view, walk):
            return Seen(
                args={**facts(view), "principals": [walk.principal, own]},
                evidence=evidence(view, f"the list of {walk.principal}"),
                layer="registry",
                says="The client is {own} and holds the list of another authorization.",
                words={"own": own},
            )
    return None


@explains("ttl-window", "registry")
def fresh_by_contract(case: Case, view: View) -> Seen | None:
    """Look for a list that may be kept until a time that is not over yet."""
    ttl, at = view.seen.ttl_ms, view.seen.at
    if not isinstance(ttl, int) or isinstance(ttl, bool) or ttl <= 0 or at is None:
        return None
    before = case.bundle.path or case.bundle.origin
    passed = seconds_after(at, before.at if before is not None and before.at else case.bundle.created_at)
    if passed is None or passed >= ttl / 1000 or view.side == "wire":
        return None
    until = told_after(at, ttl / 1000)
    return Seen(
        args={**facts(view), "ttlMs": ttl, "at": until},
        evidence=evidence(view),
        layer="registry",
        says="The client's list is fresh by contract until {at}, and has changed meanwhile: it {what}.",
        words={"what": what(view)},
    )


@check(
    "client-discards-fresh",
    family="views",
    layer="registry",
    severity="error",
    summary="A client holds the list that it was sent.",
    why="It asked, it was answered, and its user and its model still see another list.",
    remedy="Restart the client; report it with the frames.",
    source="catalogue of causes, client-discards-fresh",
    message="The client was sent the list and does not hold it: it {what}{how}.",
    needs=(registry,),
)
@explaining("client-discards-fresh", "registry")
def client_discards_fresh(case: Case, view: View) -> Seen | None:
    """Look for a registry that is not what the client last read to its end."""
    standing = _reader(case)
    # A view that is what the client was sent, and not what the server has now, discards nothing.
    if view.side != "wire" or standing is None or not view.differs:
        return None
    return Seen(
        args={**facts(view), "client": standing.client.name},
        words={"what": what(view), "how": _how(view, standing)},
        evidence=evidence(view),
        confidence=_sure(view),
    )


def _sure(view: View) -> Confidence:
    return "likely" if view.seen.session == "new" or view.shown.names_only else "proven"


def _reader(case: Case) -> Standing | None:
    """Return how the client stands that read a list in a recording."""
    held = [each for each in client_side(case.bundle, case.standings) if each.held is not None]
    return held[-1] if held else None


def _how(view: View, standing: Standing) -> str:
    older = {name for session in standing.client.sessions for surface in session.older for name in surface.names}
    if view.extra and not view.missing and set(view.extra) <= older:
        return " (the old list and the new one were joined)"
    if any(session.out_of_order for session in standing.client.sessions):
        return " (two lists had been answered out of order)"
    return ""


@check(
    "client-registry-stale",
    family="views",
    layer="registry",
    severity="error",
    summary="A client holds the list that the server has.",
    why="Its user and its model see tools that are gone or changed, and miss new ones.",
    remedy="Reconnect or restart the client; a recording of its session would show why.",
    source="catalogue of causes, client-registry-stale",
    message="The client holds another list than the {side} has: it {what}. Nothing shows why.",
    needs=(registry,),
)
@explaining("client-registry-stale", "registry")
def client_registry_stale(case: Case, view: View) -> Seen | None:
    """Look for a registry that differs where no frames tell what the client was sent."""
    del case
    if not view.differs or view.side == "wire":
        return None
    return Seen(
        args={**facts(view), "side": view.side},
        words={"what": what(view)},
        evidence=evidence(view),
        confidence="possible",
    )
