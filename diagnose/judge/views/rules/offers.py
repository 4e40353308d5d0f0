"""Rules of what the model is offered: an old index, a turn that began before, a name that reaches nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.clock import seconds_after
from diagnose.judge.diagnosis import Confidence
from diagnose.judge.timeline.deeds import Call
from diagnose.judge.timeline.rules.needs import call
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.views.causes import evidence, explaining, explains, facts, what
from diagnose.judge.views.rules.needs import model
from diagnose.judge.views.sides import client_side
from diagnose.judge.views.status import status_of
from diagnose.judge.views.view import View
from diagnose.judge.walks import same_list

#: How a client's log says that a turn begins, with its number if it has one.
_TURN = re.compile(r"\b(?:turn\b(?:\s+#?(\d\w*))?|(?:user|new)\s+(?:prompt|message|turn))", re.IGNORECASE)
#: A name that begins like a tool's for so long is that name, cut.
_CUT = 16


@explains("startup-race", "model")
def offered_too_early(case: Case, view: View) -> Seen | None:
    """Look for a model's view that was made while the client was still connecting."""
    del case
    if status_of(view) != "pending" or not view.missing:
        return None
    return Seen(
        args={"client": view.lens.client, "early": view.held.count, "now": view.live.count},
        evidence=evidence(view, "status: pending"),
        layer="model",
        confidence="likely",
        says="{client} was still connecting when the model was offered its tools: {early} of {now}.",
    )


@check(
    "turn-boundary",
    family="views",
    layer="model",
    severity="error",
    summary="A new list reaches the model with the next turn.",
    why="Within a turn a model works with the tools that it began with.",
    remedy="Wait for the next turn.",
    source="catalogue of causes, turn-boundary",
    message="The list was refreshed within a turn, and the model's request of that turn {what}.",
    needs=(model,),
)
@explaining("turn-boundary", "model")
def turn_boundary(case: Case, view: View) -> Seen | None:
    """Look for a request of the turn in which the list was refreshed, with the list from before."""
    for standing in client_side(case.bundle, case.standings):
        refreshed = _refreshed(standing, view)
        if refreshed is not None and _same_turn(standing, view, refreshed):
            return Seen(
                args={**facts(view), "turn": str(view.seen.turn)[:80]},
                words={"what": what(view)},
                evidence=evidence(view, *standing.frames(standing.held.answered if standing.held else None)),
            )
    return None


def _refreshed(standing: Standing, view: View) -> float | None:
    """Return when the newest list was read, if the model's is the one before."""
    read = [walk for walk in standing.client.walks if walk.surface is not None and walk.answered is not None]
    if len(read) < 2 or read[-1].surface is None or read[-1].answered is None:
        return None
    older = [
        walk.surface for walk in read[:-1] if walk.surface is not None and not same_list(walk.surface, read[-1].surface)
    ]
    holds = any(set(surface.names) == set(view.held.names) for surface in older)
    return read[-1].answered.t if holds else None


def _same_turn(standing: Standing, view: View, refreshed: float) -> bool:
    """Tell whether the model's turn had begun before the refresh: by its times, by the client's log, else by its words."""
    turn: Any = view.seen.turn
    if isinstance(turn, dict):
        begun = seconds_after(standing.timeline.header.started_at, turn.get("startedAt") or turn.get("at"))
        ended = seconds_after(standing.timeline.header.started_at, turn.get("endedAt"))
        if begun is not None:
            return begun <= refreshed and (ended is None or ended >= refreshed)
        turn = next((turn[key] for key in ("number", "id", "turn", "index") if turn.get(key) is not None), None)
    begun = seconds_after(standing.timeline.header.started_at, turn) if isinstance(turn, str) else None
    if begun is not None:
        return begun <= refreshed
    at = seconds_after(standing.timeline.header.started_at, view.seen.at)
    starts = [
        (each.at.t, match[1])
        for each in standing.timeline.actions
        if (match := _TURN.search(each.text)) and (at is None or each.at.t <= at)
    ]
    numbered = [name for t, name in starts if name is not None and t <= refreshed]
    if numbered and turn is not None:
        return numbered[-1] == str(turn)
    if starts:
        return starts[-1][0] <= refreshed
    return str(turn).lower() in {"same", "current", "running", "refresh"}


@check(
    "client-index-stale",
    family="views",
    layer="model",
    severity="error",
    summary="The model is offered the tools that the client holds.",
    why="The panel looks right, and the model misses new tools or calls names that are gone.",
    remedy="Open a new chat or session; reconnect the server in the client.",
    source="catalogue of causes, client-index-stale",
    message="What the model is offered is not what the {side} holds: it {what}.",
    needs=(model,),
)
@explaining("client-index-stale", "model")
def client_index_stale(case: Case, view: View) -> Seen | None:
    """Look for a model's view that differs from the list before it."""
    del case
    if not view.differs or status_of(view) == "out" or _is_deferred(view):
        return None
    return Seen(
        args={**facts(view), "side": view.side},
        words={"what": what(view)},
        evidence=evidence(view),
        confidence=_sure(view),
    )


def _sure(view: View) -> Confidence:
    """Return how sure it is: names alone may leave out what is only deferred."""
    if view.shown.names_only and view.is_subset:
        return "possible"
    return "proven" if view.side in {"registry", "wire"} else "likely"


def _is_deferred(view: View) -> bool:
    """Tell whether a list of names has none of this server: then all may be behind a search."""
    return view.shown.names_only and not view.held.tools and bool(view.live.tools) and status_of(view) == "connected"


@check(
    "name-mangled",
    family="views",
    layer="model",
    severity="error",
    summary="A name that a client maps reaches its tool.",
    why="The model chooses the tool, and the call fails as one of an unknown tool.",
    remedy="Give the tool a shorter name of plain characters.",
    source="catalogue of causes, name-mangled",
    message="{client} calls {called}, which the server does not know: it is {tool}, cut or mapped.",
    needs=(call,),
)
def name_mangled(case: Case) -> Iterable[Seen]:
    """Look for calls that fail by a name that a mapping made of a live one."""
    for standing in client_side(case.bundle, case.standings):
        for failed in _unknown(standing):
            tool = _meant(case, failed.tool, standing)
            if tool is not None:
                yield Seen(
                    args={"client": standing.client.name, "called": failed.tool, "tool": tool},
                    evidence=standing.frames(failed.asked, failed.answered),
                )
                return


def _unknown(standing: Standing) -> Iterator[Call]:
    for session in standing.client.sessions:
        yield from (
            each for each in session.calls if each.outcome in {"refused", "error"} and each.standing != "listed"
        )


def _meant(case: Case, called: str, standing: Standing) -> str | None:
    """Return the live tool that a called name was made of; None where it is no such name, or was a tool once."""
    surface = case.listed or (standing.held.surface if standing.held is not None else None)
    once = {name for session in standing.client.sessions for each in session.older for name in each.names}
    if surface is None or called in surface.by_name or called in once:
        return None
    for view in case.views:
        if view.layer != "path" and called in view.names and view.names[called] in surface.by_name:
            return view.names[called] if view.names[called] != called else None
    cut = [
        name for name in surface.by_name if len(called) >= _CUT and len(name) > len(called) and name.startswith(called)
    ]
    mapped = [name for name in surface.by_name if _lens_forms(case, name, called)]
    return next(iter((*cut, *mapped)), None)


def _lens_forms(case: Case, name: str, called: str) -> bool:
    from diagnose.judge.views.lenses import lens_of

    return called != name and called in lens_of(case.bundle.client).spellings(name)
