"""The keywords of JSON Schema 2020-12, and what a well-formed value of each looks like.

Spellings of earlier drafts that tools still send (``definitions``, an array of ``items``, ``dependencies``) are read
as what they became. Keywords that are not listed here assert nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from diagnose.surface.change import Impact

#: A number is an integer or a fraction: so split, "integer is a kind of number" is plain set inclusion.
TYPES: dict[str, frozenset[str]] = {
    "null": frozenset({"null"}),
    "boolean": frozenset({"boolean"}),
    "integer": frozenset({"integer"}),
    "number": frozenset({"integer", "fraction"}),
    "string": frozenset({"string"}),
    "array": frozenset({"array"}),
    "object": frozenset({"object"}),
}
ANY_TYPE: frozenset[str] = frozenset().union(*TYPES.values())
NUMBERS = TYPES["number"]


def is_schema(value: Any) -> bool:
    """Say whether a value can be a schema at all."""
    return isinstance(value, dict | bool)


def is_count(value: Any) -> bool:
    """Say whether a value is a non-negative integer; 3.0 is one."""
    return is_number(value) and value >= 0 and value == int(value)


def is_number(value: Any) -> bool:
    """Say whether a value is a finite JSON number; true is none."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def _is_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_schema, value))


def _is_schema_map(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_schema, value.values()))


def is_names(value: Any) -> bool:
    """Say whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_names_map(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_names, value.values()))


def _is_type(value: Any) -> bool:
    return (
        value in TYPES if isinstance(value, str) else is_names(value) and bool(value) and all(v in TYPES for v in value)
    )


def _is_positive(value: Any) -> bool:
    return is_number(value) and value > 0


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


#: Every keyword that decides whether an instance is valid, or may do so, with the test of its value.
ASSERTIONS: dict[str, Callable[[Any], bool]] = {
    "$ref": _is(str),
    "$dynamicRef": _is(str),
    "$recursiveRef": _is(str),
    "additionalProperties": is_schema,
    "allOf": _is_schemas,
    "anyOf": _is_schemas,
    "const": lambda _: True,
    "contains": is_schema,
    "contentEncoding": _is(str),
    "contentMediaType": _is(str),
    "contentSchema": is_schema,
    "dependentRequired": _is_names_map,
    "dependentSchemas": _is_schema_map,
    "else": is_schema,
    "enum": _is(list),
    "exclusiveMaximum": is_number,
    "exclusiveMinimum": is_number,
    "format": _is(str),
    "if": is_schema,
    "items": is_schema,
    "maxContains": is_count,
    "maxItems": is_count,
    "maxLength": is_count,
    "maxProperties": is_count,
    "maximum": is_number,
    "minContains": is_count,
    "minItems": is_count,
    "minLength": is_count,
    "minProperties": is_count,
    "minimum": is_number,
    "multipleOf": _is_positive,
    "not": is_schema,
    "nullable": _is(bool),
    "oneOf": _is_schemas,
    "pattern": _is(str),
    "patternProperties": _is_schema_map,
    "prefixItems": _is_schemas,
    "properties": _is_schema_map,
    "propertyNames": is_schema,
    "required": is_names,
    "then": is_schema,
    "type": _is_type,
    "unevaluatedItems": is_schema,
    "unevaluatedProperties": is_schema,
    "uniqueItems": _is(bool),
}

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
ONE_SCHEMA = frozenset(name for name, test in ASSERTIONS.items() if test is is_schema) | {"additionalItems"}
SCHEMA_LISTS = frozenset(name for name, test in ASSERTIONS.items() if test is _is_schemas)
SCHEMA_MAPS = frozenset(name for name, test in ASSERTIONS.items() if test is _is_schema_map) | {
    "$defs",
    "definitions",
    "dependencies",
}

#: Keywords that assert nothing but are read: a model chooses by these words, ...
_WORDS = (
    "title",
    "description",
    "examples",
    "example",
    "deprecated",
    "enumNames",
    "enumDescriptions",
    "markdownDescription",
)
#: ... and these say what a server does with a value, or without one.
_BEHAVIOUR = ("default", "readOnly", "writeOnly")
ANNOTATIONS: dict[str, Impact] = {**dict.fromkeys(_WORDS, "routing"), **dict.fromkeys(_BEHAVIOUR, "behaviour")}

#: MCP 2026-07-28, Streamable HTTP, "Custom Headers from Tool Parameters".
HEADER = "x-mcp-header"

DEFAULT_DIALECT = "json-schema.org/draft/2020-12/schema"
#: Up to draft 7 the neighbours of a ``$ref`` are ignored (draft-07 core, 8.3).
REFERENCE_ALONE = tuple(f"json-schema.org/draft-0{draft}/schema" for draft in (3, 4, 6, 7))


def dialect(schema: Any) -> str:
    """Return the dialect that a schema document names, without scheme and empty fragment; MCP's default is 2020-12."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return DEFAULT_DIALECT
    return str(named).removeprefix("http://").removeprefix("https://").removesuffix("#")
