"""Going through values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.surface.walk import at, deeper_than, parse_pointer, places, pointer

VALUES = st.recursive(
    st.integers() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a~/0\ud800", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_every_place_is_found_again_by_its_pointer(value):
    for tokens, node in places(value):
        assert at(value, tokens) is node
        assert at(value, parse_pointer(pointer(tokens))) is node


def test_places_are_in_the_order_of_the_document():
    value = {"b": [1, {"c": 2}], "a": 3}
    assert [pointer(tokens) for tokens, _ in places(value)] == ["", "/b", "/b/0", "/b/1", "/b/1/c", "/a"]


@pytest.mark.parametrize("tokens", [("x",), ("a", "1"), ("a", "-1"), ("a", "b"), ("a", "0", "0"), ("s", "0")])
def test_a_path_that_leads_nowhere_has_the_default(tokens):
    assert at({"a": [1], "s": "text"}, tokens, "default") == "default"


@pytest.mark.parametrize(("value", "depth"), [(1, 0), ([], 1), ({"a": 1}, 1), ([[], {"a": [1]}], 3)])
def test_depth(value, depth):
    assert not deeper_than(value, depth)
    assert deeper_than([value], depth)
