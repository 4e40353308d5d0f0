"""Rules of the lists of allowed and denied tools in a client's configuration."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.views.lenses import lens_of
from diagnose.judge.views.policy import policy_of
from diagnose.judge.views.rules.needs import live_names, policy


@check(
    "policy-stale",
    family="views",
    layer="registry",
    severity="error",
    summary="Lists of allowed and denied tools name tools that exist.",
    why="A new name is asked about each time, or hidden; and what was meant to be denied is not.",
    remedy="Replace the dead names in the configuration.",
    source="catalogue of causes, policy-stale",
    message="The client's configuration names {dead}, and there {are}.",
    needs=(policy,),
)
def policy_stale(case: Case) -> Iterable[Seen]:
    """Look for entries of this server that mean no live tool."""
    live = live_names(case)
    found = policy_of(case.bundle.client, lens_of(case.bundle.client), live)
    if found.dead:
        yield Seen(
            args={"dead": list(found.dead), "live": list(live[:50])},
            words={"are": "is no such tool" if len(found.dead) == 1 else "are no such tools"},
            evidence=tuple(f"client: {entry}" for entry in found.dead[:10]),
        )


@check(
    "tools-hidden-on-purpose",
    family="views",
    layer="registry",
    severity="note",
    summary="Whether the client's configuration hides live tools is known.",
    why="A tool that is hidden on purpose is missing in the client, and nothing is stale.",
    remedy="Nothing, if that is what is meant.",
    source="catalogue of causes, policy-stale: a list that hides a live tool on purpose is a note",
    message="The client's configuration hides {hidden}.",
    needs=(policy,),
)
def hidden_on_purpose(case: Case) -> Iterable[Seen]:
    """Tell of live tools that the client's own lists keep back."""
    found = policy_of(case.bundle.client, lens_of(case.bundle.client), live_names(case))
    if found.hidden:
        yield Seen(args={"hidden": list(found.hidden)})
