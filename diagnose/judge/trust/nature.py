"""Whether a call reads or changes state: by annotation, by policy, else by the words of its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from diagnose.statesync import Resolution

Nature: TypeAlias = Literal["read", "mutation", "unknown"]

_READING = frozenset(
    [
        "get",
        "list",
        "read",
        "find",
        "search",
        "show",
        "describe",
        "fetch",
        "count",
        "query",
        "view",
        "lookup",
        "status",
        "info",
        "levels",
        "stats",
        "summary",
    ]
)
_CHANGING = frozenset(
    [
        "add",
        "adjust",
        "apply",
        "approve",
        "archive",
        "book",
        "cancel",
        "change",
        "clear",
        "close",
        "commit",
        "create",
        "delete",
        "deploy",
        "disable",
        "drop",
        "edit",
        "enable",
        "execute",
        "import",
        "insert",
        "merge",
        "modify",
        "move",
        "open",
        "patch",
        "pay",
        "post",
        "publish",
        "put",
        "refund",
        "relabel",
        "remove",
        "rename",
        "replace",
        "reserve",
        "reset",
        "restart",
        "restore",
        "revoke",
        "run",
        "save",
        "send",
        "set",
        "start",
        "stop",
        "submit",
        "transfer",
        "update",
        "upload",
        "upsert",
        "void",
        "write",
    ]
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
#: How a grouped tool says which argument chooses among its actions.
_CHOOSER = re.compile(r"via the `([A-Za-z0-9_]+)` parameter")


def by_words(name: str) -> Nature:
    """Guess from a name such as `billing.get_invoice`; a word that changes anything outweighs one that reads."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if any(word in _CHANGING for word in words):
        return "mutation"
    return "read" if any(word in _READING for word in words) else "unknown"


def annotated(tool: Mapping[str, Any] | None) -> Nature:
    """Return what the annotations of a tool say outright (MCP, ToolAnnotations); a default of theirs says nothing."""
    notes = tool.get("annotations") if tool is not None else None
    if not isinstance(notes, Mapping):
        return "unknown"
    if notes.get("readOnlyHint") is True:
        return "read"
    if notes.get("readOnlyHint") is False or notes.get("destructiveHint") is True:
        return "mutation"
    return "unknown"


def chooser(tool: Mapping[str, Any] | None) -> tuple[str, tuple[str, ...]]:
    """Return the argument that chooses the action of a grouped tool, and all actions; none for any other tool."""
    description = str(tool.get("description", "")) if tool is not None else ""
    said = _CHOOSER.search(description)
    name = said[1] if said else "action"
    schema = tool.get("inputSchema") if tool is not None else None
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    described = properties.get(name) if isinstance(properties, Mapping) else None
    values = described.get("enum") if isinstance(described, Mapping) else None
    actions = tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
    return name, actions


def action_nature(tool: Mapping[str, Any] | None, action: str) -> Nature:
    """Return what one action of a grouped tool does: as its line in the description marks it, else by its words."""
    line = _line_of(tool, action)
    if "[DESTRUCTIVE]" in line:
        return "mutation"
    if "[READ-ONLY]" in line:
        return "read"
    return by_words(action)


def described(tool: Mapping[str, Any] | None, action: str | None) -> Nature:
    """Guess from the first word of a description, such as `Reads one invoice`: no more than a guess."""
    text = str(tool.get("description", "")) if tool is not None else ""
    if action is not None:
        text = _line_of(tool, action).partition(":")[2]
    first = next(iter(_WORDS.findall(text[:200])), "").lower()
    forms = {first, first.removesuffix("s"), first.removesuffix("es")}
    if forms & _CHANGING:
        return "mutation"
    return "read" if forms & _READING else "unknown"


def _line_of(tool: Mapping[str, Any] | None, action: str) -> str:
    description = str(tool.get("description", "")) if tool is not None else ""
    return next((line for line in description.splitlines() if line.lstrip("- ").startswith(f"'{action}'")), "")


def declared(resolution: Resolution | None) -> Nature:
    """Return what a policy makes of a tool: who invalidates, changes state; whose answer has a directive, reads."""
    if resolution is None or resolution.position is None:
        return "unknown"
    if resolution.invalidates:
        return "mutation"
    return "read" if resolution.cache_control is not None else "unknown"


def first_known(natures: Sequence[Nature]) -> Nature:
    """Return the first that says something."""
    return next((nature for nature in natures if nature != "unknown"), "unknown")
