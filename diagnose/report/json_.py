"""`diagnose.diagnosis/1`: a diagnosis as one JSON document (contract, Diagnosis)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from diagnose.evidence.harmless import harmless_json
from diagnose.evidence.redact import Redactor
from diagnose.judge.diagnosis import Candidate, CheckResult, Comparison, Diagnosis, Finding, Verdict
from diagnose.surface import ABSENT, Change, Detail
from diagnose.version import __version__


def diagnosis_json(diagnosis: Diagnosis, redactor: Redactor | None = None) -> str:
    """Return the document as text: redacted, every character harmless, valid JSON whatever a server sent."""
    document = (redactor or Redactor()).value(finite(diagnosis_document(diagnosis)))
    return harmless_json(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def diagnosis_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the document as values, not yet redacted."""
    target = diagnosis.target
    return {
        "schema": "diagnose.diagnosis/1",
        "tool": {"name": "diagnose", "version": __version__},
        "at": diagnosis.at,
        "target": {"id": target.id, "transport": target.transport, "endpoint": target.endpoint},
        "layers": [dict(row) for row in diagnosis.layers],
        "comparisons": [_comparison(pair) for pair in diagnosis.comparisons],
        "findings": [_finding(finding) for finding in diagnosis.findings],
        "checks": [_check(result) for result in diagnosis.checks],
        "verdict": _verdict(diagnosis.verdict),
        "exitCode": diagnosis.exit_code,
    }


def change_document(change: Change) -> dict[str, Any]:
    """Return one change as the contract has it."""
    return {
        "tool": change.tool,
        "was": change.was,
        "kind": change.kind,
        "confidence": change.confidence,
        "impact": change.impact,
        "details": [_detail(detail) for detail in change.details],
    }


def finite(value: Any) -> Any:
    """Return a JSON value with NaN and the infinities, which JSON does not have, as texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def _comparison(pair: Comparison) -> dict[str, Any]:
    document: dict[str, Any] = {
        "from": pair.older,
        "to": pair.newer,
        "relation": pair.relation,
        "changes": [change_document(change) for change in pair.changes],
    }
    return document if pair.why is None else {**document, "why": pair.why}


def _detail(detail: Detail) -> dict[str, Any]:
    document: dict[str, Any] = {"path": detail.path}
    if detail.was is not ABSENT:
        document["from"] = detail.was
    if detail.now is not ABSENT:
        document["to"] = detail.now
    return {**document, "impact": detail.impact}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "layer": finding.layer,
        "message": finding.message,
        "args": dict(finding.args),
        "evidence": list(finding.evidence),
        "remedy": finding.remedy,
        "fingerprint": finding.fingerprint,
    }


def _check(result: CheckResult) -> dict[str, Any]:
    document: dict[str, Any] = {"rule": result.rule, "outcome": result.outcome}
    return document if result.why is None else {**document, "why": result.why}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "state": verdict.state,
        "layer": verdict.layer,
        "cause": verdict.cause,
        "confidence": verdict.confidence,
        "candidates": [_candidate(candidate) for candidate in verdict.candidates],
        "summary": verdict.summary,
        "next": list(verdict.next),
        "limits": list(verdict.limits),
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "cause": candidate.cause,
        "state": candidate.state,
        "layer": candidate.layer,
        "confidence": candidate.confidence,
        "evidence": list(candidate.evidence),
        "summary": candidate.summary,
    }
