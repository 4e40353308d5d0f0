"""Recorded sessions as one page: the answer, the picture, and tables to which the evidence leads, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnose.judge.words import counted
from diagnose.report.html import HtmlReport
from diagnose.report.text import STATES
from diagnose.report.timeline_svg import timeline_figure
from diagnose.report.timeline_words import Row, held_old, identity, left_out, recorded, rows_of
from diagnose.report.webpage import Content, Markup, Writer

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Diagnosis

#: So many sessions have a table; the JSON form has all of them.
MAX_SESSIONS = 50
_INKS = {"good": "good", "bad": "bad", "doubt": "doubt", "faint": "faint"}


def timeline_html(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the page. Nothing in it can act, and it asks nobody for anything."""
    return _Timeline(diagnosis, Writer(redactor), redactor).page()


class _Timeline(HtmlReport):
    """One page under way."""

    def __init__(self, diagnosis: Diagnosis, writer: Writer, redactor: Redactor) -> None:
        super().__init__(diagnosis, writer, redactor)
        bad = {"stale", "broken"}
        ordered = sorted(diagnosis.sessions, key=lambda each: each["verdict"]["state"] not in bad)
        self._shown = [(session, rows_of(session)) for session in ordered[:MAX_SESSIONS]]
        self._places = {
            f"{session['recording']}:{frame}": _place(session["recording"], row.frames[0])
            for session, rows in self._shown
            for row in rows
            for frame in row.frames
        }

    def parts(self) -> Iterator[tuple[str, Iterator[Content]]]:
        """Yield each part as its heading and what stands in it."""
        yield "Timeline", self._picture()
        yield "What to do next", self.steps()
        yield "Evidence", self.findings()
        yield "Also suspected", self.suspected()
        yield "Sessions, frame by frame", self._sessions()
        if self.any_changes():
            yield "What changed", self.comparisons()
        yield "What this does not prove", self.limits()
        yield "Checks", self.checks()

    def piece(self, evidence: str) -> Markup:
        """Return one piece of evidence, with a link to the row of its frame."""
        place = self._places.get(evidence)
        code = self.writer.element("code", evidence)
        return code if place is None else self.writer.element("a", code, href=f"#{place}")

    def _picture(self) -> Iterator[Content]:
        for line in recorded(self.diagnosis):
            yield self.writer.element("p", line, class_="faint small")
        yield timeline_figure(self.diagnosis, self.writer)

    def _sessions(self) -> Iterator[Content]:
        taken: set[str] = set()
        for session, rows in self._shown:
            yield from self._session(session, rows, taken)
        more = len(self.diagnosis.sessions) - len(self._shown)
        if more:
            yield self.writer.element("p", f"and {counted(more, 'more session')}; the JSON form has them all", class_="faint")  # fmt: skip

    def _session(self, session: Mapping[str, Any], rows: Sequence[Row], taken: set[str]) -> Iterator[Content]:
        make, verdict = self.writer.element, session["verdict"]
        word, ink = STATES[verdict["state"]]
        cause: list[Content] = [" ", make("code", verdict["cause"])] if verdict["cause"] else []
        yield make("h3", self.writer.word(word, ink), f" {session['id']}", *cause)
        yield make("p", identity(session))
        for each in session["stale"]:
            yield make("p", f"It {held_old(each)}.", class_="doubt")
        lines = [self._row(session["recording"], row, taken) for row in rows]
        if lines:
            yield self.writer.table(["Frames", "Time", "What crossed"], lines, caption=f"{session['id']}: {counted(len(lines), 'row')}")  # fmt: skip
        if missing := left_out(session):
            yield make("p", missing, class_="faint small")

    def _row(self, recording: str, row: Row, taken: set[str]) -> tuple[Content, ...]:
        make, place = self.writer.element, _place(recording, row.frames[0])
        frames = " ".join(map(str, row.frames[:6])) + (f" … {row.frames[-1]}" if len(row.frames) > 6 else "")
        named = make("span", frames, id=place if place not in taken else None, class_="code")
        taken.add(place)
        return named, f"{row.t:.2f} s", make("span", row.words, class_=_INKS.get(row.ink))


def _place(recording: str, frame: int) -> str:
    return f"{recording.replace('#', '-')}-{frame}"
