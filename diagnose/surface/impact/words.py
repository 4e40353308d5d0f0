"""What a schema says beside its assertions: words that a model reads, defaults, header names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.surface.impact.judgement import Judgement, escape
from diagnose.surface.impact.values import same, token
from diagnose.surface.impact.vocabulary import (
    ANNOTATIONS,
    ASSERTIONS,
    HEADER,
    ONE_SCHEMA,
    SCHEMA_LISTS,
    SCHEMA_MAPS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.surface.change import Impact
    from diagnose.surface.impact.document import Document, Node

_REASONS: dict[Impact, str] = {
    "routing": "words that a model reads",
    "behaviour": "what a server does with a value, or without one",
}
_LISTS = SCHEMA_LISTS | {"items"}
#: Two names of one place.
_DEFINITIONS = {"definitions": "$defs"}


def compare_words(old: Document, new: Document, *, headers: bool) -> Iterator[Judgement]:
    """Judge the annotations of all schemas that stand for each other in two documents.

    ``headers``: the schema is an input, in which `x-mcp-header` has a meaning.
    """
    seen: set[tuple[str, str]] = set()
    stack = [(old.node, new.node)]
    while stack:
        before, after = stack.pop()
        if (before.pointer, after.pointer) in seen:
            continue
        seen.add((before.pointer, after.pointer))
        befores, afters = _layers(before, after)
        yield from _annotations(befores, afters, headers=headers)
        stack.extend(_pairs(befores, afters))


def words(document: Document, impact: Impact) -> frozenset[tuple[str, str]]:
    """Return all annotations of one impact in a document, wherever they stand and however often."""
    found: set[tuple[str, str]] = set()
    kinds = [word for word, kind in ANNOTATIONS.items() if kind == impact]
    stack = [document.node]
    while stack:
        node = stack.pop()
        if isinstance(node.schema, dict):
            said = {word: node.schema[word] for word in kinds if word in node.schema}
            found.update((word, token(value)) for word, value in said.items() if not _silent(word, value))
            stack.extend(child for children in _children(node).values() for child in children.values())
    return frozenset(found)


def _layers(old: Node, new: Node) -> tuple[list[Node], list[Node]]:
    """Return both schemas with what they refer to, unless both refer to the same: that stands elsewhere."""
    one, other = _reference(old), _reference(new)
    if one == other:
        return [old], [new]
    return _follow(old), _follow(new)


def _reference(node: Node) -> Any:
    return node.schema.get("$ref") if isinstance(node.schema, dict) else None


def _follow(node: Node) -> list[Node]:
    layers, reference = [node], _reference(node)
    while isinstance(reference, str):
        target = node.document.resolve(reference)
        if target is None or any(target.pointer == layer.pointer for layer in layers):
            break
        layers.append(target)
        reference = _reference(target)
    return layers


def _annotations(old: list[Node], new: list[Node], *, headers: bool) -> Iterator[Judgement]:
    before, after = _effective(old), _effective(new)
    for word in sorted(before.keys() | after.keys()):
        one, other = before.get(word), after.get(word)
        if one and other and same(one[1], other[1]):
            continue
        place = (other or one or ("", None))[0]
        if word == HEADER and headers:
            yield _header(place, one and one[1], other and other[1])
        elif word in ANNOTATIONS and not all(said is None or _silent(word, said[1]) for said in (one, other)):
            impact = ANNOTATIONS[word]
            yield Judgement(pointer=place, impact=impact, why=_REASONS[impact])
        else:
            yield Judgement(pointer=place, impact="cosmetic", why="asserts nothing and is not read")


def _silent(word: str, value: Any) -> bool:
    """Say whether an annotation says no more than its absence: an empty text, a false flag, no examples."""
    return word != "default" and not value


def _effective(layers: list[Node]) -> dict[str, tuple[str, Any]]:
    """Return every keyword that asserts nothing, with its place; a nearer layer hides a farther one."""
    found: dict[str, tuple[str, Any]] = {}
    for node in layers:
        for word, value in node.schema.items() if isinstance(node.schema, dict) else ():
            if word not in ASSERTIONS and word not in SCHEMA_MAPS and word != "additionalItems":
                found.setdefault(word, (f"{node.pointer}/{escape(word)}", value))
    return found


def _header(place: str, old: Any, new: Any) -> Judgement:
    """Judge `x-mcp-header`: a server must refuse a call over HTTP whose value stands in the body and in no header.

    A header that nobody asks for any more is passed over (MCP 2026-07-28, Streamable HTTP, server behaviour for
    custom headers). Names of header fields do not depend on case.
    """
    if new is None:
        return Judgement(pointer=place, impact="compatible", why="a header that callers still send is passed over")
    if isinstance(old, str) and isinstance(new, str) and old.lower() == new.lower():
        return Judgement(pointer=place, impact="cosmetic", why="the same header")
    return Judgement(pointer=place, impact="breaking", why="calls over HTTP must now carry a header")


def _pairs(old: list[Node], new: list[Node]) -> Iterator[tuple[Node, Node]]:
    before, after = _below(old), _below(new)
    for word in sorted(before.keys() & after.keys()):
        if word in _LISTS and word != "prefixItems" and len(before[word]) + len(after[word]) > 1:
            yield from _branches(list(before[word].values()), list(after[word].values()))
        else:
            yield from ((node, after[word][key]) for key, node in before[word].items() if key in after[word])


def _branches(old: list[Node], new: list[Node]) -> Iterator[tuple[Node, Node]]:
    """Pair the branches by position, those that are on both sides, in whatever order, left out."""
    left = {token(node.schema): node for node in old}
    right = {token(node.schema): node for node in new}
    olds = [node for text, node in left.items() if text not in right]
    news = [node for text, node in right.items() if text not in left]
    yield from zip(olds, news, strict=False)


def _below(layers: list[Node]) -> dict[str, dict[str | int, Node]]:
    found: dict[str, dict[str | int, Node]] = {}
    for node in layers:
        for word, children in _children(node).items():
            found.setdefault(word, children)
    return found


def _children(node: Node) -> dict[str, dict[str | int, Node]]:
    """Return the schemas below one, by keyword and name or index."""
    found: dict[str, dict[str | int, Node]] = {}
    schema = node.schema if isinstance(node.schema, dict) else {}
    for word, value in schema.items():
        name: str = _DEFINITIONS.get(word) or word
        if word in SCHEMA_MAPS and isinstance(value, dict):
            found[name] = {key: node.child(word, key) for key, child in value.items() if isinstance(child, dict)}
        elif word in _LISTS and isinstance(value, list):
            found[name] = {
                index: node.child(word, index) for index, child in enumerate(value) if isinstance(child, dict)
            }
        elif word in ONE_SCHEMA and isinstance(value, dict):
            found[name] = {"": node.child(word)}
    return found
