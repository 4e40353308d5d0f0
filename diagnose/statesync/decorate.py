"""What a policy does to what a server sends: the directive in a definition, the tag in a result. And read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnose.statesync.directive import write_directive
from diagnose.statesync.engine import Resolution
from diagnose.statesync.tag import Invalidation, format_invalidation, parse_invalidation


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedTag:
    """A tag in a result, and the index of the content item that it is. The right one is 0."""

    index: int
    invalidation: Invalidation


def decorated_tool(tool: Mapping[str, Any], resolution: Resolution | None) -> Mapping[str, Any]:
    """Return a definition with its directive; the very same object where there is none to add."""
    if resolution is None or resolution.cache_control is None:
        return tool
    description = tool.get("description")
    text = description if isinstance(description, str) else None
    return {**tool, "description": write_directive(text, resolution.cache_control)}


def decorated_result(result: Mapping[str, Any], cause: str, resolution: Resolution | None) -> Mapping[str, Any]:
    """Return a result with its invalidation in front, all else as it was; the very same object where there is none.

    ``cause`` is the canonical name of the tool that was called. A failed call has no invalidation, nor has a result that
    is not the last (MCP 2026-07-28, basic/index: a `resultType` other than `complete`).
    """
    content = result.get("content", [])
    ended = result.get("resultType", "complete") == "complete" and not result.get("isError")
    if resolution is None or not resolution.invalidates or not ended or not isinstance(content, list):
        return result
    tag = {"type": "text", "text": format_invalidation(cause, resolution.invalidates)}
    return {**result, "content": [tag, *content]}


def tags_in(result: Mapping[str, Any]) -> tuple[PlacedTag, ...]:
    """Return the tags of a result, leniently read. A text that only quotes a tag is none: it must be the whole item."""
    content = result.get("content")
    items = enumerate(content if isinstance(content, list) else ())
    read = ((index, _text(item)) for index, item in items)
    parsed = ((index, parse_invalidation(text, lenient=True)) for index, text in read)
    return tuple(PlacedTag(index=index, invalidation=found) for index, found in parsed if found)


def _text(item: Any) -> str:
    text = item.get("text") if isinstance(item, dict) and item.get("type") == "text" else None
    return text if isinstance(text, str) else ""
