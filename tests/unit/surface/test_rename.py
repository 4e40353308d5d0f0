"""Tools that came back under another name."""

from __future__ import annotations

import pytest

from diagnose.surface import Tool, rename
from diagnose.surface.rename import renames

PROPERTIES = {"row": {"type": "integer"}, "kind": {"type": "string"}, "ripe": {"type": "boolean"}}


def tool(name, description="Pick the ripe apples of one row.", properties=PROPERTIES, **fields):
    schema = {"type": "object", "properties": properties}
    return Tool.of({"name": name, "description": description, "inputSchema": schema, **fields})


def found(removed, added):
    return [(one.old.name, one.new.name, one.same, one.confidence) for one in renames(removed, added)]


def test_the_same_definition_under_another_name_is_proven():
    assert found([tool("pick")], [tool("gather")]) == [("pick", "gather", True, "proven")]


def test_a_definition_that_several_have_is_paired_in_order_and_not_proven():
    removed, added = [tool("a"), tool("b")], [tool("c"), tool("d"), tool("e")]
    assert found(removed, added) == [("a", "c", True, "possible"), ("b", "d", True, "possible")]


@pytest.mark.parametrize(
    "raw", [{"inputSchema": {"type": "object"}}, {"title": "T"}, {"inputSchema": {"properties": {}}}]
)
def test_a_definition_that_says_nothing_proves_nothing(raw):
    one, other = Tool.of({"name": "a", **raw}), Tool.of({"name": "b", **raw})
    assert found([one], [other]) == [("a", "b", True, "possible")]


def test_a_bare_name_is_not_renamed():
    assert found([Tool.of({"name": "a"})], [Tool.of({"name": "b"})]) == []


def test_words_are_enough_for_a_proof():
    one, other = (Tool.of({"name": name, "description": "Ripen."}) for name in "ab")
    assert found([one], [other]) == [("a", "b", True, "proven")]


def test_nearly_the_same_is_possible():
    near = tool("gather", "Gather the ripe apples of one row.", {**PROPERTIES, "limit": {"type": "integer"}})
    assert found([tool("pick")], [near]) == [("pick", "gather", False, "possible")]


@pytest.mark.parametrize(
    "other",
    [
        tool("x", "Prune one tree in the orchard."),
        tool("x", properties={"tree": {"type": "string"}, "depth": {"type": "number"}}),
        Tool.of({"name": "x"}),
    ],
)
def test_the_words_and_the_schema_must_both_be_near(other):
    assert found([tool("pick")], [other]) == []


def test_each_tool_is_paired_once_with_the_nearest():
    far = tool("far", "Pick the ripe apples of some row, soon.")
    near = tool("near", "Pick the ripe apples of one row!", title="Pick")
    exact = tool("exact")
    assert found([tool("pick")], [far, near, exact]) == [("pick", "exact", True, "proven")]
    assert found([tool("pick")], [far, near]) == [("pick", "near", False, "possible")]


def test_definitions_without_digest_can_be_renamed():
    one, other = (tool(name, x=float("nan")) for name in "ab")
    assert found([one], [other]) == [("a", "b", True, "proven")]


def test_what_was_redacted_proves_nothing():
    marked = {"name": "a", "description": "***", "$redacted": True, "$digest": "ab" * 32}
    old = Tool.recorded(marked)
    new = Tool.recorded({**marked, "name": "b", "$digest": "cd" * 32})
    assert not [one for one in renames([old], [new]) if one.same or one.confidence == "proven"]


def test_too_many_are_not_looked_through_for_near_ones(monkeypatch):
    near = tool("gather", "Gather the ripe apples of one row.")
    monkeypatch.setattr(rename, "MAX_PAIRS", 1)
    assert len(renames([tool("pick")], [near])) == 1
    assert renames([tool("pick")], [near, tool("other", "Something else.")]) == ()


@pytest.mark.timeout(20)
def test_a_hostile_list_takes_bounded_time():
    removed = [tool(f"a{i}", f"word{i} " * 5000) for i in range(100)]
    added = [tool(f"b{i}", f"{i} word " * 5000) for i in range(100)]
    renames(removed, added)
