"""A diagnosis as one page of HTML: the answer and what to do, the ladder as a picture, then what it all stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.judge.glossary import LAYER_WORDS
from diagnose.report.changes import SIGNS, sides, summary
from diagnose.report.ladder_picture import ladder_picture, relation_word
from diagnose.report.reason import is_the_answer, matters, reason
from diagnose.report.rungs import MARKS, UNSEEN, facts_of, mark_of, side_named
from diagnose.report.tally import tally
from diagnose.report.text import STATES
from diagnose.report.webpage import Content, Markup, Writer
from diagnose.surface import IMPACTS
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Candidate, Comparison, Diagnosis, Finding
    from diagnose.surface import Change, Detail

#: How much of a long result a page shows; the JSON form has all of it.
MAX_CHANGES = 200
MAX_DETAILS = 25
MAX_FINDINGS = 100
MAX_EVIDENCE = 12
_VALUE = 400

_COMMAND = ": diagnose "
_INKS = {"error": "bad", "warning": "doubt", "note": "faint"}
_IMPACT_INKS = {"breaking": "bad", "unclear": "unsure", "behaviour": "doubt", "routing": "doubt", "compatible": "good"}


def diagnosis_html(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the page. Nothing in it can act, and it asks nobody for anything."""
    return HtmlReport(diagnosis, Writer(redactor), redactor).page()


class HtmlReport:
    """One page under way; `parts` says what stands in it below the answer."""

    def __init__(self, diagnosis: Diagnosis, writer: Writer, redactor: Redactor) -> None:
        self.diagnosis = diagnosis
        self.writer = writer
        self.redactor = redactor

    def parts(self) -> Iterator[tuple[str, Iterator[Content]]]:
        """Yield each part as its heading and what stands in it; one that is empty is not shown."""
        yield "What to do next", self.steps()
        yield "The ladder", self._ladder()
        yield "What crossed the wire", self._wire()
        yield "What changed" if self.any_changes() else "What was compared", self.comparisons()
        yield "Evidence", self.findings()
        yield "Also suspected", self.suspected()
        yield "What was not observed", self.limits()
        yield "Checks", self.checks()

    def page(self) -> str:
        """Return the page."""
        word, _ = STATES[self.diagnosis.verdict.state]
        sections = [self.writer.section(heading, *shown) for heading, body in self.parts() if (shown := list(body))]
        main = self.writer.element("main", self._answer(), *sections)
        return self.writer.page(f"{word}: {self.diagnosis.target.endpoint}", main, self._footer())

    def _answer(self) -> Markup:
        make, verdict, target = self.writer.element, self.diagnosis.verdict, self.diagnosis.target
        word, ink = STATES[verdict.state]
        named: list[Content] = []
        if verdict.cause:
            named = [f" at {verdict.layer}: ", make("code", verdict.cause)]
        sure = [make("p", make("b", verdict.confidence), f": {_SURE[verdict.confidence]}", class_="faint small")]
        return make(
            "header",
            make("p", make("code", target.endpoint), f" at {self.diagnosis.at}", class_="faint small"),
            make("h1", self.writer.word(word, ink), *named),
            make("p", verdict.summary, class_="lead"),
            make("p", reason(self.diagnosis)),
            *(sure if verdict.cause else []),
        )

    def steps(self) -> Iterator[Content]:
        """Yield what to do next, numbered."""
        steps = [self._step(step) for step in self.diagnosis.verdict.next]
        if steps:
            yield self.writer.items(steps, ordered=True)

    def _step(self, step: str) -> Markup:
        words, colon, command = self.writer.safe(step).partition(_COMMAND)
        if not colon:
            return self._prose(words)
        return self.writer.join([self._prose(f"{words}:"), self.writer.element("pre", f"diagnose {command}")])

    def _prose(self, text: str) -> Markup:
        """Return words of ours in which what stands between backticks is to be typed or read as it is."""
        pieces = text.split("`")
        if len(pieces) % 2 == 0:
            return self.writer.join([text])
        return self.writer.join(
            self.writer.element("code", each) if place % 2 else each for place, each in enumerate(pieces)
        )

    def _ladder(self) -> Iterator[Content]:
        rows = [self._rung(row) for row in self.diagnosis.layers]
        yield self.writer.element(
            "div",
            self.writer.element("figure", ladder_picture(self.diagnosis, self.writer)),
            self.writer.element("dl", *(piece for row in rows for piece in row)),
            class_="beside",
        )

    def _wire(self) -> Iterator[Content]:
        """Yield the picture of the recordings that were given; our own sessions show nothing of a client."""
        if any(each["source"] != "own session" for each in self.diagnosis.recordings):
            from diagnose.report.timeline_svg import timeline_figure

            yield timeline_figure(self.diagnosis, self.writer)

    def _rung(self, row: Mapping[str, Any]) -> tuple[Markup, Markup]:
        make, layer = self.writer.element, row["layer"]
        mark = mark_of(row, self.diagnosis)
        words = make("span", LAYER_WORDS[layer][0] if layer in LAYER_WORDS else "", class_="faint small block")
        first: list[Content] = [make("b", layer)]
        if mark != UNSEEN:
            first += [" ", self.writer.word(mark, MARKS.get(mark, "faint"))]
        return make("dt", *first), make("dd", self._facts(row), words)

    def _facts(self, row: Mapping[str, Any]) -> Content:
        return ", ".join(facts_of(row))

    def any_changes(self) -> bool:
        """Tell whether anything that was compared differs."""
        return any(pair.changes for pair in self.diagnosis.comparisons)

    def comparisons(self) -> Iterator[Content]:
        """Yield what was laid side by side, with the changes."""
        for pair in self.diagnosis.comparisons:
            yield self._pair(pair)
            if pair.changes:
                yield from self._changes(pair)

    def _pair(self, pair: Comparison) -> Markup:
        sign, word, ink = relation_word(pair)
        sides = f" {side_named(pair.older)} to {side_named(pair.newer)}"
        said = f": {summary(pair.changes)}" if pair.changes else ""
        why = f" ({pair.why})" if pair.why else ""
        return self.writer.element("h3", self.writer.word(f"{sign} {word}", ink), f"{sides}{said}{why}")

    def _changes(self, pair: Comparison) -> Iterator[Content]:
        worst_first = sorted(pair.changes, key=lambda change: IMPACTS.index(change.impact))
        shown = worst_first[:MAX_CHANGES]
        yield self.writer.table(["Tool", "Change", "Impact", "Where"], map(self._change, shown))
        if len(worst_first) > len(shown):
            yield self._more(len(worst_first) - len(shown), "changes")

    def _change(self, change: Change) -> tuple[Content, ...]:
        make = self.writer.element
        name = make("code", change.subject) if change.tool is not None else self.writer.join([change.subject])
        doubt = "possibly " if change.confidence == "possible" else ""
        kind: list[Content] = [f"{SIGNS[change.kind]} {doubt}{change.kind}"]
        if change.was is not None:
            kind += [" from ", make("code", change.was)]
        impact = self.writer.word(change.impact, _IMPACT_INKS.get(change.impact, "faint"))
        return name, self.writer.join(kind), impact, self._details(change)

    def _details(self, change: Change) -> Content:
        worst_first = sorted(change.details, key=lambda detail: IMPACTS.index(detail.impact))
        shown = [self._detail(detail) for detail in worst_first[:MAX_DETAILS]]
        if len(worst_first) > len(shown):
            shown.append(self._more(len(worst_first) - len(shown), "places"))
        return self.writer.join(shown)

    def _detail(self, detail: Detail) -> Markup:
        make = self.writer.element
        shown = zip("-+", sides(detail, self.redactor, self.writer.safe, _VALUE), strict=True)
        lines = [make("div", f"{sign} ", make("code", side)) for sign, side in shown if side is not None]
        return make("div", make("code", detail.path), f" {detail.impact}", *lines, class_="detail")

    def findings(self) -> Iterator[Content]:
        """Yield a card a finding, the cause first."""
        cause = self.diagnosis.verdict.cause
        ordered = sorted(self.diagnosis.findings, key=lambda finding: finding.rule != cause)
        yield from map(self._finding, ordered[:MAX_FINDINGS])
        if len(ordered) > MAX_FINDINGS:
            yield self._more(len(ordered) - MAX_FINDINGS, "findings")

    def _finding(self, finding: Finding) -> Markup:
        make = self.writer.element
        severity = "error" if self.diagnosis.fails(finding) else finding.severity
        head: list[Content] = [
            self.writer.word(severity, _INKS[severity]),
            " ",
            make("code", finding.rule),
            f" at {finding.layer}",
        ]
        body: list[Content] = [make("p", *head, class_="strong"), make("p", finding.message)]
        if not is_the_answer(finding, self.diagnosis) and severity != "note" and matters(finding.rule):
            body.append(make("p", self._prose(matters(finding.rule)), class_="faint"))
        if finding.evidence:
            body.append(make("p", "Evidence: ", self._evidence(finding), class_="small"))
        if finding.remedy and severity != "note" and finding.rule != self.diagnosis.verdict.cause:
            body.append(make("p", make("b", "Remedy: "), self._prose(finding.remedy)))
        return make("article", *body, class_="card")

    def _evidence(self, finding: Finding) -> Content:
        shown: list[Content] = [self.piece(each) for each in finding.evidence[:MAX_EVIDENCE]]
        more = len(finding.evidence) - len(shown)
        return self.writer.join([*shown, f"and {more} more"] if more else shown, between=" ")

    def piece(self, evidence: str) -> Markup:
        """Return one piece of evidence."""
        return self.writer.element("code", evidence)

    def suspected(self) -> Iterator[Content]:
        """Yield the candidates that no finding stands for."""
        found = {finding.rule for finding in self.diagnosis.findings}
        rest = [each for each in self.diagnosis.verdict.candidates if each.cause not in found]
        if rest:
            yield self.writer.items(map(self._candidate, rest))

    def _candidate(self, each: Candidate) -> Markup:
        said = f" at {each.layer} ({each.state}, {each.confidence}): {each.summary}"
        return self.writer.join([self.writer.element("code", each.cause), said])

    def limits(self) -> Iterator[Content]:
        """Yield what was not observed."""
        if self.diagnosis.verdict.limits:
            yield self.writer.items(map(self._prose, self.diagnosis.verdict.limits))

    def checks(self) -> Iterator[Content]:
        """Yield how many checks ended how, and which were not verified."""
        yield self.writer.element("p", f"{tally(self.diagnosis.checks)}. Exit code {self.diagnosis.exit_code}.")
        missing = [result for result in self.diagnosis.checks if result.outcome == "not-verified"]
        if missing:
            summary_ = self.writer.element("summary", "What was not verified, and why")
            rows = [
                (self.writer.element("code", each.rule), self._prose(each.why or "nobody knows why"))
                for each in missing
            ]
            yield self.writer.element("details", summary_, self.writer.table(["Check", "Why"], rows))

    def _more(self, number: int, things: str) -> Markup:
        return self.writer.element("p", f"and {number} more {things}; the JSON form has them all", class_="faint")

    def _footer(self) -> Markup:
        return self.writer.element(
            "footer", f"diagnose {__version__}. This page runs no script and asks nobody for anything."
        )


_SURE = {
    "proven": "both sides were observed, or frames show it",
    "likely": "one side was observed, and the evidence excludes every other explanation",
    "possible": "it fits what was observed, and so may other explanations",
}
