"""Which causes have evidence, and which of them goes first (`causes.md`, rule 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from diagnose.evidence.observation import LAYERS
from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.diagnosis import Candidate, Confidence, Finding, State

_SURE: tuple[Confidence, ...] = ("proven", "likely", "possible")
_PLACE = {name: place for place, name in enumerate(CATALOGUE)}


def settle(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Take back what another finding explains: it stays as a note beside it, and is no cause of its own."""
    given = tuple(findings)
    present = {finding.rule for finding in given if finding.severity == "error"}
    return tuple(_beside(finding, _explanation(finding, present)) for finding in given)


def _explanation(finding: Finding, present: set[str]) -> str | None:
    row = CATALOGUE.get(finding.rule)
    if row is None or finding.severity != "error":
        return None
    return next((rule for rule in row.behind if rule in present), None)


def _beside(finding: Finding, rule: str | None) -> Finding:
    if rule is None:
        return finding
    return replace(finding, severity="note", message=f"{finding.message} ({rule} explains it.)")


def candidates(findings: Sequence[Finding]) -> tuple[Candidate, ...]:
    """Return the causes that have evidence of their own, the one to name first: one a cause and layer."""
    found: dict[tuple[str, str], Candidate] = {}
    for finding in findings:
        if finding.severity != "error":
            continue
        one = candidate(finding)
        known = found.get((one.cause, one.layer))
        if known is None or _worse(one) < _worse(known):
            found[one.cause, one.layer] = one
    return tuple(sorted(found.values(), key=_rank))


def _worse(one: Candidate) -> tuple[bool, int]:
    """Sort key of two findings of one cause at one layer: the staler client is told of first, then the surer word."""
    return one.state != "stale", _SURE.index(one.confidence)


def candidate(finding: Finding) -> Candidate:
    """Make a candidate of an error: by its row, or, without one, broken where it was seen (rule 5)."""
    row = CATALOGUE.get(finding.rule)
    state: State = finding.state or (row.state if row is not None and row.state is not None else "broken")
    return Candidate(
        cause=finding.rule,
        state=state,
        layer=finding.layer,
        confidence=finding.confidence,
        evidence=finding.evidence,
        summary=finding.message,
    )


def _rank(candidate: Candidate) -> tuple[int, int, int, int]:
    """Sort key: the earliest layer, stale before broken, then the surer, then the order of the catalogue."""
    return (
        LAYERS.index(candidate.layer),
        candidate.state != "stale",
        _SURE.index(candidate.confidence),
        _PLACE.get(candidate.cause, len(_PLACE)),
    )
