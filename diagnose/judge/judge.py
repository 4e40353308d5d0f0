"""From a bundle to a diagnosis: the one function that everything else of this room serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diagnose.evidence.bundle import Bundle
from diagnose.judge.candidates import settle
from diagnose.judge.case import Case
from diagnose.judge.checks import Check, run, suited
from diagnose.judge.diagnosis import Diagnosis, Finding, Verdict
from diagnose.judge.ladder import rows
from diagnose.judge.verdict import decide

if TYPE_CHECKING:
    from diagnose.judge.timeline import Timeline

OUR_FAULT = 70
CREDENTIAL_REFUSED = 4
_BY_STATE = {"stale": 1, "broken": 1, "inconclusive": 3, "in-sync": 0}
#: The layers that are asked for beside MCP.
_BESIDE = frozenset({"deployed", "manifest"})
_WEIGHT = {"error": 0, "warning": 1, "note": 2}


def diagnose(
    bundle: Bundle,
    at: str | None = None,
    *,
    checks: Sequence[Check] | None = None,
    timelines: Sequence[Timeline] = (),
) -> Diagnosis:
    """Judge a bundle.

    Args:
        bundle: the evidence; `expect` in it, if any, is not read.
        at: the time to state, ISO 8601 in UTC; without it, the bundle's own `created_at`.
        checks: the checks to run; without them all.
        timelines: recordings that were read already, event by event; they stand before those of the bundle.

    """
    case = Case.of(bundle, timelines)
    outcome = run(case, suited(tried=True, wire=True, viewed=True) if checks is None else checks)
    findings = tuple(sorted(settle(outcome.findings), key=lambda finding: _WEIGHT[finding.severity]))
    verdict = _confessing(decide(case, findings), outcome.crashed)
    sessions, recorded = _of_recordings(case, findings)
    return Diagnosis(
        at=at if at is not None else bundle.created_at,
        target=bundle.target,
        layers=rows(bundle, case.timelines),
        comparisons=case.comparisons,
        findings=findings,
        checks=outcome.results,
        verdict=verdict,
        exit_code=_exit_code(case, verdict, findings, crashed=bool(outcome.crashed)),
        sessions=sessions,
        recordings=recorded,
    )


def _of_recordings(
    case: Case, findings: Sequence[Finding]
) -> tuple[tuple[Mapping[str, Any], ...], tuple[Mapping[str, Any], ...]]:
    """Return what is told of the sessions, and of the recordings themselves."""
    if not case.timelines:
        return (), ()
    from diagnose.judge.timeline.entries import entries, recordings

    return entries(case, findings), recordings(case.timelines)


def _confessing(verdict: Verdict, crashed: Sequence[str]) -> Verdict:
    """Say beside the verdict which checks failed by a fault of ours: what they would have seen is missing."""
    said = tuple(f"The check {name} failed by a fault of diagnose itself; please report it." for name in crashed)
    return replace(verdict, limits=(*said, *verdict.limits))


def _exit_code(case: Case, verdict: Verdict, findings: Sequence[Finding], *, crashed: bool) -> int:
    """Return the code by the order of the contract: a fault of ours, a refused credential, then the verdict.

    A refusal beside MCP goes before the verdict too, although it is no cause.
    """
    if crashed:
        return OUR_FAULT
    beside = any(layer in _BESIDE for layer, _ in case.failures("auth-blocked"))
    blocked = any(finding.rule == "auth-blocked" and finding.severity == "error" for finding in findings)
    if case.bundle.live and (beside or blocked):
        return CREDENTIAL_REFUSED
    return _BY_STATE[verdict.state]
