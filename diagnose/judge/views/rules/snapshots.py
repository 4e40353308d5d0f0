"""Rules of lists that are kept on: by a vendor on its side, or by a client beyond the session that it read them in."""

from __future__ import annotations

import re

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.clock import seconds_after
from diagnose.judge.timeline.rules.reasons import failed_refresh
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.views.causes import evidence, explaining, facts, what
from diagnose.judge.views.lenses import playbook_of
from diagnose.judge.views.rules.needs import registry
from diagnose.judge.views.sides import client_side
from diagnose.judge.views.view import View
from diagnose.surface import Surface

#: For so long a client that asks for no list is one that keeps it by itself, in seconds.
_HOURS = 3600.0
#: How a view says that it is of a later run than another one.
_LATER = re.compile(r"\b(restart|reboot|later|second|next|again|new (run|session|start))", re.IGNORECASE)
#: Clients whose connectors are kept by the vendor, where the server is reached over HTTP.
_CONNECTORS = frozenset(["claude-desktop"])


@check(
    "hosted-snapshot",
    family="views",
    layer="registry",
    severity="error",
    summary="A vendor that keeps the list on its side keeps the newest.",
    why="Nothing on the user's machine or on the server makes it list again; it may take a day.",
    remedy="Refresh the connector in the vendor's settings, then open a new chat; else add it again.",
    source="catalogue of causes, hosted-snapshot",
    message="{client} keeps the list on its vendor's side: it {what}, and {why}.",
    needs=(registry,),
)
@explaining("hosted-snapshot", "registry")
def hosted_snapshot(case: Case, view: View) -> Seen | None:
    """Look for a hosted client whose wire was fresh, or that asked for nothing in hours."""
    if not is_hosted(case):
        return None
    readers = client_side(case.bundle, case.standings)
    if any(_refresh_failed(standing) for standing in readers):
        return None
    apart = view if view.differs else view.beyond
    why = "it was sent the newest one" if view.side == "wire" and view.differs else _asked_nothing(readers)
    if apart is None or why is None or any(standing.inside_ttl for standing in readers):
        return None
    return Seen(
        args={**facts(apart), "client": view.lens.client},
        words={"what": what(apart), "why": why},
        evidence=evidence(apart),
        confidence="proven" if view.side == "wire" and view.differs else "likely",
    )


def is_hosted(case: Case) -> bool:
    """Tell whether the vendor of the client keeps its list."""
    names = [standing.client.name.partition(" (")[0] for standing in case.standings]
    known = playbook_of(case.bundle.client, names[-1] if names else None)
    if known is None:
        return False
    return known.hosted or (known.id in _CONNECTORS and case.bundle.target.transport == "http")


def _refresh_failed(standing: Standing) -> bool:
    newest = standing.client.walks[-1] if standing.client.walks else None
    refused = newest is not None and newest.refusal is not None
    return refused or next(failed_refresh(standing), None) is not None


def _asked_nothing(readers: list[Standing]) -> str | None:
    """Say that no list was asked for in hours, as far as the recordings reach."""
    for standing in readers:
        last = max((walk.asked.t for walk in standing.client.walks), default=0.0)
        if standing.timeline.last.t - last < _HOURS:
            return None
    hours = max((standing.timeline.last.t for standing in readers), default=0.0) / _HOURS
    return f"it asked for none in {hours:.0f} hours" if readers else None


@check(
    "empty-poisoned",
    family="views",
    layer="registry",
    severity="error",
    summary="A client stores no list that was read before the server had its tools.",
    why="It is served on in every later session, whatever the server has by then.",
    remedy="Have the client rebuild its stored list.",
    source="catalogue of causes, empty-poisoned",
    message="The client was sent {early} tools once, stored that, and still holds it in a later run: it {what}.",
    needs=(registry,),
)
@explaining("empty-poisoned", "registry")
def empty_poisoned(case: Case, view: View) -> Seen | None:
    """Look for a registry of a later run that is an early, short list of an earlier one."""
    apart = view.beyond if view.side == "wire" else view
    if apart is None or not apart.differs or not apart.missing or apart.extra:
        return None
    readers = client_side(case.bundle, case.standings)
    if is_hosted(case) and _asked_nothing(readers) is not None:
        return None
    for standing in readers:
        early = _short_list(standing, view, apart)
        if early is not None and _later_run(standing, view):
            return Seen(
                args={**facts(apart), "early": len(early.names)},
                words={"what": what(apart)},
                evidence=evidence(apart, *standing.frames(standing.held.answered if standing.held else None)),
                confidence="proven" if not early.tools else "likely",
            )
    return None


def _short_list(standing: Standing, view: View, apart: View) -> Surface | None:
    """Return the list that the client was sent and still holds, if it is empty, or lacks some in the middle."""
    for walk in standing.client.walks:
        surface = walk.surface
        if surface is None or {*surface.names} != {*view.held.names}:
            continue
        begins = set(list(apart.live.by_name)[: len(surface.by_name)]) == set(surface.by_name)
        if not surface.tools or not begins or _was_fuller(standing, apart):
            return surface
    return None


def _was_fuller(standing: Standing, apart: View) -> bool:
    """Tell whether another list of the same client had the tools that are missing: it did not only grow."""
    lists = [walk.surface for walk in standing.client.walks if walk.surface is not None]
    return any(set(apart.missing) <= set(surface.names) for surface in lists)


def _later_run(standing: Standing, view: View) -> bool:
    """Tell whether a view is of a later session than the one that was recorded."""
    if view.seen.session == "new":
        return True
    t = seconds_after(standing.timeline.header.started_at, view.seen.at)
    ending = standing.session.ending
    over = ending.at.t if ending is not None else standing.timeline.last.t if standing.over else None
    if t is None:
        return bool(_LATER.search(view.seen.source))
    return (over is not None and t > over) or (
        t > standing.timeline.last.t
        and (bool(_LATER.search(view.seen.source)) or t > standing.timeline.last.t + _HOURS)
    )
