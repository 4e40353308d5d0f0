"""A gateway's prefix is found by mapping forward, and what is not this server's is taken out."""

from __future__ import annotations

import pytest

from diagnose.clients import find_prefix, gateway_lens
from diagnose.clients.lens.gateway import find_suffix


@pytest.mark.parametrize(
    ("live", "shown", "prefix"),
    [
        (["a", "b"], ["orchard_a", "orchard_b", "barn_c"], "orchard_"),
        (["a", "b"], ["orchard__a", "orchard__b"], "orchard__"),
        (["a", "b"], ["a", "b", "barn_c"], ""),
        (["a", "b"], ["orchard.a", "orchard.c"], ""),
        (["a"], ["orchard/a"], "orchard/"),
        (["list", "get_list"], ["list", "get_list"], ""),
        (["do.it", "b"], ["x-do_it", "x-b"], "x-"),
        (["a", "b", "c"], ["g_a", "g_b", "g_old"], "g_"),
        (["apple", "pear"], ["pineapple", "spear"], ""),
        (["list", "get", "x_list", "x_get"], ["list", "get", "x_list", "x_get"], ""),
        ([], ["a"], ""),
        (["a"], [], ""),
    ],
)
def test_the_prefix_is_found(live, shown, prefix):
    assert find_prefix(live, shown) == prefix


@pytest.mark.parametrize(
    ("live", "shown", "suffix"),
    [
        (["a", "b"], ["a_mcp_orchard", "b_mcp_orchard", "c_mcp_barn"], "_mcp_orchard"),
        (["a", "b"], ["a", "b"], ""),
        (["apple", "pear"], ["apples", "pears"], ""),
        (["a"], ["a-orchard"], "-orchard"),
    ],
)
def test_the_suffix_is_found(live, shown, suffix):
    assert find_suffix(live, shown) == suffix


def test_names_are_read_and_foreign_ones_taken_out():
    lens = gateway_lens(["a", "b"], ["o_a", "o_b", "o_old", "search_tools"])
    assert (lens.prefix, lens.found, lens.forward("a")) == ("o_", True, "o_a")
    names, foreign = lens.read(["o_a", "o_b", "o_old", "search_tools"], ["a", "b"])
    assert dict(names) == {"o_a": "a", "o_b": "b", "o_old": "old"}
    assert foreign == ("search_tools",)


def test_a_prefix_that_was_named_needs_no_evidence():
    lens = gateway_lens(["a"], ["b"], "orchard_")
    assert lens.found is False
    assert lens.read(["orchard_x", "a"], ["a"]) == ({"orchard_x": "x"}, ("a",))


def test_without_a_prefix_nothing_is_called_foreign():
    names, foreign = gateway_lens(["a"], ["a", "z"]).read(["a", "z"], ["a"])
    assert (dict(names), foreign) == ({"a": "a", "z": "z"}, ())


def test_the_exact_name_goes_before_one_that_is_only_written_so():
    names, _ = gateway_lens(["a.b", "a_b"], []).read(["a_b"], ["a.b", "a_b"])
    assert names["a_b"] == "a_b"


def test_a_name_made_of_separators_does_not_hold_it_up():
    assert find_prefix(["a"], ["_" * 100_000 + "a"]) == ""
