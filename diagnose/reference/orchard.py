"""The tools of the reference server: a small orchard, made up, in the form that a Meridian gives its definitions.

They hold what a careless hop would lose: fields that no specification knows, a float without a fraction, text outside
ASCII, an output schema, annotations on both sides of their defaults.
"""

from __future__ import annotations

import copy
from typing import Any

from diagnose.reference.contract import ToolDict

PICK_APPLES: ToolDict = {
    "name": "pick_apples",
    "description": "Pick apples from the trees of one row \u2192 basket.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "row": {"type": "integer", "minimum": 1, "description": "The row of trees."},
            "count": {"type": "integer", "minimum": 1, "maximum": 500, "default": 12},
            "variety": {"type": "string", "enum": ["boskoop", "cox", "reinette"]},
        },
        "required": ["row"],
        "additionalProperties": False,
    },
    "title": "Pick apples",
    "annotations": {"title": "Pick apples", "readOnlyHint": False, "destructiveHint": False, "idempotentHint": False},
    "category": "harvest",
}

PRUNE_TREE: ToolDict = {
    "name": "prune_tree",
    "description": "Cut the branches of one tree back. What is cut does not grow on again this year.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "tree": {"type": "string", "minLength": 1},
            "timeout": {"type": "number", "exclusiveMinimum": 0, "default": 600.0},
        },
        "required": ["tree"],
    },
    "title": "Prune a tree",
    "annotations": {"title": "Prune a tree", "readOnlyHint": False, "destructiveHint": True},
    "category": "care",
}

RIPEN: ToolDict = {
    "name": "ripen",
    "description": "Tell how ripe a variety is, from green to ready.",
    "inputSchema": {
        "type": "object",
        "properties": {"variety": {"type": "string", "enum": ["boskoop", "cox", "reinette"]}},
        "required": ["variety"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"variety": {"type": "string"}, "ripeness": {"type": "number", "minimum": 0, "maximum": 1}},
        "required": ["variety", "ripeness"],
    },
    "title": "Ripeness",
    "annotations": {"title": "Ripeness", "readOnlyHint": True, "openWorldHint": False, "idempotentHint": True},
    "category": "care",
}

PRESS_CIDER: ToolDict = {
    "name": "press_cider",
    "description": "Press a basket of apples into cider.",
    "inputSchema": {
        "type": "object",
        "properties": {"litres": {"type": "number", "exclusiveMinimum": 0}},
        "required": ["litres"],
    },
    "title": "Press cider",
    "annotations": {"title": "Press cider", "readOnlyHint": False, "destructiveHint": True},
    "category": "harvest",
}
"""The tool that comes later: what the demonstration adds, and what the moving surfaces of the faults add."""

INSTRUCTIONS = "Ask how ripe the apples are before you pick them."


def orchard() -> list[ToolDict]:
    """Return the three tools that the server starts with, as copies that the caller owns."""
    return copy.deepcopy([PICK_APPLES, PRUNE_TREE, RIPEN])


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call: words, and for `ripen` the structured answer that its output schema promises.

    No tool does anything; whatever arguments come, the answer is harmless and the same.
    """
    if name != RIPEN["name"]:
        return {"content": [{"type": "text", "text": f"The orchard has heard: {name}."}]}
    answer = {"variety": str(arguments.get("variety", "cox")), "ripeness": 0.5}
    return {
        "content": [{"type": "text", "text": f"{answer['variety']}: half ripe"}],
        "structuredContent": answer,
    }
