"""Synthetic tool lists for the benches: 10,000 definitions of about 1 kB each, shaped like those of real servers."""

from __future__ import annotations

import copy
from typing import Any

SIZE = 10_000


def ordinary(count: int = SIZE) -> list[dict[str, Any]]:
    """Return definitions as most servers write them; some hold fractions and text beyond ASCII."""
    return [_tool(index) for index in range(count)]


def worst(count: int = SIZE) -> list[dict[str, Any]]:
    """Return definitions that all hold a whole number that is a float, and an emoji in a key."""
    tools = ordinary(count)
    for index, tool in enumerate(tools):
        properties = tool["inputSchema"]["properties"]
        properties["timeout"]["default"] = 600.0 + index
        properties["🧭"] = {"type": "string", "description": "Where to →."}
    return tools


def hostile(count: int = SIZE) -> list[dict[str, Any]]:
    """Return the worst, with small fractions and keys that sort otherwise by UTF-16 unit in all of them."""
    tools = worst(count)
    for tool in tools:
        properties = tool["inputSchema"]["properties"]
        properties["step"]["default"] = 0.00001
        properties["\ue000"] = {"type": "string"}
    return tools


def with_changes(tools: list[dict[str, Any]], every: int = 100) -> list[dict[str, Any]]:
    """Return a copy where one tool in `every` has another description, schema or required list."""
    changed = copy.deepcopy(tools)
    for index in range(0, len(changed), every):
        tool = changed[index]
        kind = index // every % 3
        if kind == 0:
            tool["description"] += " Since today it does more."
        elif kind == 1:
            tool["inputSchema"]["properties"]["limit"]["maximum"] = 50
        else:
            tool["inputSchema"]["required"].append("limit")
    return changed


def _tool(index: int) -> dict[str, Any]:
    return {
        "name": f"tool_{index:05}",
        "title": f"Tool {index}",
        "description": f"Do the thing number {index}{'…' if index % 10 == 0 else '.'} Use it after listing. " * 3,
        "inputSchema": {
            "type": "object",
            "properties": {
                "project": {
                    "type": "string",
                    "title": "Project",
                    "description": f"Which project tool {index} looks at.",
                },
                "query": {"type": "string", "title": "Query", "minLength": 1, "description": "What to look for."},
                "since": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}], "default": None},
                "labels": {"type": "array", "items": {"type": "string"}, "maxItems": 20, "title": "Labels"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "title": "Limit"},
                "timeout": {"type": "number", "exclusiveMinimum": 0, "default": 0.5, "title": "Timeout"},
                "step": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None, "title": "Step"},
                "mode": {"type": "string", "enum": ["fast", "careful", "dry-run"], "default": "fast"},
            },
            "required": ["project", "query"],
            "additionalProperties": False,
        },
        "annotations": {"title": f"Tool {index}", "readOnlyHint": index % 2 == 0, "destructiveHint": False},
    }
