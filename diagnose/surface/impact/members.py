"""Which schemas apply to one property or one item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.surface.impact.part import Part, Parts, expand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.surface.impact.document import Node
    from diagnose.surface.impact.shape import Shape


def member(shape: Shape, name: str) -> Parts:
    """Return what applies to the property ``name``, patterns left aside."""
    return expand(node for part in shape.parts for node in _member(part, name))


def others(shape: Shape) -> Parts:
    """Return what applies to properties that nobody named, patterns left aside."""
    return expand(node for part in shape.parts for node in _others(part))


def patterns(shape: Shape) -> dict[str, Parts]:
    """Return what applies to properties by pattern."""
    found: dict[str, list[Node]] = {}
    for part in shape.parts:
        for text in part.words.get("patternProperties", ()):
            found.setdefault(text, []).append(part.child("patternProperties", text))
    return {text: expand(nodes) for text, nodes in found.items()}


def prefix(shape: Shape) -> int:
    """Return how many items have a schema of their own."""
    return max((len(items) for items in shape.all("prefixItems")), default=0)


def item(shape: Shape, index: int) -> Parts:
    """Return what applies to the item at ``index``; any index from `prefix` on stands for the rest."""
    nodes = []
    for part in shape.parts:
        if index < len(part.words.get("prefixItems", ())):
            nodes.append(part.child("prefixItems", index))
        elif "items" in part.words:
            nodes.append(part.child("items"))
    return expand(nodes)


def _member(part: Part, name: str) -> Iterator[Node]:
    if name in part.words.get("properties", ()):
        yield part.child("properties", name)
    elif "additionalProperties" in part.words and "patternProperties" not in part.words:
        yield part.child("additionalProperties")
    if part.sealed is not None and name not in part.sealed:
        yield part.child("unevaluatedProperties")


def _others(part: Part) -> Iterator[Node]:
    if "additionalProperties" in part.words:
        yield part.child("additionalProperties")
    if part.sealed is not None:
        yield part.child("unevaluatedProperties")
