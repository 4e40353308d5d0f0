"""What the reference server has beside its tools: prompts, resources and a template, made up and never changing."""

from __future__ import annotations

from typing import Any

PROMPTS: list[dict[str, Any]] = [
    {
        "name": "plan_harvest",
        "title": "Plan the harvest",
        "description": "Plan which rows to pick first.",
        "arguments": [{"name": "variety", "description": "The variety to plan for.", "required": True}],
    }
]

RESOURCES: list[dict[str, Any]] = [
    {
        "name": "rows",
        "title": "The rows",
        "uri": "orchard://rows",
        "description": "How many trees each row has.",
        "mimeType": "text/plain",
    }
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "name": "row",
        "title": "One row",
        "uriTemplate": "orchard://rows/{row}",
        "description": "How many trees one row has.",
        "mimeType": "text/plain",
    }
]

TREES = {"1": 12, "2": 9, "3": 14}


def prompt(name: str, arguments: dict[str, str]) -> dict[str, Any] | None:
    """Return what a prompt says; None where there is no such prompt."""
    if name != PROMPTS[0]["name"]:
        return None
    text = f"Which rows of {arguments.get('variety', 'apples')} should be picked first?"
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def resource(uri: str) -> dict[str, Any] | None:
    """Return what stands at a URI; None where nothing does."""
    whole: str = RESOURCES[0]["uri"]
    row = uri.removeprefix(f"{whole}/")
    if uri == whole:
        text = "\n".join(f"row {number}: {trees} trees" for number, trees in TREES.items())
    elif row in TREES:
        text = f"row {row}: {TREES[row]} trees"
    else:
        return None
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}
