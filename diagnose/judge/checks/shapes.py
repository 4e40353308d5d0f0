"""What several checks see in the same way: a failure of an observer, a pair that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.evidence.observation import Failure
from diagnose.judge.case import Case
from diagnose.judge.catalogue.kinds import remedy_of
from diagnose.judge.checks.registry import Seen
from diagnose.judge.diagnosis import Comparison, Severity
from diagnose.judge.words import cut, told
from diagnose.surface import Change, worst

KINDS = ("removed", "renamed", "changed", "added")
#: So much of a name stands in an enumeration: two names, of 64 characters at most, where a tool was renamed.
_NAME = 132


def failed(case: Case, rule: str, *, severity: Severity | None = None) -> Iterator[Seen]:
    """Yield what an observer reported under this very name, in its own sentence."""
    for layer, failure in case.failures(rule):
        known = {"code": failure.code, "status": failure.status}
        facts = {**failure.args, **{key: value for key, value in known.items() if value is not None}}
        yield Seen(
            args=facts,
            evidence=(failure.where,) if failure.where else (),
            layer=layer,
            severity=severity,
            literal=failure.message,
            remedy=remedy_of(rule, facts),
        )


def walks_that_failed(case: Case, *rules: str) -> Iterator[tuple[int, Failure]]:
    """Yield the walks, by their number, that failed beside one that worked; those of the named rules, if any is named."""
    if case.listed is None:
        return
    for place, reading in enumerate(case.readings, start=1):
        if reading.failure is not None and (not rules or reading.failure.rule in rules):
            yield place, reading.failure


def changed(pair: Comparison) -> dict[str, Any]:
    """Return the facts of a pair that differs: what happened to which tools, and the worst impact."""
    named: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for change in pair.changes:
        named[change.kind].append(_named(change))
    impact = worst([change.impact for change in pair.changes])
    return {**{kind: names for kind, names in named.items() if names}, "impact": impact}


def changed_words(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the same in words, as `what`: `removed prune_tree; changed ripen; worst impact breaking`."""
    named = {kind: [cut(name, _NAME) for name in facts[kind]] for kind in KINDS if kind in facts}
    parts = [f"{kind} {told(names)}" for kind, names in named.items()]
    return {"what": "; ".join([*parts, f"worst impact {facts['impact']}"])}


def _named(change: Change) -> str:
    if change.tool is None:
        return "the server's " + (
            change.details[0].path.strip("/").replace("/", ".") if change.details else "own words"
        )
    return change.tool if change.was is None else f"{change.was} to {change.tool}"
