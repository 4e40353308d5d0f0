"""A list held to an earlier one: every change a finding of its own, and one word that decides which of them fail.

`diagnose` asks where a list went stale, and any change since the past is an answer. Here the earlier list is what was
agreed on (a lock file, the first of two lists), and the least impact that may not pass is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from diagnose.evidence.bundle import Bundle
from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.checks import ALL, CHECKS, Check
from diagnose.judge.checks.registry import MAX_FINDINGS
from diagnose.judge.checks.shapes import changed, changed_words
from diagnose.judge.compare import other_era
from diagnose.judge.diagnosis import CheckResult, Comparison, Diagnosis, Finding, Place, Verdict
from diagnose.judge.judge import diagnose
from diagnose.judge.walks import surface_of
from diagnose.judge.words import counted, sentence
from diagnose.surface import IMPACTS, Change, Impact

RULE = "surface-changed"
#: The check of a list against its past, alone.
PAST: tuple[Check, ...] = (CHECKS[RULE],)
#: With it, those that tell whether what was read is one list: what the list promises beside that is for `check`.
WHOLE_LIST: tuple[Check, ...] = tuple(each for each in ALL if each.family in {"observation", "consistency", "past"})

_OK = frozenset({None, RULE})
#: The places inside a definition that a finding names.
_PLACES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What may not pass. ``steps`` are what to do where something changed, as finished sentences."""

    fail_on: Impact
    checks: tuple[Check, ...] = WHOLE_LIST
    newer: str = "the live list"
    steps: tuple[str, ...] = ()
    file: str | None = None
    """The file of the project that holds the earlier list, and the line on which each of its tools begins."""
    lines: Mapping[str, int] = field(default_factory=dict)

    def fails(self, change: Change) -> bool:
        """Tell whether a change is one that may not pass."""
        return IMPACTS.index(change.impact) <= IMPACTS.index(self.fail_on)


def hold(bundle: Bundle, gate: Gate, at: str | None = None) -> Diagnosis:
    """Judge the origin of a bundle against its baseline.

    Where both are whole lists, the gate alone decides between the exit codes 0 and 1; a difference that it lets pass is
    still told as what it is. Where the list could not be had, or is not one list, the diagnosis says why, as ever.
    """
    if surface_of(bundle.origin) is None:
        return diagnose(bundle, at)
    diagnosis = diagnose(bundle, at, checks=gate.checks)
    pair = next((pair for pair in diagnosis.comparisons if (pair.older, pair.newer) == ("baseline", "origin")), None)
    if pair is None or diagnosis.verdict.cause not in _OK:
        return diagnosis
    return _held(diagnosis, pair, bundle, gate)


def _held(diagnosis: Diagnosis, pair: Comparison, bundle: Bundle, gate: Gate) -> Diagnosis:
    failing = [change for change in pair.changes if gate.fails(change)]
    others = [finding for finding in diagnosis.findings if finding.rule != RULE]
    findings = (*_findings(pair.changes, bundle, gate), *others)
    results = tuple(_result(result, pair.changes, failed=bool(failing)) for result in diagnosis.checks)
    diagnosis = replace(diagnosis, findings=findings, checks=results)
    if failing or pair.relation == "different":
        verdict = _moved(diagnosis.verdict, pair, bundle, gate, failing)
        code = diagnosis.exit_code if diagnosis.exit_code not in {0, 1, 3} else int(bool(failing))
        return replace(diagnosis, verdict=verdict, exit_code=code)
    if diagnosis.verdict.state == "in-sync":
        return replace(diagnosis, verdict=replace(diagnosis.verdict, summary=_agreement(pair, bundle, gate)))
    return diagnosis


def _moved(verdict: Verdict, pair: Comparison, bundle: Bundle, gate: Gate, failing: Sequence[Change]) -> Verdict:
    what = changed_words(changed(pair))["what"]
    held = "" if failing else f", which --fail-on {gate.fail_on} lets pass"
    past, origin = bundle.baseline, bundle.origin
    eras = other_era(past, origin) if past is not None and origin is not None else None
    row = CATALOGUE[RULE]
    return Verdict(
        state=row.state or "stale",
        layer="baseline",
        cause=RULE,
        confidence="proven" if eras is None else "likely",
        candidates=verdict.candidates,
        summary=sentence(f"{gate.newer} differs from {_source(bundle)}{f', and {eras}' if eras else ''}: {what}{held}"),
        next=gate.steps,
        limits=verdict.limits,
    )


def _agreement(pair: Comparison, bundle: Bundle, gate: Gate) -> str:
    surface = surface_of(bundle.origin)
    tools = counted(surface.count if surface is not None else 0, "tool")
    manner = "agree on" if pair.relation == "equal" else "agree, in all that a caller or a model sees, on"
    return sentence(f"{_source(bundle)} and {gate.newer} {manner} {tools}")


def _source(bundle: Bundle) -> str:
    source = bundle.baseline.source if bundle.baseline is not None else ""
    return source.removeprefix("lock:") or "the earlier list"


def _findings(changes: Sequence[Change], bundle: Bundle, gate: Gate) -> tuple[Finding, ...]:
    """Return a finding for each change, the worst first, up to the bound that every check has."""
    worst_first = sorted(changes, key=lambda change: IMPACTS.index(change.impact))
    return tuple(_finding(change, bundle, gate) for change in worst_first[:MAX_FINDINGS])


def _finding(change: Change, bundle: Bundle, gate: Gate) -> Finding:
    details = sorted(change.details, key=lambda detail: IMPACTS.index(detail.impact))
    paths = [detail.path for detail in details[:_PLACES]]
    line = gate.lines.get(change.was or change.tool or "", 1)
    return Finding(
        rule=RULE,
        severity="error" if gate.fails(change) else "note",
        layer="baseline",
        message=_sentence(change, paths, len(details)),
        args={"tool": change.tool, "was": change.was, "kind": change.kind, "impact": change.impact, "paths": paths},
        evidence=(bundle.baseline.source if bundle.baseline else "baseline", *paths),
        remedy=CHECKS[RULE].remedy,
        confidence=change.confidence,
        place=None if gate.file is None else Place(file=gate.file, line=line),
    )


def _sentence(change: Change, paths: Sequence[str], places: int) -> str:
    if change.tool is None:
        return f"What the server says of itself changed at {', '.join(paths)} ({change.impact})."
    if change.kind == "renamed":
        doubt = "seems to have become" if change.confidence == "possible" else "became"
        return f"The tool {change.was} {doubt} {change.tool} ({change.impact})."
    if change.kind != "changed":
        return f"The tool {change.tool} was {change.kind} ({change.impact})."
    more = f" and {places - len(paths)} more places" if places > len(paths) else ""
    return f"The tool {change.tool} changed ({change.impact}) at {', '.join(paths)}{more}."


def _result(result: CheckResult, changes: Sequence[Change], *, failed: bool) -> CheckResult:
    if result.rule != RULE:
        return result
    more = len(changes) - MAX_FINDINGS
    why = f"{more} more changes are not shown as findings" if more > 0 else None
    return replace(result, outcome="failed" if failed else "passed", why=why)
