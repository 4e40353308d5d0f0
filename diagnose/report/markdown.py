"""A diagnosis as Markdown, for a pull request or the summary of a job: the answer, what changed, why, and what next.

Whatever a server said stands in code spans, which no text in them can leave, or is escaped: it makes no link, image,
mention or table cell of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from diagnose.evidence.harmless import harmless
from diagnose.report.changes import sides, summary
from diagnose.report.tally import tally
from diagnose.surface import IMPACTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Comparison, Diagnosis, Finding
    from diagnose.report.layout import Safe
    from diagnose.surface import Change, Detail

#: A comment on GitHub ends at 65,536 characters; these keep well below it.
MAX_CHANGES = 50
MAX_DETAILS = 10
MAX_FINDINGS = 30
_VALUE = 120

_TITLES = {"in-sync": "In sync", "stale": "Stale", "broken": "Broken", "inconclusive": "Inconclusive"}
_ACTIVE = re.compile(r"[\\`*_\[\]<>|~&]|^(?:[-+]|\d+(?=[.)]))")
#: What GitHub makes links of by itself: mentions, numbers of issues, addresses. An invisible space in it prevents that.
_LINKING = re.compile(r"[@#]|:(?=//)|(?i:www)(?=\.)")


def diagnosis_markdown(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the report in GitHub's Markdown."""
    return "\n".join(_Report(diagnosis, redactor).lines())


class _Report:
    """One report under way."""

    def __init__(self, diagnosis: Diagnosis, redactor: Redactor) -> None:
        self.diagnosis = diagnosis
        self.redactor = redactor
        self.safe: Safe = lambda text: harmless(redactor.text(text))

    def lines(self) -> Iterator[str]:
        yield from self._answer()
        for heading, body in (
            ("What changed", self._changes()),
            ("Findings", self._findings()),
            ("What next", self._steps()),
            ("Limits", self._limits()),
        ):
            shown = list(body)
            if shown:
                yield from ("", f"### {heading}", "", *shown)
        yield from ("", f"Checks: {tally(self.diagnosis.checks)}.", "")

    def _answer(self) -> Iterator[str]:
        verdict, target = self.diagnosis.verdict, self.diagnosis.target
        named = f" at {verdict.layer}: {code(verdict.cause)} ({verdict.confidence})" if verdict.cause else ""
        yield f"## {_TITLES[verdict.state]}{named}"
        yield ""
        yield escaped(self.safe(verdict.summary))
        yield ""
        yield f"{code(self.safe(target.endpoint))}, {escaped(self.safe(self.diagnosis.at))}. Exit code {self.diagnosis.exit_code}."

    def _changes(self) -> Iterator[str]:
        for pair in self.diagnosis.comparisons:
            if pair.changes:
                yield from self._pair(pair)

    def _pair(self, pair: Comparison) -> Iterator[str]:
        yield f"From {code(pair.older)} to {code(pair.newer)}: {summary(pair.changes)}."
        yield ""
        yield "| impact | tool | change | where |"
        yield "|---|---|---|---|"
        worst_first = sorted(pair.changes, key=lambda change: IMPACTS.index(change.impact))
        for change in worst_first[:MAX_CHANGES]:
            yield f"| {change.impact} | {self._tool(change)} | {self._kind(change)} | {self._places(change)} |"
        if len(worst_first) > MAX_CHANGES:
            yield ""
            yield f"And {len(worst_first) - MAX_CHANGES} more; the JSON form has them all."

    def _tool(self, change: Change) -> str:
        return "the server" if change.tool is None else cell(self.safe(change.tool))

    def _kind(self, change: Change) -> str:
        if change.was is None:
            return change.kind
        doubt = "possibly " if change.confidence == "possible" else ""
        return f"{doubt}renamed from {cell(self.safe(change.was))}"

    def _places(self, change: Change) -> str:
        worst_first = sorted(change.details, key=lambda detail: IMPACTS.index(detail.impact))
        said = [self._detail(detail) for detail in worst_first[:MAX_DETAILS]]
        if len(worst_first) > MAX_DETAILS:
            said.append(f"and {len(worst_first) - MAX_DETAILS} more")
        return "<br>".join(said)

    def _detail(self, detail: Detail) -> str:
        shown = sides(detail, self.redactor, self.safe, _VALUE)
        said = " → ".join("nothing" if side is None else cell(side) for side in shown)
        return f"{cell(self.safe(detail.path))} {detail.impact}: {said}"

    def _findings(self) -> Iterator[str]:
        findings = self.diagnosis.findings
        for finding in findings[:MAX_FINDINGS]:
            yield from self._finding(finding)
        if len(findings) > MAX_FINDINGS:
            yield f"- and {len(findings) - MAX_FINDINGS} more; the JSON form has them all"

    def _finding(self, finding: Finding) -> Iterator[str]:
        severity = "error" if self.diagnosis.fails(finding) else finding.severity
        yield f"- **{severity}** {code(finding.rule)} at {finding.layer}: {escaped(self.safe(finding.message))}"
        if finding.remedy and severity != "note" and finding.rule != self.diagnosis.verdict.cause:
            yield f"  Remedy: {escaped(self.safe(finding.remedy))}"

    def _steps(self) -> Iterator[str]:
        for number, step in enumerate(self.diagnosis.verdict.next, start=1):
            words, colon, command = self.safe(step).partition(": diagnose ")
            yield f"{number}. {escaped(words)}" + (f": {code('diagnose ' + command)}" if colon else "")

    def _limits(self) -> Iterator[str]:
        for limit in self.diagnosis.verdict.limits:
            yield f"- {escaped(self.safe(limit))}"


def code(text: str) -> str:
    """Return harmless text as a code span, which no run of backticks in it can end (CommonMark, 6.1)."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def cell(text: str) -> str:
    """Return the same for a cell of a table, which a bar would end also in a span (GFM, 4.10)."""
    return code(text).replace("|", "\\|")


def escaped(text: str) -> str:
    """Return harmless text so that Markdown shows it as it is, and no name or address in it becomes a link by itself."""
    return _LINKING.sub(r"\g<0>&#8203;", _ACTIVE.sub(_escape, text))


def _escape(match: re.Match[str]) -> str:
    """Put the backslash where Markdown reads one: before what acts, and behind the number that begins a list."""
    return f"{match[0]}\\" if match[0].isdecimal() else f"\\{match[0]}"
