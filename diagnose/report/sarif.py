"""A diagnosis as SARIF 2.1.0, the form in which code scanning takes results (OASIS, 27 March 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from diagnose.evidence.harmless import harmless
from diagnose.judge.checks import CHECKS
from diagnose.judge.clock import stamped
from diagnose.judge.glossary import EXIT_CODE_WORDS
from diagnose.report.document import json_document
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diagnose.evidence.bundle import Target
    from diagnose.evidence.redact import Redactor
    from diagnose.judge.checks import Check
    from diagnose.judge.diagnosis import CheckResult, Diagnosis, Finding
    from diagnose.report.layout import Safe

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: The name of our fingerprint; another number, should what it is made of ever change.
FINGERPRINT = "diagnoseFinding/v1"
#: Code scanning takes relative addresses only, and refuses a file that has a result at `https:` as a whole; so the origin
#: stands here, and the results name a path below it.
_ENDPOINT, _ROOT = "ENDPOINT", "%SRCROOT%"
_SAFE = "/-._~!$&'()*+,;=@"


def diagnosis_sarif(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the log as JSON text: one run, its rules those checks that ran, a result a finding.

    A finding that fails the run is an error; the exit code stands in the invocation, so that a log without results is not
    taken for a good one.
    """
    return json_document(_Log(diagnosis, redactor).document(), redactor)


class _Log:
    """One log under way."""

    def __init__(self, diagnosis: Diagnosis, redactor: Redactor) -> None:
        self.diagnosis = diagnosis
        self.safe: Safe = lambda text: harmless(redactor.text(text))
        names = dict.fromkeys([*(each.rule for each in diagnosis.checks), *(each.rule for each in diagnosis.findings)])
        self.rules = list(names)

    def document(self) -> dict[str, Any]:
        return {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [self._run()]}

    def _run(self) -> dict[str, Any]:
        verdict = self.diagnosis.verdict
        # No automationDetails: who uploads the log names the category, and two logs of one target are two.
        return {
            "tool": {"driver": self._driver()},
            "invocations": [self._invocation()],
            "originalUriBaseIds": _bases(self.diagnosis.target),
            "columnKind": "unicodeCodePoints",
            "results": [self._result(finding) for finding in self.diagnosis.findings],
            "properties": {
                "state": verdict.state,
                "layer": verdict.layer,
                "cause": verdict.cause,
                "summary": self.safe(verdict.summary),
            },
        }

    def _driver(self) -> dict[str, Any]:
        rules = [_rule(name, CHECKS.get(name)) for name in self.rules]
        return {"name": "diagnose", "version": __version__, "semanticVersion": __version__, "rules": rules}

    def _invocation(self) -> dict[str, Any]:
        code = self.diagnosis.exit_code
        silent = [result for result in self.diagnosis.checks if result.outcome in {"not-verified", "suppressed"}]
        notices = [self._notice(result) for result in silent]
        if code not in {0, 1}:
            text = self.safe(self.diagnosis.verdict.summary) or EXIT_CODE_WORDS.get(code, "It ended early.")
            notices.insert(0, {"level": "error", "message": {"text": text}})
        return {
            "executionSuccessful": code in {0, 1},
            "exitCode": code,
            "exitCodeDescription": EXIT_CODE_WORDS.get(code, ""),
            "endTimeUtc": stamped(self.diagnosis.at),
            "toolExecutionNotifications": notices,
        }

    def _notice(self, result: CheckResult) -> dict[str, Any]:
        """Return what says that a check was not verified, or not shown: it must not pass for one that passed."""
        why = f": {self.safe(result.why)}" if result.why else ""
        return {
            "level": "note",
            "associatedRule": {"id": result.rule, "index": self.rules.index(result.rule)},
            "message": {"text": f"The check {result.rule} was {result.outcome.replace('-', ' ')}{why}."},
        }

    def _result(self, finding: Finding) -> dict[str, Any]:
        remedy = f" Remedy: {self.safe(finding.remedy)}" if finding.remedy else ""
        return {
            "ruleId": finding.rule,
            "ruleIndex": self.rules.index(finding.rule),
            "level": "error" if self.diagnosis.fails(finding) else finding.severity,
            "message": {"text": f"{self.safe(finding.message)}{remedy}"},
            "locations": [self._location(finding)],
            "partialFingerprints": {FINGERPRINT: finding.fingerprint},
            "properties": {
                "severity": finding.severity,
                "confidence": finding.confidence,
                "layer": finding.layer,
                "evidence": [self.safe(piece) for piece in finding.evidence],
            },
        }

    def _location(self, finding: Finding) -> dict[str, Any]:
        target, place = self.diagnosis.target, finding.place
        artifact = {"uri": _relative(target), "uriBaseId": _ENDPOINT}
        if place is not None:
            artifact = {"uri": _reference(place.file), "uriBaseId": _ROOT}
        # Code scanning wants a line, also of what has none.
        region = {"startLine": place.line if place is not None else 1}
        name = f"{self.safe(target.id)}/{finding.layer}"
        return {
            "physicalLocation": {"artifactLocation": artifact, "region": region},
            "logicalLocations": [{"name": finding.layer, "fullyQualifiedName": name, "kind": "resource"}],
        }


def _rule(name: str, check: Check | None) -> dict[str, Any]:
    if check is None:
        return {"id": name, "shortDescription": {"text": f"{name}."}}
    return {
        "id": name,
        "shortDescription": {"text": check.summary},
        "fullDescription": {"text": check.why},
        "help": {"text": f"{check.remedy} Source: {check.source}. More: diagnose explain {name}"},
        "defaultConfiguration": {"level": check.severity},
        "properties": {"tags": _tags(check.family, check.layer)},
    }


def _tags(*words: str) -> Sequence[str]:
    return list(dict.fromkeys(("mcp", *words)))


def _bases(target: Target) -> dict[str, Any]:
    """Return what the relative addresses are relative to; the project's own root is for the reader to know."""
    root = {"description": {"text": "The root of the project."}}
    if target.transport != "http" or not urlsplit(target.endpoint).netloc:
        return {_ENDPOINT: {"description": {"text": "What was asked: a command, or a file."}}, _ROOT: root}
    parts = urlsplit(target.endpoint)
    origin = {"uri": f"{parts.scheme}://{parts.netloc}/", "description": {"text": "The server that was asked."}}
    return {_ENDPOINT: origin, _ROOT: root}


def _relative(target: Target) -> str:
    """Return what was asked, as a reference relative to its base (RFC 3986, 4.2)."""
    parts = urlsplit(target.endpoint)
    if target.transport != "http" or not parts.netloc:
        return _reference(target.endpoint)
    # What is encoded there already stays as it is.
    return quote(parts.path.lstrip("/"), safe=f"{_SAFE}%") or "./"


def _reference(path: str) -> str:
    """Return a file's path as a relative reference; a colon in it must not look like the end of a scheme."""
    return quote(path.replace("\\", "/"), safe=_SAFE)
