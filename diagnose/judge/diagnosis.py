"""The result values: findings, comparisons, the verdict and the diagnosis that holds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import LayerName
from diagnose.record import record
from diagnose.surface import Change, Relation

Severity: TypeAlias = Literal["error", "warning", "note"]
State: TypeAlias = Literal["in-sync", "stale", "broken", "inconclusive"]
Confidence: TypeAlias = Literal["proven", "likely", "possible"]
Outcome: TypeAlias = Literal["passed", "failed", "not-verified", "suppressed"]
FailOn: TypeAlias = Literal["error", "warning", "never"]

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@record
class Place:
    """Where in a file of the project a finding can be shown. ``line`` counts from 1."""

    file: str
    line: int = 1


@record
class Finding:
    """One thing that a check saw. ``args`` are the facts; ``message`` and ``remedy`` were made from them."""

    rule: str
    severity: Severity
    layer: LayerName
    message: str
    args: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    remedy: str = ""
    confidence: Confidence = "proven"
    state: Literal["stale", "broken"] | None = None
    """What it makes of the verdict where that is not what its cause makes of it otherwise."""
    place: Place | None = None
    session: str | None = None
    """The session of a recording that it is about; None where it is about the server, or there is no recording."""

    @property
    def fingerprint(self) -> str:
        """A stable name for this finding, over rule, layer and arguments, never over the words (32 hex digits)."""
        body = json.dumps([self.rule, self.layer, self.args], sort_keys=True, default=str)
        return hashlib.sha256(body.encode("utf-8", "backslashreplace")).hexdigest()[:32]


@record
class CheckResult:
    """How one check ended; ``why`` says what was missing when it is not verified."""

    rule: str
    outcome: Outcome
    why: str | None = None


@record
class Comparison:
    """Two observations laid side by side. ``why`` explains an equivalence or an unknown."""

    older: str
    """The side that changes are told from: the layer (or sample) that comes first on the ladder, but what a client holds
    where that stands beside a newer list; `from` in the JSON."""
    newer: str
    relation: Relation
    changes: tuple[Change, ...] = ()
    why: str | None = None
    counts: bool = True
    """Whether the verdict stands on this pair; not so where a change or an old session explains it, and the past where
    more than a server and its past was asked about."""


@record
class Candidate:
    """A cause that the evidence suggests, beside the one that was named."""

    cause: str
    state: State
    layer: LayerName
    confidence: Confidence
    evidence: tuple[str, ...] = ()
    summary: str = ""


@record
class Verdict:
    """The answer: the first layer that differs, why, what to do next, and what was not observed."""

    state: State
    layer: LayerName | None = None
    cause: str | None = None
    confidence: Confidence = "proven"
    candidates: tuple[Candidate, ...] = ()
    summary: str = ""
    next: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


@record
class Diagnosis:
    """Everything that a report shows. ``layers`` are rows of the contract, with unknown values as None."""

    at: str
    target: Target
    layers: tuple[Mapping[str, Any], ...]
    comparisons: tuple[Comparison, ...]
    findings: tuple[Finding, ...]
    checks: tuple[CheckResult, ...]
    verdict: Verdict
    exit_code: int
    fail_on: FailOn = "error"
    """The least severity of a finding that fails the run."""
    itemised: bool = False
    """Whether every check counts for itself, so that those which were not verified are told one by one."""
    sessions: tuple[Mapping[str, Any], ...] = ()
    """Of recordings: what each session did, with a verdict of its own."""
    recordings: tuple[Mapping[str, Any], ...] = ()
    """The recordings themselves: where each began and ended, and what happened beside the sessions."""

    def fails(self, finding: Finding) -> bool:
        """Tell whether a finding is one of those that fail the run, so that a report can show it as one."""
        if self.fail_on == "never":
            return False
        return _SEVERITIES.index(finding.severity) <= _SEVERITIES.index(self.fail_on)
