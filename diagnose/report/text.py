"""A diagnosis as text: what and why, the ladder, what changed, the evidence, what next, and what was not observed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from diagnose.evidence.harmless import harmless
from diagnose.evidence.redact import Redactor
from diagnose.judge.diagnosis import Comparison, Diagnosis, Finding, State
from diagnose.report.changes import change_lines
from diagnose.report.layout import Ink, Page, Safe
from diagnose.report.reason import is_the_answer, reason
from diagnose.report.rungs import rung_lines, side_named
from diagnose.report.tally import tally
from diagnose.surface import IMPACTS

STATES: dict[State, tuple[str, Ink]] = {
    "in-sync": ("IN SYNC", "good"),
    "stale": ("STALE", "doubt"),
    "broken": ("BROKEN", "bad"),
    "inconclusive": ("INCONCLUSIVE", "unsure"),
}
_INK: dict[str, Ink] = {"error": "bad", "warning": "doubt", "note": "faint"}
_COMMAND = ": diagnose "
#: How much of a long report is shown; the JSON form has all of it.
MAX_CHANGES = 25
MAX_FINDINGS = 12
MAX_EVIDENCE = 4


def diagnosis_text(diagnosis: Diagnosis, redactor: Redactor, *, width: int = 80, colour: bool = False) -> str:
    """Return the report as text of at most `width` columns; nothing that a server said can act in it."""
    return "\n".join(Report(diagnosis, redactor, Page(width=width, colour=colour)).lines())


class Report:
    """One report under way; `parts` says what stands in it between the answer and the tally."""

    def __init__(self, diagnosis: Diagnosis, redactor: Redactor, page: Page) -> None:
        self.diagnosis = diagnosis
        self.redactor = redactor
        self.page = page
        self.safe: Safe = lambda text: harmless(redactor.text(text))

    def parts(self) -> Iterator[tuple[str, Iterator[str]]]:
        """Yield each part as its heading and its lines; one without lines is not shown."""
        yield self._ladder_heading(), rung_lines(self.diagnosis, self.page, self.safe)
        yield self._changes_heading(), self.changes()
        yield from self.conclusions()
        yield "Limits", self.limits()
        yield "Not verified", self._not_verified()

    def conclusions(self) -> Iterator[tuple[str, Iterator[str]]]:
        """Yield what was found, what to do, and what is suspected beside it."""
        yield "Evidence", self._findings()
        yield "What next", self._steps()
        yield "Suspected", self._suspected()

    def lines(self) -> Iterator[str]:
        """Yield the whole report."""
        yield from self._answer()
        for heading, body in self.parts():
            shown = list(body)
            if shown:
                yield ""
                yield from (self.page.ink(line, "strong") for line in self.page.wrap(heading, rest="  "))
                yield from shown
        yield ""
        yield from self.page.wrap(self._checks())

    def _answer(self) -> Iterator[str]:
        verdict = self.diagnosis.verdict
        word, ink = STATES[verdict.state]
        named = f" at {verdict.layer}: {verdict.cause} ({verdict.confidence})" if verdict.cause else ""
        first, *rest = self.page.wrap(word + self.safe(named), rest="  ")
        yield self.page.ink(word, ink) + first[len(word) :]
        yield from rest
        yield from self.page.wrap(self.safe(verdict.summary))
        if verdict.cause:
            yield from self.page.wrap(reason(self.diagnosis))

    def _ladder_heading(self) -> str:
        target = self.diagnosis.target
        return f"Ladder of {self.safe(target.endpoint)} at {self.safe(self.diagnosis.at)}"

    def _changes_heading(self) -> str:
        return "What changed" if any(pair.changes for pair in self.diagnosis.comparisons) else "Compared"

    def changes(self, *, differing: bool = False) -> Iterator[str]:
        """Yield what was compared, with the changes of each pair; or only what differs."""
        for pair in self.diagnosis.comparisons:
            if differing and not pair.changes:
                continue
            yield from self.page.wrap(self._pair(pair), first="  ", rest="    ")
            worst_first = sorted(pair.changes, key=lambda change: IMPACTS.index(change.impact))
            shown = worst_first[:MAX_CHANGES]
            for line in change_lines(shown, self.redactor, width=self.page.width - 4, colour=self.page.colour):
                yield f"    {line}"
            if len(worst_first) > len(shown):
                yield from self._more(len(worst_first) - len(shown), "changes", indent="    ")

    def _pair(self, pair: Comparison) -> str:
        why = f", {self.safe(pair.why)}" if pair.why else ""
        return f"{side_named(pair.older)} to {side_named(pair.newer)}: {pair.relation}{why}"

    def _findings(self) -> Iterator[str]:
        shown = self._ordered()
        for finding in shown[:MAX_FINDINGS]:
            first, *rest = self.page.wrap(self._finding(finding), first="  ", rest="    ")
            yield first.replace(finding.severity, self.page.ink(finding.severity, _INK[finding.severity]), 1)
            yield from rest
            if finding.evidence:
                yield from self.page.wrap(self._evidence(finding.evidence), first="    ", rest="      ")
            if finding.remedy and finding.severity != "note" and finding.rule != self.diagnosis.verdict.cause:
                yield from self.page.wrap(f"remedy: {self.safe(finding.remedy)}", first="    ", rest="      ")
        if len(shown) > MAX_FINDINGS:
            yield from self._more(len(shown) - MAX_FINDINGS, "findings", indent="  ")

    def _ordered(self) -> list[Finding]:
        cause = self.diagnosis.verdict.cause
        return sorted(self.diagnosis.findings, key=lambda finding: finding.rule != cause)

    def _finding(self, finding: Finding) -> str:
        """Return what was seen; what the answer has said already is not said again."""
        said = "" if is_the_answer(finding, self.diagnosis) else f": {self.safe(finding.message)}"
        return f"{finding.severity} {finding.rule} at {finding.layer}{said}"

    def _more(self, number: int, things: str, *, indent: str) -> list[str]:
        return self.page.wrap(f"and {number} more {things} (--format json has them all)", first=indent)

    def _evidence(self, evidence: Sequence[str]) -> str:
        more = f" and {len(evidence) - MAX_EVIDENCE} more" if len(evidence) > MAX_EVIDENCE else ""
        return "evidence: " + self.safe("; ".join(evidence[:MAX_EVIDENCE])) + more

    def _steps(self) -> Iterator[str]:
        for number, step in enumerate(self.diagnosis.verdict.next, start=1):
            words, colon, command = self.safe(step).partition(_COMMAND)
            yield from self.page.wrap(words + (":" if colon else ""), first=f"  {number}. ")
            if colon:
                # On a line of its own, so that it can be copied.
                yield from self.page.wrap(f"diagnose {command}", first="     ")

    def _suspected(self) -> Iterator[str]:
        """Yield the candidates that no finding stands for; the others are among the findings."""
        found = {finding.rule for finding in self.diagnosis.findings}
        for candidate in self.diagnosis.verdict.candidates:
            if candidate.cause in found:
                continue
            said = f"{candidate.cause} at {candidate.layer} ({candidate.state}, {candidate.confidence}): {candidate.summary}"
            yield from self.page.wrap(self.safe(said), first="  ", rest="    ")

    def limits(self) -> Iterator[str]:
        """Yield what was not observed."""
        for limit in self.diagnosis.verdict.limits:
            yield from self.page.wrap(self.safe(limit), first="  - ")

    def _not_verified(self) -> Iterator[str]:
        """Yield the checks that lacked something, by what they lacked."""
        missing: dict[str, list[str]] = {}
        for result in self.diagnosis.checks if self.diagnosis.itemised else ():
            if result.outcome == "not-verified":
                missing.setdefault(result.why or "nobody knows why", []).append(result.rule)
        for why, rules in missing.items():
            yield from self.page.wrap(f"{', '.join(rules)}: {self.safe(why)}", first="  ", rest="    ")

    def _checks(self) -> str:
        return f"Checks: {tally(self.diagnosis.checks)}. Exit code {self.diagnosis.exit_code}."
