"""Changes between two surfaces as lines: what happened to each tool, and each value that differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from diagnose.evidence.harmless import shorten
from diagnose.report.layout import Page
from diagnose.surface import ABSENT, IMPACTS, Change, Detail

Safe = Callable[[str], str]

SIGNS = {"added": "+", "removed": "-", "changed": "~", "renamed": ">"}
#: How much of a long difference is shown; the JSON form has all of it.
MAX_CHANGES = 25
MAX_DETAILS = 8


def change_lines(changes: Sequence[Change], page: Page, safe: Safe, *, indent: str = "  ") -> Iterator[str]:
    """Yield the changes, the worst impact first; `safe` redacts a text and makes it harmless."""
    ordered = sorted(changes, key=lambda change: IMPACTS.index(change.impact))
    for change in ordered[:MAX_CHANGES]:
        yield from page.wrap(_headline(change, safe), first=indent, rest=indent + "    ")
        for detail in change.details[:MAX_DETAILS]:
            yield from page.wrap(_detail(detail, page, safe), first=indent + "    ", rest=indent + "      ")
        if len(change.details) > MAX_DETAILS:
            yield f"{indent}    and {len(change.details) - MAX_DETAILS} more values"
    if len(ordered) > MAX_CHANGES:
        yield f"{indent}and {len(ordered) - MAX_CHANGES} more changes (--format json has them all)"


def _headline(change: Change, safe: Safe) -> str:
    sign = SIGNS[change.kind]
    name = "the server itself" if change.tool is None else safe(change.tool)
    if change.was is not None:
        likely = " (likely)" if change.confidence == "possible" else ""
        return f"{sign} {safe(change.was)} is now {name}{likely}: {change.impact}"
    return f"{sign} {name} {change.kind}: {change.impact}"


def _detail(detail: Detail, page: Page, safe: Safe) -> str:
    room = max(page.width // 3, 16)
    was, now = (shorten(safe(value_text(value)), room) for value in (detail.was, detail.now))
    path = safe(detail.path) or "/"
    if detail.was is ABSENT:
        said = f"now {now}"
    elif detail.now is ABSENT:
        said = f"was {was}, gone"
    else:
        said = f"{was} -> {now}"
    return f"{path} {said} ({detail.impact})"


def value_text(value: Any) -> str:
    """Return a value as compact JSON, which need not be valid where a server sent what is none."""
    return "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False, default=str, separators=(", ", ": "))
