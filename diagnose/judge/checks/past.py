"""The check of a server against its own past."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list, past
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.checks.shapes import changed, changed_words
from diagnose.judge.compare import other_era, other_principal


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

    It is only a note where more than a server and its past was asked about, or where the past is that of another
    principal, whose list may rightly differ. A past of the other era counts, though the era may be why it differs.
    """
    pair = case.comparison("baseline", "origin")
    baseline, origin = case.bundle.baseline, case.origin
    if pair is None or pair.relation != "different" or baseline is None or origin is None:
        return
    facts = changed(pair)
    unlike = other_principal(baseline, origin) or other_era(baseline, origin)
    yield Seen(
        args={"since": baseline.at or baseline.source or "the past", **facts},
        words={**changed_words(facts), "why": unlike or ""},
        evidence=(baseline.source or "baseline", "origin"),
        severity=None if pair.counts else "note",
        confidence="proven" if unlike is None else "likely",
        says=None if unlike is None else "The list and that of {since} differ, and {why}: {what}.",
        open=None if pair.counts else f"the list and its past differ, which does not count here: {pair.why}",
    )
