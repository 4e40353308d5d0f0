"""What differs inside one definition: nothing is left out, and every difference has an impact."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.surface import ABSENT, detail
from diagnose.surface.canonical import lenient
from diagnose.surface.detail import MAX_DETAILS, Describer, _by_deepdiff, _Impacts, _member_by_member
from diagnose.surface.impact import Judgement
from diagnose.surface.walk import at

KEYS = st.sampled_from(["a", "b", "__private", "a'b\"]", "", "1", "~/", "\ud83c"])
SCALARS = st.sampled_from([0, 1, 1.0, 1.5, True, False, None, "1", "a\nb", "\ud83c", float("nan"), 2**60])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


def rebuilt(old, new, leaves):
    """Make the new value of the old one, with nothing but the leaves: what they leave out would be missing."""
    value = copy.deepcopy(old)
    changed = [(was, now) for was, now in leaves if was is not None and now is not None]
    removed = [was for was, now in leaves if now is None]
    added = [now for was, now in leaves if was is None]
    for was, now in changed:
        at(value, was[:-1])[was[-1]] = copy.deepcopy(at(new, now))
    for path in sorted(removed, key=lambda path: path[-1] if isinstance(path[-1], int) else -1, reverse=True):
        del at(value, path[:-1])[path[-1]]
    for path in sorted(added, key=lambda path: path[-1] if isinstance(path[-1], int) else -1):
        holder, item = at(value, path[:-1]), copy.deepcopy(at(new, path))
        holder.insert(path[-1], item) if isinstance(holder, list) else holder.update({path[-1]: item})
    return value


@pytest.mark.parametrize("compare", [_by_deepdiff, _member_by_member])
@settings(max_examples=300)
@given(OBJECTS, OBJECTS)
def test_the_leaves_tell_all_of_a_difference_and_nothing_else(compare, old, new):
    leaves = list(compare(old, new))
    assert lenient(rebuilt(old, new, leaves)) == lenient(new)
    assert all(was is None or now is None or lenient(at(old, was)) != lenient(at(new, now)) for was, now in leaves)
    assert not list(compare(old, copy.deepcopy(old)))


@pytest.mark.parametrize("compare", [_by_deepdiff, _member_by_member])
@pytest.mark.parametrize(
    ("old", "new", "leaves"),
    [
        ({"e": [1]}, {"e": [True]}, [(("e", 0), ("e", 0))]),
        ({"e": [1]}, {"e": [1.0]}, []),
        ({"__p": 1}, {}, [(("__p",), None)]),
        ({"x": None}, {}, [(("x",), None)]),
        ({"x": {}}, {"x": []}, [(("x",), ("x",))]),
        ({"x": {"a": 1}}, {"x": {"b": 1}}, [(None, ("x", "b")), (("x", "a"), None)]),
        ({"x": float("nan")}, {"x": float("nan")}, []),
    ],
)
def test_what_a_comparison_may_hide_by_default(compare, old, new, leaves):
    assert sorted(compare(old, new), key=repr) == sorted(leaves, key=repr)


def tool(**schema):
    return {"name": "a", "description": "A", "inputSchema": {"type": "object", **schema}}


def told(old, new):
    return [(one.path, one.was, one.now, one.impact) for one in Describer().details(old, new)]


def test_details_have_pointers_values_and_impacts():
    old = tool(properties={"a/b": {"enum": ["x", "y"]}}, required=["p"])
    new = {**tool(properties={"a/b": {"enum": ["y"]}}, required=["p", "q"]), "icons": []}
    assert told(old, new) == [
        ("/icons", ABSENT, [], "cosmetic"),
        ("/inputSchema/properties/a~1b/enum/0", "x", ABSENT, "breaking"),
        ("/inputSchema/required/1", ABSENT, "q", "breaking"),
    ]


def test_input_schema_is_told_as_inputschema():
    old = {"name": "a", "inputSchema": {"type": "object"}}
    new = {"name": "a", "inputSchema": {"type": "object", "title": "T"}}
    assert [path for path, *_ in told(old, new)] == ["/inputSchema/title"]


def test_every_difference_behind_a_reference_is_told_where_it_matters():
    field = {"properties": {"x": {"$ref": "#/$defs/f"}}}
    old, new = (tool(**field, **{"$defs": {"f": {"type": kind}}}) for kind in ("string", "integer"))
    assert ("/inputSchema/$defs/f/type", "string", "integer", "breaking") in told(old, new)


def judged(*judgements):
    return _Impacts([Judgement(pointer=place, impact=impact, why="") for place, impact in judgements])


def test_the_deepest_judgement_above_speaks():
    impacts = judged(("/a", "breaking"), ("/a/b", "routing"))
    assert impacts.tell("/a/b/c") == "routing"
    assert list(impacts.untold()) == [("/a", "breaking")]
    assert impacts.tell("/a/x") == "breaking"
    assert list(impacts.untold()) == []


def test_a_worse_judgement_below_speaks_too():
    impacts = judged(("", "cosmetic"), ("/a/b/c", "unclear"), ("/a/b/c", "routing"), ("/ab", "breaking"))
    assert impacts.tell("/a") == "unclear"
    assert list(impacts.untold()) == [("/ab", "breaking")]


def test_where_nothing_was_judged_nothing_matters():
    assert judged().tell("/a") == "cosmetic"


def test_untold_judgements_are_details_of_their_own(monkeypatch):
    monkeypatch.setattr(detail, "classify", lambda old, new: (Judgement(pointer="/x/0", impact="unclear", why=""),))
    assert told({"x": [{"$ref": "#/y"}], "y": 1}, {"x": [{"$ref": "#/y"}], "y": 2}) == [
        ("/x/0", {"$ref": "#/y"}, {"$ref": "#/y"}, "unclear"),
        ("/y", 1, 2, "cosmetic"),
    ]


def test_details_are_bounded_and_the_worst_are_kept():
    old = tool(properties={f"p{i}": {"description": "x"} for i in range(1000)})
    new = tool(properties={f"p{i}": {"description": "y"} for i in range(1000)}, required=["z"])
    details = Describer().details(old, new)
    assert len(details) == MAX_DETAILS
    assert "breaking" in {one.impact for one in details}
    assert [one.path for one in details] == sorted(one.path for one in details)


@pytest.mark.timeout(20)
def test_a_hostile_definition_takes_bounded_time():
    items = [f"v{i % 7}" for i in range(100_000)]
    assert Describer().details(tool(enum=items), tool(enum=items[3:]))


def test_the_allowance_is_shared_by_all_definitions(monkeypatch):
    monkeypatch.setattr(detail, "MAX_PLACES_IN_ALL", 20)
    describer = Describer()
    old, new = tool(enum=["a", "b"]), tool(enum=["0", "a", "b"])
    assert [one.path for one in describer.details(old, new)] == ["/inputSchema/enum/0"]
    assert len(describer.details(old, new)) == 3
