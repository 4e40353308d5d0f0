"""A shown definition is explained only by what its client is known to do, forward and place by place."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.clients import MODEL_CARRIES, lens_for
from diagnose.clients.lens.explain import explain
from diagnose.clients.lens.rules import ANY, Rewriting

PICK: dict[str, Any] = {
    "name": "pick",
    "description": "Pick apples.",
    "inputSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "required": ["row", "kind"],
        "properties": {
            "row": {"$ref": "#/$defs/Row"},
            "kind": {"type": ["string", "null"], "description": "Which kind."},
        },
        "$defs": {"Row": {"type": "integer", "minimum": 1}},
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
}


def changed(path: str, value: Any = ...) -> dict[str, Any]:
    """Return the definition with one place set, or taken out."""
    definition = copy.deepcopy(PICK)
    *way, last = path.split("/")
    node: Any = definition
    for step in way:
        node = node[step]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return definition


def gemini_of() -> dict[str, Any]:
    shown = copy.deepcopy(PICK)
    del shown["inputSchema"]["$schema"], shown["inputSchema"]["additionalProperties"]
    shown["inputSchema"]["properties"]["kind"] = {"type": "string", "nullable": True, "description": "Which kind."}
    return shown


def test_equal_definitions_need_no_rewriting():
    assert lens_for("codex", "orchard").explains(PICK, copy.deepcopy(PICK)) == "the definitions are equal"


def test_what_gemini_does_is_explained_for_gemini_and_for_nobody_else():
    reason = lens_for("gemini-cli", "orchard").explains(PICK, gemini_of())
    assert reason is not None
    assert "nullable" in reason
    assert "$schema" in reason
    codex = lens_for("codex", "orchard")
    assert codex.explains(PICK, gemini_of()) is None
    assert codex.rewrites(PICK, gemini_of()) is not None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("inputSchema/properties/kind/type", "string"),
        ("inputSchema/properties/kind/description", "Which sort."),
        ("inputSchema/required", ["row"]),
        ("inputSchema/$defs/Row/minimum", 2),
        ("inputSchema/properties/row", {"type": "string"}),
        ("inputSchema/properties/extra", {"type": "string"}),
        ("inputSchema/properties/kind", ...),
        ("inputSchema/additionalProperties", True),
        ("description", "Pick pears."),
        ("description", "Pick"),
        ("annotations/readOnlyHint", False),
        ("annotations", ...),
        ("outputSchema", {"type": "object"}),
    ],
)
def test_a_change_is_never_taken_for_a_rewriting(path, value):
    for client in ("gemini-cli", "claude-code", "codex"):
        lens = lens_for(client, "orchard")
        assert lens.explains(PICK, changed(path, value)) is None
        assert lens.rewrites(PICK, changed(path, value)) is None


def test_a_description_cut_at_the_limit_is_explained():
    whole = {"name": "a", "description": "Pick apples. " * 300}
    lens = lens_for("claude-code", "orchard")
    for shown in (whole["description"][:2048], whole["description"][:2040] + "… [truncated]"):
        assert lens.explains(whole, {"name": "mcp__orchard__a", "description": shown}) is not None
    assert lens.explains(whole, {"name": "a", "description": whole["description"][:900]}) is None
    assert lens.explains(whole, {"name": "a", "description": "Other. " * 290}) is None


def test_definitions_may_stand_where_they_are_referred_to():
    shown = copy.deepcopy(PICK)
    shown["inputSchema"]["properties"]["row"] = shown["inputSchema"].pop("$defs")["Row"]
    assert "referred to" in (lens_for("codex", "orchard").rewrites(PICK, shown) or "")
    shown["inputSchema"]["properties"]["row"]["minimum"] = 7
    assert lens_for("codex", "orchard").rewrites(PICK, shown) is None


def test_definitions_that_were_lost_are_a_rewriting_and_no_habit():
    shown = changed("inputSchema/$defs")
    assert lens_for("codex", "orchard").explains(PICK, shown) is None
    assert "still referred to" in (lens_for("codex", "orchard").rewrites(PICK, shown) or "")


def test_whoever_puts_definitions_in_place_leaves_no_reference():
    shown = changed("inputSchema/$defs")
    assert explain(PICK, shown, Rewriting(inlines=True)) is None
    shown["inputSchema"]["properties"]["row"] = {"type": "integer", "minimum": 1}
    assert explain(PICK, shown, Rewriting(inlines=True)) is not None


def test_the_other_branch_of_a_union_with_null_is_nullable():
    live = {"name": "a", "inputSchema": {"properties": {"q": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}}
    shown = {"name": "a", "inputSchema": {"properties": {"q": {"type": "integer", "nullable": True}}}}
    assert lens_for("gemini-cli", "orchard").explains(live, shown) is not None


def test_an_input_schema_that_is_missing_may_be_written():
    shown = {"name": "a", "inputSchema": {"type": "object", "properties": {}}}
    assert lens_for("gemini-cli", "orchard").explains({"name": "a"}, shown) is not None
    assert lens_for("codex", "orchard").explains({"name": "a"}, shown) is None
    shown["inputSchema"] = {"type": "object", "properties": {"q": {}}}
    assert lens_for("gemini-cli", "orchard").explains({"name": "a"}, shown) is None


def test_text_that_differs_in_what_nobody_sees_is_a_rewriting():
    live = {"name": "a", "description": "Cafe\u0301 \u200bwith\u202e care"}
    shown = {"name": "a", "description": "Caf\u00e9 with care"}
    lens = lens_for("codex", "orchard")
    assert lens.explains(live, shown) is None
    assert "invisible" in (lens.rewrites(live, shown) or "")


def test_what_a_view_does_not_carry_is_said_and_not_compared():
    shown = {"name": "pick", "description": PICK["description"], "inputSchema": PICK["inputSchema"]}
    reason = lens_for("codex", "orchard", carries=MODEL_CARRIES).explains(PICK, shown)
    assert reason == "the view does not show annotations"
    assert lens_for("codex", "orchard").explains(PICK, shown) is None


def test_hints_under_the_names_of_a_status_view_are_the_same_hints():
    hints = {"readOnly": True, "destructive": False, "openWorld": False}
    lens = lens_for("claude-code", "orchard", carries=["name", "description", "annotations"])
    shown = {"name": "pick", "description": "Pick apples.", "annotations": hints}
    assert lens.explains(PICK, shown) is not None
    assert lens.explains(PICK, {**shown, "annotations": {**hints, "readOnly": False}}) is None


def test_a_redacted_definition_is_compared_by_its_digest():
    marked = {"name": "a", "description": "***", "$redacted": True, "$digest": "0" * 64}
    lens = lens_for("codex", "orchard")
    assert lens.explains(marked, dict(marked)) is not None
    assert lens.explains(marked, {**marked, "$digest": "1" * 64}) is None
    assert lens.explains({"name": "a", "description": "x"}, marked) is None


def test_references_that_lead_in_circles_end():
    circle = {"name": "a", "inputSchema": {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}}
    shown = {"name": "a", "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}
    assert explain(circle, shown, ANY) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab$#/", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "$ref", "$defs", "properties", "anyOf", "nullable", "items", "required", "a"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    live=st.dictionaries(st.sampled_from(["name", "description", "inputSchema", "annotations"]), VALUES),
    shown=st.dictionaries(st.sampled_from(["name", "description", "inputSchema", "annotations"]), VALUES),
)
def test_no_definition_breaks_it_and_an_equal_one_is_explained(live, shown):
    explain(live, shown, ANY)
    assert explain(live, copy.deepcopy(live), ANY) == ()
