"""Where judgements point, and that nothing makes them fail."""

from __future__ import annotations

import time
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.surface.impact import classify, overall
from diagnose.surface.impact.vocabulary import ASSERTIONS


def places(old: dict[str, Any], new: dict[str, Any]) -> dict[str, str]:
    return {one.pointer: one.impact for one in classify(old, new)}


def test_a_judgement_points_to_the_keyword() -> None:
    old = {"inputSchema": {"type": "object", "properties": {"a/b": {"type": "string"}}}}
    new = {"inputSchema": {"type": "object", "properties": {"a/b": {"type": "string", "maxLength": 3}}}}
    assert places(old, new) == {"/inputSchema/properties/a~1b/maxLength": "breaking"}


def test_a_judgement_points_into_the_definition_that_a_reference_names() -> None:
    def tool(kind: str) -> dict[str, Any]:
        schema = {
            "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}},
            "$defs": {"n": {"type": kind}},
        }
        return {"outputSchema": schema}

    assert places(tool("integer"), tool("number")) == {"/outputSchema/$defs/n/type": "breaking"}


def test_each_difference_has_its_own_impact() -> None:
    old = {"description": "a", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    new = {
        "description": "b",
        "icons": [],
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": ["string", "null"], "default": "x"}, "c": {"type": "string"}},
            "required": ["c"],
        },
    }
    assert places(old, new) == {
        "/description": "routing",
        "/icons": "cosmetic",
        "/inputSchema/required": "breaking",
        "/inputSchema/properties/a/type": "compatible",
        "/inputSchema/properties/a/default": "behaviour",
        "/inputSchema/properties/c": "compatible",
    }


def test_a_cycle_is_told_at_what_differs_in_it() -> None:
    def tool(kind: Any) -> dict[str, Any]:
        node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "value": {"type": kind}}}
        return {"inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/n"}}, "$defs": {"n": node}}}

    assert places(tool("string"), tool(["string", "null"])) == {"/inputSchema/$defs/n/properties/value/type": "unclear"}


def test_both_spellings_of_the_input_schema_are_one() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert classify({"name": "a", "input_schema": schema}, {"name": "a", "inputSchema": schema}) == ()
    assert overall(classify({"input_schema": schema}, {"inputSchema": {"type": "object"}})) == "breaking"


def test_too_deep_is_unclear() -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"not": deep}
    assert overall(classify({"inputSchema": deep}, {"inputSchema": {"not": deep}})) == "unclear"


def test_a_long_chain_of_references_is_unclear_and_not_an_error() -> None:
    def tool(last: str) -> dict[str, Any]:
        chain = {f"d{n}": {"properties": {"next": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(400)}
        schema = {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/d0"}},
            "$defs": chain | {"d400": {"type": last}},
        }
        return {"inputSchema": schema}

    assert overall(classify(tool("string"), tool("integer"))) == "unclear"


def test_hostile_alternatives_take_bounded_time() -> None:
    def tool(kinds: list[str]) -> dict[str, Any]:
        defs: dict[str, Any] = {"d20": {"enum": ["a"]}}
        for n in range(20):
            below = {"$ref": f"#/$defs/d{n + 1}"}
            branches = [{"type": kind, "minLength": n, "properties": {"p": below}} for kind in kinds]
            defs[f"d{n}"] = {"oneOf": branches, "anyOf": [{"properties": {"q": below}}, below, *reversed(branches)]}
        return {"inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs}}

    started = time.perf_counter()
    assert overall(classify(tool(["string", "object", "array"]), tool(["object", "string", "null"]))) != "compatible"
    assert time.perf_counter() - started < 20


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "a", "#", "#/$defs/a", "object", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*ASSERTIONS, "$defs", "items", "dependencies", "$id", "$anchor", "a"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
TOOLS = st.dictionaries(
    st.sampled_from(
        ["name", "description", "inputSchema", "input_schema", "outputSchema", "annotations", "execution", "x"]
    ),
    JUNK,
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(TOOLS, TOOLS)
def test_nothing_makes_it_fail(old: dict[str, Any], new: dict[str, Any]) -> None:
    for judgement in classify(old, new):
        assert judgement.why
        assert judgement.pointer == "" or judgement.pointer.startswith("/")
    assert classify(old, old) == ()


@settings(max_examples=100, deadline=None)
@given(TOOLS, TOOLS)
def test_a_place_has_one_judgement_and_the_same_each_time(old: dict[str, Any], new: dict[str, Any]) -> None:
    found = classify(old, new)
    assert len({judgement.pointer for judgement in found}) == len(found)
    assert classify(old, new) == found
