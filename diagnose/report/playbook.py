"""The result of `clients show`: one entry of the playbook, as part of `diagnose.clients/1` and as text."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

from diagnose.clients.measured import rows_of
from diagnose.judge.bench import MEASURES
from diagnose.report.bench import INKS, WORDS
from diagnose.report.clients import head
from diagnose.report.document import json_document
from diagnose.report.layout import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from diagnose.clients import Client
    from diagnose.clients.config_file import ConfigFile
    from diagnose.clients.entry import Behaviour, Statement, View
    from diagnose.clients.measured import Row
    from diagnose.evidence.redact import Redactor

#: What the documentation says of, and the measurement that stands beside it.
_BESIDE = {"list_changed": "declared", "nextCursor": "pages", "2026-07-28": "era"}
#: Columns of the name of a measurement: the longest, and a gap.
_NAME = max(map(len, MEASURES)) + 2


def entry_json(entry: Client, redactor: Redactor) -> str:
    """Return the whole entry, each statement with its source and confidence."""
    document = {
        "id": entry.id,
        "name": entry.name,
        "wireNames": list(entry.wire_names),
        "hosted": entry.hosted,
        "transports": list(entry.transports),
        "listChanged": _record(entry.list_changed),
        "cursors": _record(entry.cursors),
        "modern": _record(entry.modern),
        "refresh": [_record(each) for each in entry.refresh],
        "verify": [_record(each) for each in entry.verify],
        "limits": {
            "tools": entry.limits.tools,
            "description": entry.limits.description,
            "statement": _record(entry.limits.statement) if entry.limits.statement else None,
        },
        "names": {"pattern": entry.naming.pattern, "limit": entry.naming.limit, "twins": entry.naming.twins},
        "views": [_record(each) for each in entry.views],
        "files": [
            {"paths": dict(each.paths), "scope": each.scope, "keys": ".".join(each.keys), "documented": each.official}
            for each in entry.configuration
        ],
        "notes": [_record(each) for each in entry.notes],
        "reports": list(entry.reports),
        "measured": [_measured(each) for each in rows_of(entry.id)],
    }
    return json_document({**head(), "client": document}, redactor)


def entry_text(entry: Client, *, width: int, colour: bool = False) -> str:
    """Return what to do first, then what to look at afterwards, then what is known of the client."""
    page = Page(width=width, colour=colour)
    rows = rows_of(entry.id)
    kept = "; the vendor keeps its list" if entry.hosted else ""
    lines = page.wrap(f"{entry.name} ({entry.id}), over {', '.join(entry.transports)}{kept}")
    lines += _numbered(page, "To refresh", entry.refresh)
    lines += _numbered(page, "To see that it helped", entry.verify)
    lines += ["", page.ink("What is known", "strong")]
    for label, behaviour in (
        ("list_changed", entry.list_changed),
        ("nextCursor", entry.cursors),
        ("2026-07-28", entry.modern),
    ):
        lines += _behaviour(page, label, behaviour)
        lines += _beside(page, _BESIDE[label], rows)
    lines += _fact(page, "names", _names(entry))
    if entry.limits.statement is not None:
        lines += _fact(page, "limits", _sourced(entry.limits.statement))
    for each in entry.notes:
        lines += _fact(page, "note", _sourced(each))
    lines += _measured_lines(page, rows)
    lines += _view_lines(page, entry.views)
    lines += _file_lines(page, entry.configuration)
    if entry.reports:
        lines += ["", page.ink("Public reports", "strong"), *page.wrap(", ".join(entry.reports), first="  ")]
    return "\n".join(lines)


def _record(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _measured(row: Row) -> dict[str, Any]:
    results = [{"question": _question(each.name), **_record(each)} for each in row.results]
    return {"version": row.version, "date": row.date, "setup": row.setup, "how": row.how, "results": results}


def _question(name: str) -> str:
    return MEASURES[name].question


def _numbered(page: Page, title: str, steps: Sequence[Statement]) -> Iterator[str]:
    yield ""
    yield page.ink(title, "strong")
    for number, step in enumerate(steps, start=1):
        doubt = "" if step.confidence == "high" else f" [{step.confidence} confidence]"
        yield from page.wrap(f"{step.text}{doubt}", first=f"  {number}. ", rest="     ")


def _behaviour(page: Page, label: str, behaviour: Behaviour) -> Iterator[str]:
    since = f" since {behaviour.since}" if behaviour.since else ""
    text = f"{behaviour.answer}{since}: {behaviour.text} ({behaviour.confidence}; {behaviour.source})"
    yield from _fact(page, label, text)


def _fact(page: Page, label: str, text: str) -> Iterator[str]:
    yield from page.wrap(text, first=f"  {label:<13} ", rest=" " * 16)


def _names(entry: Client) -> str:
    limit = f", at most {entry.naming.limit} characters" if entry.naming.limit else ""
    return f"{entry.naming.pattern}{limit}"


def _sourced(said: Statement) -> str:
    return f"{said.text} ({said.confidence}; {said.source})"


def _file_lines(page: Page, files: Sequence[ConfigFile]) -> Iterator[str]:
    if files:
        yield from ["", page.ink("Configuration files, in the order in which they count", "strong")]
    for file in files:
        yield from _fact(page, file.scope, _paths(file.paths))


def _paths(paths: dict[Any, str]) -> str:
    by_path: dict[str, list[str]] = {}
    for system, path in paths.items():
        by_path.setdefault(path, []).append(system)
    if len(by_path) == 1:
        return next(iter(by_path))
    return "; ".join(f"{', '.join(systems)}: {path}" for path, systems in by_path.items())


def _beside(page: Page, name: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield what was measured of what a statement says; in which way, only where another way does otherwise."""
    seen = [(row, found) for row in rows if (found := row.result(name)) is not None]
    told: set[str] = set()
    for row, found in seen:
        ways = {(each.answer, each.says) for other, each in seen if other.version == row.version}
        how = f" {row.how}" if row.how and len(ways) > 1 else ""
        text = f"measured {row.version}{how}: {WORDS[found.answer]}, {found.says}"
        if text not in told:
            told.add(text)
            yield from _fact(page, "", text)


def _measured_lines(page: Page, rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        how = f", {row.how}" if row.how else ""
        yield ""
        yield from map(_strong(page), page.wrap(f"Measured {row.version} on {row.date}{how}"))
        for each in row.results:
            word, name = f"  {WORDS[each.answer]:<11}", f"{each.name:<{_NAME}}"
            first, *rest = page.wrap(each.says, first=word + name)
            yield page.ink(word, INKS[each.answer]) + first[len(word) :]
            yield from rest


def _strong(page: Page) -> Callable[[str], str]:
    return partial(page.ink, ink="strong")


def _view_lines(page: Page, views: Sequence[View]) -> Iterator[str]:
    yield from ["", page.ink("Where to look", "strong")]
    if not views:
        yield "  No public view is known."
    for view in views:
        whose = {"new": "a new session", "running": "the running session", "either": "either session"}[view.session]
        yield from page.wrap(f"{view.what}: {view.shows} ({view.kind}, of {whose})", first="  ", rest="    ")
