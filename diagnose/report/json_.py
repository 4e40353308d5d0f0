"""`diagnose.diagnosis/1`: a diagnosis as one JSON document (contract, Diagnosis)."""

from __future__ import annotations

from typing import Any

from diagnose.evidence.redact import Redactor
from diagnose.judge.clock import stamped
from diagnose.judge.diagnosis import Candidate, CheckResult, Comparison, Diagnosis, Finding, Verdict
from diagnose.report.changes import change_document
from diagnose.report.document import json_document, json_line
from diagnose.version import __version__


def diagnosis_json(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the document as text: redacted, every character harmless, valid JSON whatever a server sent."""
    return json_document(diagnosis_document(diagnosis, redactor), redactor)


def diagnosis_line(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the document on one line, for a stream of lines."""
    return json_line(diagnosis_document(diagnosis, redactor), redactor)


def diagnosis_document(diagnosis: Diagnosis, redactor: Redactor) -> dict[str, Any]:
    """Return the document as values; only the values of changes are redacted yet, by the names of their places."""
    target = diagnosis.target
    return {
        "schema": "diagnose.diagnosis/1",
        "tool": {"name": "diagnose", "version": __version__},
        "at": stamped(diagnosis.at),
        "target": {"id": target.id, "transport": target.transport, "endpoint": target.endpoint},
        "layers": [dict(row) for row in diagnosis.layers],
        "comparisons": [_comparison(pair, redactor) for pair in diagnosis.comparisons],
        "findings": [_finding(finding) for finding in diagnosis.findings],
        "checks": [_check(result) for result in diagnosis.checks],
        "verdict": _verdict(diagnosis.verdict),
        "exitCode": diagnosis.exit_code,
        **({"sessions": [dict(entry) for entry in diagnosis.sessions]} if diagnosis.sessions else {}),
        **({"recordings": [dict(entry) for entry in diagnosis.recordings]} if diagnosis.recordings else {}),
    }


def _comparison(pair: Comparison, redactor: Redactor) -> dict[str, Any]:
    document: dict[str, Any] = {
        "from": pair.older,
        "to": pair.newer,
        "relation": pair.relation,
        "changes": [change_document(change, redactor) for change in pair.changes],
    }
    return document if pair.why is None else {**document, "why": pair.why}


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
        **({"session": finding.session} if finding.session is not None else {}),
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
