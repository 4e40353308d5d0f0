"""Small schemas, changed schemas and instances, and a validator that somebody else wrote."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

NAMES = ("a", "b", "c")
SCALARS = (None, True, False, -1, 0, 1, 2, 3, 1.5, "", "a", "b", "ab", "abc")
DEFS = ("D", "E")


def scalar_keywords() -> st.SearchStrategy[dict[str, Any]]:
    small = st.integers(0, 3)
    one_keyword = st.one_of(
        st.tuples(
            st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
            st.sampled_from([0, 1, 1.5, 2]),
        ),
        st.tuples(
            st.sampled_from(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]), small
        ),
        st.tuples(st.just("multipleOf"), st.sampled_from([1, 2, 0.5, 3])),
        st.tuples(st.just("pattern"), st.sampled_from(["^a", "b", ".*"])),
        st.tuples(st.just("enum"), st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4)),
        st.tuples(st.just("const"), st.sampled_from(SCALARS)),
        st.tuples(st.just("uniqueItems"), st.booleans()),
        st.tuples(st.just("required"), st.lists(st.sampled_from(NAMES), unique=True, max_size=2)),
        st.tuples(
            st.just("dependentRequired"),
            st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=1), max_size=1),
        ),
    )
    return st.lists(one_keyword, max_size=2).map(dict)


TYPES = st.one_of(
    st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object", "object"]),
    st.lists(st.sampled_from(["string", "integer", "number", "null", "object"]), min_size=1, max_size=3, unique=True),
)


def _extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    keyword = st.one_of(
        st.tuples(st.just("properties"), named),
        st.tuples(st.just("properties"), named),
        st.tuples(st.just("additionalProperties"), st.one_of(st.just(False), inner)),
        st.tuples(
            st.sampled_from(["items", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems"]),
            inner,
        ),
        st.tuples(st.just("unevaluatedProperties"), st.one_of(st.just(False), inner)),
        st.tuples(st.sampled_from(["anyOf", "oneOf", "allOf", "prefixItems"]), some),
        st.tuples(st.sampled_from(["anyOf", "oneOf", "allOf"]), some),
        st.tuples(st.just("patternProperties"), st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1)),
        st.tuples(st.just("dependentSchemas"), st.dictionaries(st.sampled_from(NAMES), inner, max_size=1)),
        st.tuples(st.sampled_from(["minContains", "maxContains"]), st.integers(0, 2)),
    )
    typed = st.one_of(st.just({}), TYPES.map(lambda name: {"type": name}), TYPES.map(lambda name: {"type": name}))
    return st.builds(
        lambda kind, words, nested: {**kind, **words, **dict(nested)},
        typed,
        scalar_keywords(),
        st.lists(keyword, max_size=2),
    )


def _leaves() -> st.SearchStrategy[Any]:
    typed = st.builds(lambda name, words: {"type": name, **words}, TYPES, scalar_keywords())
    return st.one_of(
        typed, typed, scalar_keywords(), st.booleans(), st.sampled_from(DEFS).map(lambda d: {"$ref": f"#/$defs/{d}"})
    )


SCHEMAS = st.recursive(_leaves(), _extend, max_leaves=8)


@st.composite
def changed(draw: st.DrawFn, schema: Any) -> Any:
    """Draw a schema that differs from another in one place or two."""
    new = copy.deepcopy(schema)
    for _ in range(draw(st.integers(1, 2))):
        new = _edit(draw, new)
    return new


def _edit(draw: st.DrawFn, schema: Any) -> Any:
    if not isinstance(schema, dict) or not schema or draw(st.integers(0, 5)) == 0:
        return draw(SCHEMAS)
    key = draw(st.sampled_from(sorted(schema)))
    value = schema[key]
    if isinstance(value, dict) and value and draw(st.integers(0, 3)):
        if key in {"properties", "patternProperties", "dependentSchemas"}:
            name = draw(st.sampled_from(sorted(value)))
            return {**schema, key: {**value, name: _edit(draw, value[name])}}
        return {**schema, key: _edit(draw, value)}
    if key in {"anyOf", "oneOf", "allOf", "prefixItems"} and draw(st.integers(0, 3)):
        return {**schema, key: _edit_list(draw, value)}
    return _edit_keyword(draw, schema, key)


def _edit_keyword(draw: st.DrawFn, schema: dict[str, Any], key: str) -> Any:
    kind = draw(st.sampled_from(["drop", "add", "swap"]))
    if kind == "drop":
        return {name: one for name, one in schema.items() if name != key}
    other = draw(SCHEMAS)
    if kind == "add" or not isinstance(other, dict) or key not in other:
        return {**schema, **other} if isinstance(other, dict) else other
    return {**schema, key: other[key]}


def _edit_list(draw: st.DrawFn, value: list[Any]) -> list[Any]:
    index = draw(st.integers(0, len(value) - 1))
    kind = draw(st.sampled_from(["edit", "edit", "drop", "add", "turn"]))
    if kind == "drop" and len(value) > 1:
        return value[:index] + value[index + 1 :]
    if kind == "add":
        return [*value[:index], draw(SCHEMAS), *value[index:]]
    if kind == "turn":
        return value[::-1]
    return [*value[:index], _edit(draw, value[index]), *value[index + 1 :]]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw an old and a new schema document: the schema in question is that of the property `x`."""
    old = draw(SCHEMAS)
    new = draw(st.one_of(changed(old), changed(old), SCHEMAS))
    before = {name: draw(_leaves()) for name in DEFS}
    after = {name: draw(st.one_of(st.just(before[name]), changed(before[name]))) for name in DEFS}
    documents = document(old, before), document(new, after)
    assume(all(map(well_founded, documents)))
    return documents


def document(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}, "required": ["x"], "$defs": definitions}


def well_founded(whole: dict[str, Any]) -> bool:
    """Say whether no definition refers to itself for one and the same instance: validators run in circles there."""
    reached = {name: set(_in_place(one)) for name, one in whole["$defs"].items()}
    for _ in DEFS:
        reached = {name: found | {far for one in found for far in reached[one]} for name, found in reached.items()}
    return not any(name in found for name, found in reached.items())


def _in_place(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for one in schema for name in _in_place(one)]
    if not isinstance(schema, dict):
        return []
    found = [schema["$ref"].rpartition("/")[2]] if "$ref" in schema else []
    for word in ("allOf", "anyOf", "oneOf", "not", "if", "then", "else"):
        found += _in_place(schema.get(word))
    return found + _in_place(list(schema.get("dependentSchemas", {}).values()))


VALUES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from([*NAMES, "d"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def sealed(schema: Any) -> Any:
    """Return a schema that takes only properties that it names, in every open object.

    A caller sends no property that he was not told of: that is the convention by which a new optional property is
    compatible. What this leaves out are the instances that only such a caller would send.
    """
    if isinstance(schema, list):
        return [sealed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    new = {}
    for key, value in schema.items():
        if key in {"not", "if", "then", "else", "enum", "const", "required", "contains"}:
            new[key] = value
        elif key in {"properties", "$defs", "patternProperties", "dependentSchemas"}:
            new[key] = {name: sealed(one) for name, one in value.items()}
        else:
            new[key] = sealed(value)
    if "type" in schema or "properties" in schema or "enum" in schema or "const" in schema:
        new.setdefault("additionalProperties", False)
    return new


def validator(schema: Any) -> Callable[[Any], bool]:
    """Return the judgement of the package `jsonschema` on values of the property `x`."""
    known = Draft202012Validator(schema)
    return lambda value: bool(known.is_valid({"x": value}))
