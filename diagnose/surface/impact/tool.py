"""The impact of everything that may differ between two definitions of one tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.surface.change import IMPACTS
from diagnose.surface.impact.judgement import Judgement, escape
from diagnose.surface.impact.schema import input_judgements, output_judgements
from diagnose.surface.impact.values import same, too_deep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from diagnose.surface.change import Impact

#: ToolAnnotations of MCP 2025-03-26 and later: what a hint means when it is not there.
HINT_DEFAULTS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
#: These two say something only of a tool that is not read-only (same place).
_WRITING_HINTS = ("destructiveHint", "idempotentHint")

#: ToolExecution of MCP 2025-11-25: the ways in which a tool may be called under each value; absent is "forbidden".
_TASK_CALLS = {
    "forbidden": frozenset({"plain"}),
    "optional": frozenset({"plain", "task"}),
    "required": frozenset({"task"}),
}

_WORDS = ("title", "description")
_TOO_DEEP = (Judgement(pointer="", impact="unclear", why="nested too deeply to decide"),)


def classify(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Judgement, ...]:
    """Judge every difference of two definitions of one tool, for a caller who still holds the old one.

    Inputs are contravariant: whatever the old input schema allows must still be accepted. Outputs are covariant:
    whatever the new output schema allows must keep the promises of the old. Equal definitions have no judgements.
    Never raises on JSON of any shape; what is too deep or too large to decide is `unclear`.
    """
    was, now = _read(old), _read(new)
    if too_deep(was) or too_deep(now):
        return _TOO_DEEP
    try:
        return _judge(was, now)
    except RecursionError:  # Our own depth is bounded; that of the caller's stack is not.
        return _TOO_DEEP


def _judge(was: dict[str, Any], now: dict[str, Any]) -> tuple[Judgement, ...]:
    """Judge field by field; of several judgements of one place the worst stands."""
    found: dict[str, Judgement] = {}
    for field in sorted(was.keys() | now.keys()):
        if (field in was) != (field in now) or not same(was[field], now[field]):
            for one in _field(field, was, now):
                known = found.get(one.pointer, one)
                found[one.pointer] = min(known, one, key=lambda judgement: IMPACTS.index(judgement.impact))
    return tuple(found.values())


def _read(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Read ``input_schema``, the spelling of some manifests, as ``inputSchema``."""
    fields = dict(definition)
    if "inputSchema" not in fields and "input_schema" in fields:
        fields["inputSchema"] = fields.pop("input_schema")
    return fields


def _field(field: str, was: dict[str, Any], now: dict[str, Any]) -> Iterator[Judgement]:
    pointer = "/" + escape(field)
    old, new = was.get(field), now.get(field)
    if field == "inputSchema":
        yield from input_judgements(old, new, pointer)
    elif field == "outputSchema":
        yield from output_judgements(old, new, pointer)
    elif field == "annotations":
        yield from _annotations(old, new, pointer)
    elif field == "execution":
        yield from _execution(old, new, pointer)
    elif field == "name":
        yield Judgement(pointer=pointer, impact="breaking", why="the tool answers to another name")
    elif field in _WORDS:
        impact: Impact = "routing" if (old or new) else "cosmetic"
        yield Judgement(pointer=pointer, impact=impact, why="words that a model chooses by")
    else:
        yield Judgement(pointer=pointer, impact="cosmetic", why="not read by callers or models")


def _annotations(old: Any, new: Any, pointer: str) -> Iterator[Judgement]:
    if not isinstance(old, dict | None) or not isinstance(new, dict | None):
        yield Judgement(pointer=pointer, impact="behaviour", why="annotations are no longer, or were no object")
        return
    was, now = old or {}, new or {}
    if not was and not now:
        yield Judgement(pointer=pointer, impact="cosmetic", why="no annotations either way")
    for key in sorted(was.keys() | now.keys()):
        if (key in was) != (key in now) or not same(was[key], now[key]):
            yield _annotation(key, was, now, f"{pointer}/{escape(key)}")


def _annotation(key: str, was: dict[str, Any], now: dict[str, Any], pointer: str) -> Judgement:
    if key == "title":
        return Judgement(pointer=pointer, impact="routing", why="a title that a model or person reads")
    if key not in HINT_DEFAULTS:
        return Judgement(pointer=pointer, impact="behaviour", why="an annotation that clients may act on")
    if same(_hint(key, was), _hint(key, now)):
        return Judgement(pointer=pointer, impact="cosmetic", why="the hint means the same")
    if key in _WRITING_HINTS and _hint("readOnlyHint", was) is _hint("readOnlyHint", now) is True:
        return Judgement(pointer=pointer, impact="cosmetic", why="the hint has no meaning for a read-only tool")
    return Judgement(pointer=pointer, impact="behaviour", why="the tool describes its effects differently")


def _hint(key: str, annotations: dict[str, Any]) -> Any:
    value = annotations.get(key)
    return HINT_DEFAULTS[key] if value is None else value


def _execution(old: Any, new: Any, pointer: str) -> Iterator[Judgement]:
    was = old if isinstance(old, dict) else {}
    now = new if isinstance(new, dict) else {}
    if was == now:
        yield Judgement(pointer=pointer, impact="cosmetic", why="no execution settings either way")
    for key in sorted(was.keys() | now.keys()):
        if (key in was) == (key in now) and same(was[key], now[key]):
            continue
        place = f"{pointer}/{escape(key)}"
        if key == "taskSupport":
            yield _task_support(was.get(key), now.get(key), place)
        else:
            yield Judgement(pointer=place, impact="behaviour", why="calls are carried out differently")


def _task_support(old: Any, new: Any, pointer: str) -> Judgement:
    was = _TASK_CALLS.get(old or "forbidden") if isinstance(old, str | None) else None
    now = _TASK_CALLS.get(new or "forbidden") if isinstance(new, str | None) else None
    if was is None or now is None:
        return Judgement(pointer=pointer, impact="unclear", why="an unknown kind of task support")
    if was == now:
        return Judgement(pointer=pointer, impact="cosmetic", why="tasks are supported as before")
    if was <= now:
        return Judgement(pointer=pointer, impact="compatible", why="one more way to call the tool")
    return Judgement(pointer=pointer, impact="breaking", why="a way to call the tool is refused")
