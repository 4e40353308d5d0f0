"""What sets two surfaces apart, and how they stand to each other."""

from __future__ import annotations

import copy
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.surface import ABSENT, Surface, difference, relation

PICK = {
    "name": "pick_apples",
    "description": "Pick the ripe apples of one row.",
    "inputSchema": {"type": "object", "properties": {"row": {"type": "integer"}}, "required": ["row"]},
}
PRUNE = {"name": "prune_tree", "description": "Prune one tree.", "inputSchema": {"type": "object"}}
RIPEN = {"name": "ripen", "description": "Wait until all is ripe.", "inputSchema": {"type": "object"}}
SURROGATE = {**RIPEN, "title": "\ud83c"}

TOOLS = st.fixed_dictionaries(
    {"name": st.sampled_from("abcd"), "description": st.sampled_from(["", "Pick.", "Prune."])},
    optional={"inputSchema": st.sampled_from([{}, {"type": "object"}, {"required": ["x"]}]), "icons": st.just([])},
)
LISTS = st.lists(TOOLS, max_size=5)


def changed(raw, **fields):
    return {**copy.deepcopy(raw), **fields}


def brief(old, new):
    return [(change.tool, change.was, change.kind, change.impact) for change in difference(old, new)]


def test_added_removed_changed_and_renamed():
    old = [PICK, PRUNE, RIPEN]
    new = [changed(PICK, name="gather_apples"), changed(PRUNE, description="Prune a tree."), {"name": "press_cider"}]
    assert brief(old, new) == [
        ("gather_apples", "pick_apples", "renamed", "breaking"),
        ("press_cider", None, "added", "compatible"),
        ("prune_tree", None, "changed", "routing"),
        ("ripen", None, "removed", "breaking"),
    ]


def test_a_second_tool_of_a_name_is_neither_offered_nor_taken_away():
    for second in (PICK, changed(PICK, description="Pick all apples.")):
        assert brief([PICK], [PICK, second]) == [("pick_apples", None, "added", "unclear")]
        assert brief([PICK, second], [PICK]) == [("pick_apples", None, "removed", "unclear")]
    renamed = changed(PICK, name="gather")
    assert brief([PICK, PICK], [PICK, renamed]) == [
        ("gather", None, "added", "compatible"),
        ("pick_apples", None, "removed", "unclear"),
    ]


def test_a_change_has_the_worst_impact_of_its_details():
    new = changed(PICK, description="Pick.", icons=[])
    new["inputSchema"]["required"] = ["row", "basket"]
    (change,) = difference([PICK], [new])
    assert change.impact == "breaking"
    assert {detail.impact for detail in change.details} == {"breaking", "routing", "cosmetic"}


def test_a_proven_rename_needs_no_details_and_a_possible_one_has_them():
    near = changed(PICK, name="gather", description="Gather the ripe apples of one row.")
    (proven,) = difference([PICK], [changed(PICK, name="gather")])
    (possible,) = difference([PICK], [near])
    assert (proven.confidence, proven.details) == ("proven", ())
    assert possible.confidence == "possible"
    assert [detail.path for detail in possible.details] == ["/description"]


@pytest.mark.parametrize("lists", [([PICK], [PICK]), ([], []), ([PICK, PRUNE], [PRUNE, PICK])])
def test_equal_lists_have_no_difference(lists):
    assert difference(*lists) == ()
    assert relation(*lists) == "equal"


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_of_tools_makes_no_difference(tools, random):
    shuffled = copy.deepcopy(tools)
    random.shuffle(shuffled)
    assert difference(tools, shuffled) == ()
    assert relation(tools, shuffled) == "equal"


@given(LISTS, LISTS)
def test_there_is_a_difference_just_where_the_digests_differ(old, new):
    changes = difference(old, new)
    assert (not changes) == (Surface.of(old).digest == Surface.of(new).digest)
    cosmetic = all(change.impact == "cosmetic" for change in changes)
    expected = "different" if not cosmetic else "equivalent" if changes else "equal"
    assert relation(old, new) == expected
    assert [change.tool for change in changes] == sorted(change.tool for change in changes)


@given(LISTS, LISTS)
def test_the_way_back_mirrors_the_way_there(old, new):
    there, back = difference(old, new), difference(new, old)
    mirror = {"added": "removed", "removed": "added", "changed": "changed"}
    names = [(change.tool, mirror[change.kind]) for change in there if change.kind != "renamed"]
    assert sorted(names) == sorted((change.tool, change.kind) for change in back if change.kind != "renamed")
    renamed = [(change.was, change.tool) for change in there if change.kind == "renamed"]
    assert sorted(renamed) == sorted((change.tool, change.was) for change in back if change.kind == "renamed")


def test_tools_of_one_name_are_paired_by_equal_definitions_first():
    one, two, three = (changed(PICK, description=text) for text in ("One.", "Two.", "Three."))
    assert brief([one, two], [two, one]) == []
    assert brief([one, two], [two, three]) == [("pick_apples", None, "changed", "routing")]
    assert brief([one, two, two], [one, three]) == [
        ("pick_apples", None, "changed", "routing"),
        ("pick_apples", None, "removed", "unclear"),
    ]


def test_int_and_float_of_one_value_are_no_difference_and_true_is_one():
    old, new, other = ([changed(PICK, x=[value])] for value in (1, 1.0, True))
    assert difference(old, new) == ()
    assert [detail.path for detail in difference(old, other)[0].details] == ["/x/0"]


def test_private_looking_names_are_seen():
    new = changed(PICK)
    new["inputSchema"]["properties"]["__admin"] = {"type": "boolean"}
    assert [detail.path for detail in difference([PICK], [new])[0].details] == ["/inputSchema/properties/__admin"]


def beside(old, new):
    return [
        (change.tool, change.kind, change.impact, change.details[0].path, change.details[0].was, change.details[0].now)
        for change in difference(old, new)
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (("Be kind.", None), ("Be quick.", None), ("/instructions", "Be kind.", "Be quick.")),
        (("Be kind.", None), (None, None), None),
        ((None, None), ("Be kind.", None), None),
        ((None, {}), ("Be kind.", None), ("/instructions", ABSENT, "Be kind.")),
        (("Be kind.", {}), (None, {}), ("/instructions", "Be kind.", ABSENT)),
        ((None, {"tools": {"listChanged": True}}), (None, {}), ("/capabilities/tools/listChanged", True, ABSENT)),
        (
            (None, {"tools": {}}),
            (None, {"tools": {"listChanged": True}}),
            ("/capabilities/tools/listChanged", ABSENT, True),
        ),
        ((None, {"tools": {"listChanged": False}}), (None, {"tools": {}}), None),
        ((None, {"tools": {"listChanged": True}}), (None, None), None),
        ((None, {"tools": "yes"}), (None, {"tools": None}), None),
        ((None, {"prompts": {}}), (None, {}), None),
    ],
)
def test_what_the_server_says_beside_its_tools(old, new, expected):
    was, now = Surface.of([PICK], *old), Surface.of([PICK], *new)
    assert beside(was, now) == ([(None, "changed", "behaviour", *expected)] if expected else [])
    assert relation(was, now) == ("different" if expected else "equal")


def test_changes_of_the_server_come_before_those_of_tools():
    assert brief(Surface.of([], "Old."), Surface.of([{"name": "!"}], "New."))[0][0] is None


def test_names_alone_tell_what_came_and_went():
    whole, names = Surface.of([PICK, PRUNE]), Surface.of(["pick_apples", "ripen"], names_only=True)
    assert brief(whole, names) == [
        ("prune_tree", None, "removed", "breaking"),
        ("ripen", None, "added", "compatible"),
    ]
    assert relation(whole, names) == "different"
    assert relation(names, Surface.of([PICK, RIPEN])) == relation(names, names) == "unknown"


def test_a_definition_without_digest_is_compared_all_the_same():
    assert brief([SURROGATE], [RIPEN]) == [("ripen", None, "changed", "routing")]
    assert difference([SURROGATE], [SURROGATE]) == ()
    assert relation([SURROGATE], [copy.deepcopy(SURROGATE)]) == "unknown"
    assert relation([SURROGATE], [RIPEN]) == "different"
    nan = changed(PICK, x=float("nan"))
    assert difference([nan], [changed(PICK, x=float("nan"))]) == ()


def test_a_cosmetic_change_makes_equivalent():
    assert relation([PICK], [changed(PICK, icons=[{"src": "x"}])]) == "equivalent"
    assert relation([PICK, SURROGATE], [changed(PICK, icons=[]), SURROGATE]) == "unknown"


def test_redacted_definitions_are_compared_by_the_digest_that_was_recorded():
    (tool,) = Surface.of([PICK]).tools
    redacted = {**PICK, "description": "***", "$redacted": True, "$digest": tool.digest}
    old = Surface.recorded([redacted])
    assert difference(old, [PICK]) == ()
    assert relation(old, Surface.of([PICK])) == "equal"
    (change,) = difference(old, [changed(PICK, description="Another.")])
    assert (change.kind, change.impact) == ("changed", "unclear")
    assert [detail.path for detail in change.details] == ["/$digest", "/description"]


SCRIPT = """
import sys
from diagnose.surface import Surface, difference, relation
tools = [{"name": "a", "inputSchema": {"type": "object"}}, {"name": "b"}]
old, new = Surface.of(tools, "x"), Surface.of(tools[::-1], "y")
difference(old, new), relation(tools, tools[1:]), old.revision
print("deepdiff" in sys.modules)
difference(tools, [{"name": "a", "inputSchema": {}}])
print("deepdiff" in sys.modules)
"""


def test_deepdiff_is_loaded_only_when_a_definition_changed():
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


HEAVY = {"deepdiff", "httpx", "pydantic", "rich", "typer", "sqlite3", "asyncio", "keyring", "logging", "socket"}


def test_the_room_is_light_to_import():
    script = "import sys, diagnose.surface; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not HEAVY & set(run.stdout.split())
