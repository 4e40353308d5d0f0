"""What Codex makes of an input schema before it offers the tool to a model: measured on 0.171.0, keyword by keyword."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.surface.walk import MAX_DEPTH, deeper_than

_KEPT = ("description", "required", "minItems", "$ref", "encrypted")
_MAPS = ("properties", "$defs", "definitions")
_LISTS = ("anyOf", "oneOf", "allOf")
_DEFINITIONS = ("$defs", "definitions")
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
#: A schema without a type is of the first of these that it has a keyword of.
_SIGNS: tuple[tuple[str, frozenset[str]], ...] = (
    ("object", frozenset({"properties", "required", "additionalProperties"})),
    ("array", frozenset({"items", "prefixItems"})),
    ("string", frozenset({"enum", "const", "format"})),
    ("number", frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})),
)


def codex_schema(schema: Any) -> Any:
    """Return the schema as the model is offered it; None where this one is too deep to be rewritten."""
    if deeper_than(schema, MAX_DEPTH):
        return None
    root = _schema(schema if isinstance(schema, Mapping) else {}) or {"type": "object"}
    root.setdefault("properties", {})
    reached = _reached(root)
    for word in _DEFINITIONS:
        kept = {name: each for name, each in root.pop(word, {}).items() if (word, name) in reached}
        if kept:
            root[word] = kept
    return root


def _schema(schema: Any) -> dict[str, Any]:
    if isinstance(schema, bool):
        return {"type": "string"}
    if not isinstance(schema, Mapping):
        return {}
    made = {word: schema[word] for word in _KEPT if word in schema}
    for word in _MAPS:
        if isinstance(schema.get(word), Mapping):
            made[word] = {name: _schema(each) for name, each in schema[word].items()}
    for word in _LISTS:
        if isinstance(schema.get(word), list):
            made[word] = [_schema(each) for each in schema[word]]
    if "enum" in schema or "const" in schema:
        made["enum"] = schema["enum"] if "enum" in schema else [schema["const"]]
    if "items" in schema:
        made["items"] = _schema(schema["items"])
    if "additionalProperties" in schema:
        more = schema["additionalProperties"]
        made["additionalProperties"] = more if isinstance(more, bool) else _schema(more)
    return _typed(schema, made)


def _typed(schema: Mapping[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """Put the type in, and what an object or an array must have; a schema that has none of it says nothing at all."""
    found = _type(schema)
    if found is None:
        return made if any(word in made for word in ("$ref", *_LISTS)) else {}
    made["type"] = found
    types = found if isinstance(found, list) else [found]
    if "object" in types:
        made.setdefault("properties", {})
    if "array" in types:
        made.setdefault("items", {"type": "string"})
    return made


def _type(schema: Mapping[str, Any]) -> Any:
    said = schema.get("type")
    if isinstance(said, list):
        return said
    if isinstance(said, str) and said in _TYPES:
        return said
    if any(word in schema for word in ("$ref", *_LISTS)):
        return None
    return next((each for each, words in _SIGNS if not words.isdisjoint(schema)), None)


def _reached(root: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """Return the root's definitions that are referred to, also from one another."""
    seen: set[tuple[str, str]] = set()
    open_nodes: list[Any] = [{word: each for word, each in root.items() if word not in _DEFINITIONS}]
    while open_nodes:
        for place in _references(open_nodes.pop()):
            if place not in seen:
                seen.add(place)
                open_nodes.append(root.get(place[0], {}).get(place[1]))
    return frozenset(seen)


def _references(schema: Any) -> Iterator[tuple[str, str]]:
    nodes = [schema]
    while nodes:
        node = nodes.pop()
        if isinstance(node, Mapping):
            reference = node.get("$ref")
            parts = reference.split("/") if isinstance(reference, str) else []
            if len(parts) >= 3 and parts[0] == "#" and parts[1] in _DEFINITIONS:
                yield parts[1], parts[2].replace("~1", "/").replace("~0", "~")
            nodes.extend(node.values())
        elif isinstance(node, list):
            nodes.extend(node)
