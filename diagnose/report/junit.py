"""A diagnosis as JUnit XML, in the form that the readers of test reports agree on.

One suite; a case a check, and one for the verdict, which passes exactly where the exit code is 0. A check that was not
verified is skipped, never passed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from diagnose.evidence.harmless import harmless
from diagnose.judge.checks import CHECKS
from diagnose.judge.clock import stamped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import CheckResult, Diagnosis, Finding
    from diagnose.report.layout import Safe

#: What XML 1.0 has no way to write (its production `Char`), not even as a reference.
_NO_CHAR = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SUITE = "diagnose"


def diagnosis_junit(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the report as an XML document, with its declaration."""
    suites = _Suite(diagnosis, redactor).suites()
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


class _Suite:
    """One suite under way."""

    def __init__(self, diagnosis: Diagnosis, redactor: Redactor) -> None:
        self.diagnosis = diagnosis
        # What `harmless` leaves is printable, but for what a later Unicode may hold.
        self.safe: Safe = lambda text: _NO_CHAR.sub("\ufffd", harmless(redactor.text(text), newlines=True))

    def suites(self) -> ET.Element:
        cases = [*self._checks(), self._verdict()]
        counts = {
            "tests": len(cases),
            "failures": sum(case.find("failure") is not None for case in cases),
            "errors": sum(case.find("error") is not None for case in cases),
        }
        skipped = sum(case.find("skipped") is not None for case in cases)
        told = {key: str(count) for key, count in counts.items()}
        top = ET.Element("testsuites", {"name": _SUITE, **told})
        named = {"name": f"{_SUITE} {self.safe(self.diagnosis.target.id)}"}
        stamp = {"timestamp": stamped(self.diagnosis.at).removesuffix("Z")}
        suite = ET.SubElement(top, "testsuite", {**named, **told, "skipped": str(skipped), **stamp})
        suite.append(self._properties())
        suite.extend(cases)
        return top

    def _properties(self) -> ET.Element:
        target, verdict = self.diagnosis.target, self.diagnosis.verdict
        said = {
            "endpoint": self.safe(target.endpoint),
            "state": verdict.state,
            "layer": verdict.layer,
            "cause": verdict.cause,
            "exitCode": str(self.diagnosis.exit_code),
        }
        properties = ET.Element("properties")
        for name, value in said.items():
            if value is not None:
                ET.SubElement(properties, "property", {"name": name, "value": value})
        return properties

    def _checks(self) -> Iterator[ET.Element]:
        for result in self.diagnosis.checks:
            findings = [finding for finding in self.diagnosis.findings if finding.rule == result.rule]
            yield self._check(result, findings)

    def _check(self, result: CheckResult, findings: Sequence[Finding]) -> ET.Element:
        family = CHECKS[result.rule].family if result.rule in CHECKS else "other"
        case = ET.Element("testcase", {"classname": f"{_SUITE}.{family}", "name": result.rule})
        failing = [finding for finding in findings if self.diagnosis.fails(finding)]
        if result.outcome in {"not-verified", "suppressed"}:
            said = f"{result.outcome.replace('-', ' ')}{': ' + self.safe(result.why) if result.why else ''}"
            ET.SubElement(case, "skipped", {"message": said})
        elif failing:
            first = {"type": result.rule, "message": self.safe(failing[0].message)}
            ET.SubElement(case, "failure", first).text = "\n".join(map(self._told, failing))
        beside = [finding for finding in findings if finding not in failing]
        if beside:
            ET.SubElement(case, "system-out").text = "\n".join(map(self._told, beside))
        return case

    def _verdict(self) -> ET.Element:
        """Return the case of the verdict: a failure where it is 1, an error where nothing could be decided."""
        verdict, code = self.diagnosis.verdict, self.diagnosis.exit_code
        case = ET.Element("testcase", {"classname": _SUITE, "name": "verdict"})
        summary = self.safe(verdict.summary)
        if code:
            kind = {"type": verdict.cause or verdict.state, "message": summary}
            steps = "\n".join(f"- {self.safe(step)}" for step in verdict.next)
            ET.SubElement(case, "failure" if code == 1 else "error", kind).text = steps
        else:
            ET.SubElement(case, "system-out").text = f"{verdict.state}: {summary}"
        return case

    def _told(self, finding: Finding) -> str:
        evidence = f" [{self.safe('; '.join(finding.evidence))}]" if finding.evidence else ""
        remedy = f"\n  remedy: {self.safe(finding.remedy)}" if finding.remedy else ""
        return f"{finding.severity} at {finding.layer}: {self.safe(finding.message)}{evidence}{remedy}"
