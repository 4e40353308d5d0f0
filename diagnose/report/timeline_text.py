"""Recorded sessions as text: the answer, the picture, each session frame by frame, why, and what frames do not prove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnose.report.layout import Page
from diagnose.report.text import STATES, Report
from diagnose.report.timeline_picture import picture_of
from diagnose.report.timeline_terminal import ASCII, UNICODE, picture_lines
from diagnose.report.timeline_words import Row, held_old, identity, left_out, recorded, rows_of

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Diagnosis

#: So many sessions, and so many rows of one, are shown; the JSON form has more.
MAX_SESSIONS = 8
MAX_ROWS = 40


def timeline_text(
    diagnosis: Diagnosis, redactor: Redactor, *, width: int = 80, colour: bool = False, unicode: bool = True
) -> str:
    """Return the report as text of at most ``width`` columns; ``unicode`` lets the picture use strokes beyond ASCII."""
    report = _Timeline(diagnosis, redactor, Page(width=width, colour=colour))
    report.strokes = UNICODE if unicode else ASCII
    return "\n".join(report.lines())


class _Timeline(Report):
    """One report under way."""

    strokes = UNICODE

    def parts(self) -> Iterator[tuple[str, Iterator[str]]]:
        yield "Recorded", self._recordings()
        yield "Timeline", picture_lines(picture_of(self.diagnosis), self.page, self.safe, self.strokes)
        yield from self.conclusions()
        for session in self._worst_first()[:MAX_SESSIONS]:
            yield self._heading(session), self._session(session)
        if len(self.diagnosis.sessions) > MAX_SESSIONS:
            rest = self.diagnosis.sessions[MAX_SESSIONS:]
            yield "Further sessions", iter(self.page.wrap(f"{len(rest)} more (--format json has them all)", first="  "))
        yield "What changed", self.changes(differing=True)
        yield "What this does not prove", self.limits()

    def _recordings(self) -> Iterator[str]:
        for line in recorded(self.diagnosis):
            yield from self.page.wrap(self.safe(line), first="  ", rest="    ")

    def _worst_first(self) -> Sequence[Mapping[str, Any]]:
        bad = {"stale", "broken"}
        return sorted(self.diagnosis.sessions, key=lambda each: each["verdict"]["state"] not in bad)

    def _heading(self, session: Mapping[str, Any]) -> str:
        verdict = session["verdict"]
        cause = f", {verdict['cause']} ({verdict['confidence']})" if verdict["cause"] else ""
        return self.safe(f"{session['id']}: {STATES[verdict['state']][0]}{cause}")

    def _session(self, session: Mapping[str, Any]) -> Iterator[str]:
        yield from self.page.wrap(self.safe(identity(session)), first="  ")
        rows = rows_of(session)
        for row in rows[:MAX_ROWS]:
            yield from self._row(row)
        for each in session["stale"]:
            first, *rest = self.page.wrap(self.safe(held_old(each)), first="  ", rest="    ")
            yield self.page.ink(first, "doubt")
            yield from rest
        if len(rows) > MAX_ROWS:
            yield from self.page.wrap(f"and {len(rows) - MAX_ROWS} more rows (--format json has them)", first="  ")
        missing = left_out(session)
        if missing:
            yield from self.page.wrap(missing, first="  ")

    def _row(self, row: Row) -> Iterator[str]:
        head = f"  {frames_told(row.frames):<9} {f'{row.t:.2f} s':>9}  "
        first, *rest = self.page.wrap(self.safe(row.words), first=head)
        yield first[: len(head)] + self.page.ink(first[len(head) :], row.ink)
        yield from (line[: len(head)] + self.page.ink(line[len(head) :], row.ink) for line in rest)


def frames_told(frames: Sequence[int]) -> str:
    """Return frames in short: the first and the last where there are many."""
    if len(frames) > 2:
        return f"{frames[0]}..{frames[-1]}"
    return ",".join(map(str, frames))
