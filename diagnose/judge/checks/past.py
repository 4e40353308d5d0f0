"""The check of a server against its own past."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list, past
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.checks.shapes import changed, changed_words


@check(
    "surface-changed",
    family="past",
    layer="baseline",
    severity="error",
    summary="The list is the one that was recorded.",
    why="A client that listed before the change still holds the old definitions.",
    remedy="If the change is meant, record it; then have every client list again.",
    source="catalogue of causes, surface-changed",
    message="The list moved since {since}: {what}.",
    needs=(past, origin_list),
)
def surface_changed(case: Case) -> Iterable[Seen]:
    """Read the comparison with the past.

    It is only a note where more than a server and its past was asked about, or where the past is that of another era
    or principal, whose lists may rightly differ.
    """
    pair = case.comparison("baseline", "origin")
    if pair is not None and pair.relation == "different" and case.bundle.baseline is not None:
        baseline = case.bundle.baseline
        facts = changed(pair)
        yield Seen(
            args={"since": baseline.at or baseline.source or "the snapshot", **facts},
            words={**changed_words(facts), "why": pair.why or ""},
            evidence=(baseline.source or "baseline", "origin"),
            severity=None if pair.counts else "note",
            says=None if pair.counts or pair.why is None else "The list and that of {since} differ, and {why}: {what}.",
        )
