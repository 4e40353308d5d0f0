"""A stop of a guided tour as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from diagnose.evidence.harmless import harmless
from diagnose.evidence.redact import Redactor
from diagnose.report.layout import Page
from diagnose.report.text import STATES, diagnosis_text
from diagnose.report.trust import entry_lines

if TYPE_CHECKING:
    from diagnose.jobs.demo import Stop

INDENT = "    "


def stop_text(stop: Stop, number: int, redactor: Redactor, *, width: int = 80, colour: bool = False) -> str:
    """Return one stop: its title and words, the command, and the answer or, where it belongs here, the whole report."""
    page = Page(width=width, colour=colour)
    return "\n".join(_lines(stop, number, redactor, page)) + "\n"


def _lines(stop: Stop, number: int, redactor: Redactor, page: Page) -> Iterator[str]:
    yield page.ink(f"{number}. {stop.title}", "strong")
    yield from page.wrap(harmless(redactor.text(stop.words)))
    if stop.command is not None:
        yield f"  $ {stop.command}"
    narrow = Page(width=page.width - len(INDENT), colour=page.colour)
    for entry in stop.trust:
        lines = entry_lines(entry, narrow, lambda text: harmless(redactor.text(text)))
        yield from (INDENT + line for line in lines)
    if stop.diagnosis is None:
        return
    if stop.in_full:
        report = diagnosis_text(stop.diagnosis, redactor, width=page.width - len(INDENT), colour=page.colour)
        yield from ((INDENT + line).rstrip() for line in report.splitlines())
        return
    word, ink = STATES[stop.diagnosis.verdict.state]
    summary = harmless(redactor.text(stop.diagnosis.verdict.summary))
    first, *rest = page.wrap(f"{word}: {summary}", first=INDENT)
    yield first.replace(word, page.ink(word, ink), 1)
    yield from rest
