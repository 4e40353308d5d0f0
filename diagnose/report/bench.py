"""The result of `clients bench`: the document `diagnose.bench/1`, and a row of answers as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless
from diagnose.jobs.benching.plays import PLAYS
from diagnose.judge.words import counted
from diagnose.report.document import json_document
from diagnose.report.layout import Page
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.bench import Bench
    from diagnose.jobs.benching.stage import Played
    from diagnose.judge.bench import Answer, Measurement
    from diagnose.report.layout import Ink

SCHEMA = "diagnose.bench/1"
INKS: dict[Answer, Ink] = {"yes": "good", "no": "bad", "not-shown": "faint"}
WORDS: dict[Answer, str] = {"yes": "yes", "no": "no", "not-shown": "not shown"}
#: Columns of the answer.
_WIDE = 9


def bench_json(bench: Bench, redactor: Redactor) -> str:
    """Return who was measured, every measurement, and every trial with what was played in it."""
    who = bench.client
    document = {
        "schema": SCHEMA,
        "tool": {"name": "diagnose", "version": __version__},
        "at": bench.at,
        "client": {"id": who.id, "name": who.name, "version": who.version, "runner": who.runner, "era": who.era},
        "measurements": [_measurement(each) for each in bench.measurements],
        "trials": [_trial(name, played) for name, played in bench.played],
        "recordings": bench.recordings,
        "exitCode": bench.exit_code,
    }
    return json_document(document, redactor)


def bench_text(bench: Bench, redactor: Redactor, *, width: int, colour: bool = False) -> str:
    """Return who was measured, then each question with its answer, what was seen, and the frames that show it."""
    page = Page(width=width, colour=colour)
    who = bench.client
    lines = page.wrap(_safe(f"{who.id or who.name or 'The client'} {who.version or 'of unknown version'}", redactor))
    told = "" if who.era == "default" else f", told to speak {who.era}"
    lines += page.wrap(f"{counted(len(bench.played), 'trial')}{told}, {bench.at}", first="")
    lines.append("")
    for each in bench.measurements:
        lines += _answer(page, each, redactor)
    if not bench.connected:
        lines += ["", *_why_not(page, bench, redactor)]
    if bench.recordings is not None:
        lines += ["", *page.wrap(_safe(f"Each trial's frames are in {bench.recordings}.", redactor))]
    else:
        lines += ["", *page.wrap("The frames are lines of each trial's recording, which --recordings FOLDER keeps.")]
    return "\n".join(lines)


def _answer(page: Page, each: Measurement, redactor: Redactor) -> Iterator[str]:
    word = WORDS[each.answer]
    first, *more = page.wrap(f"{each.question}", first=" " * (_WIDE + 2))
    yield page.ink(word.ljust(_WIDE), INKS[each.answer]) + first[_WIDE:]
    yield from more
    frames = f" ({', '.join(each.evidence)})" if each.evidence else ""
    yield from page.wrap(_safe(f"{each.says}{frames}", redactor), first=" " * (_WIDE + 4))


def _why_not(page: Page, bench: Bench, redactor: Redactor) -> list[str]:
    said = next((played.last_words for _, played in bench.played if played.last_words), "")
    words = f" It said: {said}" if said else ""
    return page.wrap(_safe(f"It never reached the server.{words}", redactor))


def _safe(text: str, redactor: Redactor) -> str:
    return harmless(redactor.text(text))


def _measurement(each: Measurement) -> dict[str, Any]:
    return {
        "name": each.name,
        "question": each.question,
        "answer": each.answer,
        "says": each.says,
        "evidence": list(each.evidence),
    }


def _trial(name: str, played: Played) -> dict[str, Any]:
    return {
        "name": name,
        "does": PLAYS[name].does,
        "fault": PLAYS[name].options.fault,
        "seconds": round(played.seconds, 1),
        "frames": len(played.lines),
    }
