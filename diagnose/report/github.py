"""A diagnosis as annotations of a GitHub Actions job: workflow commands, one a line, which the runner reads from stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.evidence.harmless import harmless
from diagnose.report.tally import tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Diagnosis, Finding
    from diagnose.report.layout import Safe

#: The runner shows ten annotations of a kind for a step, and drops the others without a word.
MAX_OF_A_KIND = 10

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def diagnosis_github(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the annotations: the findings, then the verdict, as an error exactly where the exit code is not 0."""
    return "\n".join(_lines(diagnosis, lambda text: harmless(redactor.text(text))))


def _lines(diagnosis: Diagnosis, safe: Safe) -> Iterator[str]:
    shown = dict.fromkeys(_COMMANDS.values(), 0)
    left = 0
    for finding in diagnosis.findings:
        command = _command(diagnosis, finding)
        # One place is kept for the verdict.
        if shown[command] >= MAX_OF_A_KIND - 1:
            left += 1
            continue
        shown[command] += 1
        yield _annotation(command, _at(finding, safe), f"{safe(finding.message)}{_remedy(finding, safe)}")
    yield _annotation(*_verdict(diagnosis, safe, left))


def _command(diagnosis: Diagnosis, finding: Finding) -> str:
    """Return the kind of annotation; what does not fail the job is no error in it."""
    if diagnosis.fails(finding):
        return "error"
    return "warning" if finding.severity == "error" else _COMMANDS[finding.severity]


def _at(finding: Finding, safe: Safe) -> dict[str, str]:
    said = {"title": f"{finding.rule} at {finding.layer}"}
    if finding.place is None:
        return said
    return {"file": safe(finding.place.file), "line": str(finding.place.line), **said}


def _remedy(finding: Finding, safe: Safe) -> str:
    return f"\n{safe(finding.remedy)}" if finding.remedy and finding.severity != "note" else ""


def _verdict(diagnosis: Diagnosis, safe: Safe, left: int) -> tuple[str, Mapping[str, str], str]:
    verdict = diagnosis.verdict
    cause = f" at {verdict.layer}: {verdict.cause}" if verdict.cause else ""
    more = f"\n{left} more findings are in the other formats." if left else ""
    title = f"diagnose {safe(diagnosis.target.id)}: {verdict.state}{cause}"
    said = f"{safe(verdict.summary)}\nChecks: {tally(diagnosis.checks)}. Exit code {diagnosis.exit_code}.{more}"
    return "error" if diagnosis.exit_code else "notice", {"title": title}, said


def _annotation(command: str, properties: Mapping[str, str], message: str) -> str:
    """Return one workflow command, with what would end it, or a property of it, escaped."""
    said = ",".join(
        f"{key}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for key, value in properties.items()
    )
    return f"::{command} {said}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
