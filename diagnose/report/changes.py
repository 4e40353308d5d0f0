"""Changes of a surface, for JSON and for people: the worst first, each with its place and both values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import display_width, harmless, shorten
from diagnose.surface import ABSENT, IMPACTS, Change, Detail, Impact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from diagnose.evidence.redact import Redactor
    from diagnose.report.layout import Ink

#: Details that a text shows of one change; the JSON has all of them.
SHOWN_DETAILS = 20

#: Characters that two long texts keep before the first one in which they differ.
_CONTEXT = 16

#: What stands before a change of each kind.
SIGNS = {"added": "+", "removed": "-", "changed": "~", "renamed": ">"}
_INKS: dict[Impact, Ink] = {
    "breaking": "bad",
    "unclear": "unsure",
    "behaviour": "doubt",
    "routing": "doubt",
    "compatible": "good",
    "cosmetic": "faint",
}


def change_document(change: Change, redactor: Redactor) -> dict[str, Any]:
    """Return a change as it stands in JSON documents; a value that is missing on one side has no key."""
    return {
        "tool": change.tool,
        "was": change.was,
        "kind": change.kind,
        "confidence": change.confidence,
        "impact": change.impact,
        "details": [_detail_document(detail, redactor) for detail in change.details],
    }


def summary(changes: Sequence[Change]) -> str:
    """Return in words how many tools are what: `1 tool removed, 2 changed, instructions changed`."""
    parts: list[str] = []
    for kind in ("removed", "renamed", "changed", "added"):
        count = sum(change.kind == kind and change.tool is not None for change in changes)
        if count:
            noun = "" if parts else " tool" if count == 1 else " tools"
            parts.append(f"{count}{noun} {kind}")
    parts += [f"{_beside(change)} changed" for change in changes if change.tool is None]
    return ", ".join(parts)


def change_lines(changes: Sequence[Change], redactor: Redactor, *, width: int, colour: bool = False) -> Iterator[str]:
    """Yield the lines of a text: a line a change, worst impact first, and below it what differs inside."""
    from diagnose.report.layout import Page

    page = Page(width=width, colour=colour)
    for change in sorted(changes, key=lambda change: IMPACTS.index(change.impact)):
        name = _beside(change) if change.tool is None else _plain(change.tool, redactor)
        kind = change.kind if change.was is None else f"renamed from {_plain(change.was, redactor)}"
        doubt = ", possibly" if change.confidence == "possible" else ""
        impact = page.ink(f"{change.impact:<10}", _INKS[change.impact])
        yield f"{impact} {SIGNS[change.kind]} {_beside_its_name(name, f'  {kind}{doubt}', width - 13)}"
        worst_first = sorted(change.details, key=lambda detail: IMPACTS.index(detail.impact))
        for detail in worst_first[:SHOWN_DETAILS]:
            yield from _detail_lines(detail, redactor, width)
        if len(change.details) > SHOWN_DETAILS:
            yield f"    … and {len(change.details) - SHOWN_DETAILS} more; --format json has them all"


def _detail_document(detail: Detail, redactor: Redactor) -> dict[str, Any]:
    was, now = detail_values(detail, redactor)
    document: dict[str, Any] = {"path": detail.path}
    if was is not ABSENT:
        document["from"] = was
    if now is not ABSENT:
        document["to"] = now
    return {**document, "impact": detail.impact}


def _detail_lines(detail: Detail, redactor: Redactor, width: int) -> Iterator[str]:
    path = shorten(_plain(detail.path, redactor), width - len(detail.impact) - 6)
    yield f"    {path}  {detail.impact}"
    for sign, side in zip("-+", sides(detail, redactor, harmless, width - 8), strict=True):
        if side is not None:
            yield f"      {sign} {side}"


def _beside_its_name(name: str, what: str, width: int) -> str:
    """Return a name and what became of it; where there is little room, the longer name is cut first."""
    room = max(width - display_width(what), width // 2)
    return shorten(shorten(name, room) + what, width)


def sides(detail: Detail, redactor: Redactor, safe: Callable[[str], str], width: int) -> tuple[str | None, str | None]:
    """Return both values as harmless texts, cut so that what they differ in is seen; None for one that is not there."""
    was, now = detail_values(detail, redactor)
    before, after = ("" if value is ABSENT else safe(json.dumps(value, ensure_ascii=False)) for value in (was, now))
    before, after = _apart(before, after, width)
    return None if was is ABSENT else before, None if now is ABSENT else after


def detail_values(detail: Detail, redactor: Redactor) -> tuple[Any, Any]:
    """Return both values without credentials, also those that only the names above them give away."""
    names = [name.replace("~1", "/").replace("~0", "~") for name in detail.path.split("/")[1:]]
    return _redacted(detail.was, names, redactor), _redacted(detail.now, names, redactor)


def _redacted(value: Any, names: Sequence[str], redactor: Redactor) -> Any:
    if value is ABSENT:
        return ABSENT
    for name in reversed(names):
        value = {name: value}
    value = redactor.value(value)
    for _ in names:
        if not isinstance(value, dict):
            break  # one of the names hides all that is below it
        (value,) = value.values()
    return value


def _apart(was: str, now: str, width: int) -> tuple[str, str]:
    """Return two texts cut to the width so that what they differ in is seen: a long common beginning goes."""
    if max(len(was), len(now)) > width:
        same = next((place for place, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), 0)
        if same > width // 2:
            start = same - _CONTEXT
            was, now = f"…{was[start:]}", f"…{now[start:]}"
    return shorten(was, width), shorten(now, width)


def _beside(change: Change) -> str:
    """Return what a change is of that is of no tool: the server's instructions or a capability."""
    path = change.details[0].path if change.details else ""
    return "instructions" if path == "/instructions" else path.lstrip("/").replace("/", ".") or "the server"


def _plain(text: str, redactor: Redactor) -> str:
    return harmless(redactor.text(text))
