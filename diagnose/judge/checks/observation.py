"""What could not be observed, and why. None of these is a cause: the verdict stays open."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.catalogue import CATALOGUE, RULES
from diagnose.judge.checks.needs import origin_list
from diagnose.judge.checks.registry import CHECKS, Look, Seen, check
from diagnose.judge.checks.shapes import failed, walks_that_failed

_SUMMARY = {
    "unreachable": "Every layer that was asked can be reached.",
    "handshake-failed": "The server agrees on a version of the protocol.",
    "timed-out": "Answers come in time.",
    "limit-exceeded": "Answers keep within what this program reads.",
}


def _looking_for(rule: str) -> Look:
    def look(case: Case) -> Iterable[Seen]:
        return failed(case, rule)

    return look


for _row in RULES:
    check(
        _row.name,
        family="observation",
        layer="origin",
        severity="warning",
        summary=_SUMMARY[_row.name],
        why="What was not observed cannot be judged; checks that needed it are not verified.",
        remedy=_row.remedy,
        source="catalogue of causes, rules that are no causes",
    )(_looking_for(_row.name))


@check(
    "not-observed",
    family="observation",
    layer="origin",
    severity="warning",
    summary="No observation failed for a reason without a name of its own.",
    why="What was not observed cannot be judged.",
    remedy="Read the sentence that the observer gives.",
    source="catalogue of causes, rules that are no causes",
)
def not_observed(case: Case) -> Iterable[Seen]:
    """Pass on failures whose name is neither a cause nor a rule, so that none is lost."""
    for layer, failure in case.failures():
        if failure.rule not in CATALOGUE and failure.rule not in CHECKS:
            facts = {"failure": failure.rule, **failure.args}
            yield Seen(
                args=facts, layer=layer, literal=failure.message, evidence=(failure.where,) if failure.where else ()
            )


@check(
    "walk-failed",
    family="observation",
    layer="origin",
    severity="warning",
    summary="Every walk of the list comes to its end.",
    why="A list that can be had only at times leaves some clients without tools.",
    remedy="Look again; if it stays so, look into the server's log for the walk that failed.",
    source="catalogue of causes, list-error: a list was had before or after, so that it is no cause",
    message="Walk {walk} of the list failed where another one worked ({rule}).",
    needs=(origin_list,),
)
def walk_failed(case: Case) -> Iterable[Seen]:
    """Look for walks that failed beside one that worked; a refused cursor has a check of its own."""
    for place, failure in walks_that_failed(case):
        if failure.rule != "cursor-rejected":
            yield Seen(args={"walk": place, "rule": failure.rule}, evidence=(f"walk {place}", failure.message))


@check(
    "tunnel-degraded",
    family="meridian",
    layer="origin",
    severity="note",
    summary="Meridian's tunnel is well, where there is one.",
    why="A tunnel that is in trouble lists fewer tools: degraded, and nothing stale.",
    remedy="Check the tunnel's client on the user's machine, then list again.",
    source='Meridian: _meta["meridian/tunnelHealth"]',
    message="Meridian says that its tunnel is {status}: {message}",
    needs=(origin_list,),
)
def tunnel_degraded(case: Case) -> Iterable[Seen]:
    """Pass on what the list says of the tunnel."""
    health = (case.origin.meta or {}).get("meridian/tunnelHealth") if case.origin is not None else None
    if isinstance(health, dict):
        facts = {key: str(health.get(key, "not said"))[:200] for key in ("status", "message")}
        yield Seen(args=facts, evidence=("tools/list _meta meridian/tunnelHealth",))
