"""Whether a JSON Schema is one: the types of its keywords, and references that resolve within it.

JSON Schema 2020-12 by default (MCP 2026-07-28, basic, JSON Schema Usage), draft-07 and its neighbours in their own
spelling. References are followed within the schema only, never fetched. A schema of a dialect that is not known is
only held to the references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from diagnose.judge.pattern import flaw_of_pattern
from diagnose.record import record

Dialect: TypeAlias = Literal["2020-12", "2019-09", "draft-07", "draft-04", "unknown"]
Path: TypeAlias = tuple[str, ...]

TYPES = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})

#: Keywords whose value is a schema, an object of schemas, or a list of schemas.
_ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
_NAMED = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})

_DIALECTS: tuple[tuple[str, Dialect], ...] = (
    ("2020-12/schema", "2020-12"),
    ("2019-09/schema", "2019-09"),
    ("draft-07/schema", "draft-07"),
    ("draft-06/schema", "draft-07"),
    ("draft-04/schema", "draft-04"),
)


@record
class Fault:
    """One thing that is wrong; ``pointer`` is a JSON Pointer. What is not ``fatal`` some readers accept.

    ``part`` tells what it is a fault of: the `form` of a definition, the `schema` in it, by the rules of its dialect, or an
    annotation for a `header`.
    """

    pointer: str
    problem: str
    fatal: bool = True
    part: Literal["form", "schema", "header"] = "form"


def faults_of_schema(root: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what is wrong with a schema, in the order of the text; pointers are into it."""
    dialect = dialect_of(root)
    pending: list[tuple[Any, Path, Mapping[str, Any]]] = [(root, (), root)]
    while pending:
        node, path, base = pending.pop()
        if isinstance(node, bool) and dialect != "draft-04":
            continue
        if not isinstance(node, Mapping):
            yield Fault(pointer=_pointer(path), problem="this is no schema", part="schema")
            continue
        if path and isinstance(node.get("$id"), str) and not node["$id"].startswith("#"):
            base = node  # references within are against the schema that has an id of its own
        yield from _references(node, path, base)
        if dialect != "unknown":
            for keyword, value in node.items():
                for fault in _keyword(keyword, value, (*path, keyword), dialect):
                    yield replace(fault, part="schema")
        pending.extend((child, (*path, *steps), base) for steps, child in reversed(list(_children(node))))


def dialect_of(root: Mapping[str, Any]) -> Dialect:
    """Return the dialect that a schema declares; without a word it is 2020-12."""
    declared = root.get("$schema")
    if declared is None:
        return "2020-12"
    if not isinstance(declared, str):
        return "unknown"
    return next((dialect for end, dialect in _DIALECTS if declared.rstrip("#").endswith(end)), "unknown")


def _children(node: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yield the subschemas of a schema; what does not have the form to hold any is the keyword's own fault."""
    for keyword, value in node.items():
        if keyword in _NAMED and isinstance(value, Mapping):
            yield from (((keyword, name), child) for name, child in value.items())
        elif (keyword in _LISTED or keyword == "items") and isinstance(value, list):
            yield from (((keyword, str(index)), child) for index, child in enumerate(value))
        elif keyword == "dependencies" and isinstance(value, Mapping):
            yield from (((keyword, name), child) for name, child in value.items() if not isinstance(child, list))
        elif keyword in _ONE:
            yield (keyword,), value


def _references(node: Mapping[str, Any], path: Path, base: Mapping[str, Any]) -> Iterator[Fault]:
    for keyword in ("$ref", "$dynamicRef"):
        target = node.get(keyword)
        if isinstance(target, str) and target.startswith("#") and not _resolves(target[1:], base):
            yield Fault(pointer=_pointer((*path, keyword)), problem=f"{target} leads nowhere")


def _resolves(fragment: str, base: Mapping[str, Any]) -> bool:
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        return _anchored(fragment, base)
    node: Any = base
    for token in fragment.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isdecimal() and int(key[:9]) < len(node):
            node = node[int(key[:9])]
        else:
            return False
    return isinstance(node, (Mapping, bool))


def _anchored(name: str, base: Mapping[str, Any]) -> bool:
    """Tell whether an anchor is there: `$anchor`, `$dynamicAnchor`, or `$id: "#name"` as draft-07 writes it."""
    pending: list[Any] = [base]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            if name in (node.get("$anchor"), node.get("$dynamicAnchor")) or node.get("$id") == f"#{name}":
                return True
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return False


def _keyword(keyword: str, value: Any, path: Path, dialect: Dialect) -> Iterator[Fault]:
    """Yield what is wrong with the value of one keyword, as far as it is not a subschema of its own."""
    if keyword == "type":
        yield from _types(value, path)
    elif keyword == "items" and isinstance(value, list):
        if dialect == "2020-12":
            yield Fault(
                pointer=_pointer(path), problem="a list of items is draft-07; 2020-12 has prefixItems", fatal=False
            )
    elif keyword in ("exclusiveMinimum", "exclusiveMaximum") and dialect == "draft-04":
        if not isinstance(value, bool):
            yield Fault(pointer=_pointer(path), problem=f"{keyword} is neither true nor false")
    elif keyword in _FORMS and not _FORMS[keyword][0](value):
        yield Fault(pointer=_pointer(path), problem=f"{keyword} is no {_FORMS[keyword][1]}")
    elif keyword == "pattern" and (flaw := flaw_of_pattern(value)) is not None:
        yield Fault(pointer=_pointer(path), problem=f"pattern is no regular expression: {flaw}")


def _types(value: Any, path: Path) -> Iterator[Fault]:
    if isinstance(value, str):
        if value not in TYPES:
            yield Fault(pointer=_pointer(path), problem=f"there is no type {value[:40]!r}")
    elif not _names(value) or not value:
        yield Fault(pointer=_pointer(path), problem="type is neither a name nor a list of names")
    else:
        for index, name in enumerate(value):
            if name not in TYPES:
                yield Fault(pointer=_pointer((*path, str(index))), problem=f"there is no type {name[:40]!r}")


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _size(value: Any) -> bool:
    return _number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _positive(value: Any) -> bool:
    return _number(value) and value > 0


def _object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _filled_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


_FORMS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(
        ("$ref", "$dynamicRef", "$id", "$anchor", "$schema", "$comment", "title", "description", "format"),
        (_text, "text"),
    ),
    **dict.fromkeys(("contentEncoding", "contentMediaType", "pattern"), (_text, "text")),
    **dict.fromkeys(("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), (_number, "number")),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), (_size, "size")
    ),
    **dict.fromkeys(("maxContains", "minContains"), (_size, "size")),
    **dict.fromkeys(("$defs", "definitions", "properties", "patternProperties"), (_object, "object of schemas")),
    **dict.fromkeys(("dependentSchemas", "dependencies"), (_object, "object of schemas")),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), (_filled_list, "list of schemas")),
    **dict.fromkeys(
        ("deprecated", "readOnly", "writeOnly", "uniqueItems"), (lambda value: isinstance(value, bool), "truth value")
    ),
    "multipleOf": (_positive, "number above 0"),
    "required": (_names, "list of different names"),
    "enum": (lambda value: isinstance(value, list), "list"),
    "examples": (lambda value: isinstance(value, list), "list"),
}


def _pointer(path: Path) -> str:
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in path)
