"""Revision and digest: the published vectors, and what each of them depends on."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from diagnose.surface import Surface, Tool, Unhashable, digest, parse_json, revision

VECTORS = json.loads((Path(__file__).parent / "data" / "revision.json").read_text())["vectors"]

SCHEMAS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(st.text(max_size=3), st.just({"type": "string"}))}
)
TOOLS = st.fixed_dictionaries(
    {"name": st.text(min_size=1, max_size=3)},
    optional={
        "description": st.text(max_size=5),
        "inputSchema": SCHEMAS,
        "annotations": st.dictionaries(st.sampled_from(["title", "readOnlyHint"]), st.booleans()),
        "title": st.text(max_size=5),
        "category": st.floats(allow_nan=False, allow_infinity=False),
    },
)
LISTS = st.lists(TOOLS, max_size=5)
WHOLE = {
    "name": "a",
    "description": "A",
    "inputSchema": {"type": "object", "properties": {"x": {"type": "integer", "default": 600}}},
    "annotations": {"readOnlyHint": True},
    "title": "The A",
    "outputSchema": {"type": "object"},
    "_meta": {"k": [1, 2]},
    "category": "session",
}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["case"] for vector in VECTORS])
def test_every_published_vector(vector):
    tools = parse_json(vector["tools_json"]).value
    surface = Surface.of(tools)
    assert surface.count == vector["count"]
    assert surface.revision == vector["revision"]
    if vector["revision"] is None:
        with pytest.raises(Unhashable) as caught:
            revision(tools)
        assert caught.value.pointer == "/0/description"
        assert vector["error"] in str(caught.value)
    else:
        assert revision(tools) == revision(surface.tools) == vector["revision"]


def test_nan_is_hashed_as_python_prints_it():
    text = '[{"annotations":{},"description":"","inputSchema":{"default":NaN},"name":"a"}]'
    tools = [{"name": "a", "inputSchema": {"default": float("nan")}}]
    assert revision(tools) == hashlib.sha256(text.encode()).hexdigest()


def test_fields_of_wrong_types_are_hashed_as_they_are():
    text = '[{"annotations":"x","description":["y"],"inputSchema":7,"name":"a"}]'
    tools = [{"name": "a", "description": ["y"], "inputSchema": 7, "annotations": "x"}]
    assert revision(tools) == hashlib.sha256(text.encode()).hexdigest()


def test_input_schema_is_read_as_inputschema_where_that_is_missing():
    schema = {"type": "object"}
    ours, theirs = [{"name": "a", "inputSchema": schema}], [{"name": "a", "input_schema": schema}]
    assert revision(ours) == revision(theirs)
    assert digest(ours) == digest(theirs)
    both = [{"name": "a", "inputSchema": {}, "input_schema": schema}]
    assert revision(both) == revision([{"name": "a"}])


@given(LISTS, st.randoms(use_true_random=False))
def test_neither_depends_on_the_order_of_tools_or_keys(tools, random):
    shuffled = [dict(random.sample(sorted(tool.items()), len(tool))) for tool in tools]
    random.shuffle(shuffled)
    assert digest(shuffled) == digest(tools)
    if len({tool["name"] for tool in tools}) == len(tools):
        assert revision(shuffled) == revision(tools)


@given(LISTS)
def test_the_digest_is_that_of_the_sorted_canonical_forms(tools):
    forms = sorted((str(tool["name"]), rfc8785.dumps(tool)) for tool in tools)
    text = b"[" + b",".join(form for _, form in forms) + b"]"
    assert digest(tools) == Surface.of(tools).digest == hashlib.sha256(text).hexdigest()


def changed_in(path, value):
    tool = copy.deepcopy(WHOLE)
    holder = tool
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return [tool]


HASHED = [
    (["name"], "b"),
    (["description"], "B"),
    (["inputSchema", "type"], "array"),
    (["inputSchema", "properties", "x", "default"], 601),
    (["inputSchema", "properties", "y"], {}),
    (["annotations", "readOnlyHint"], False),
    (["annotations", "title"], "t"),
]
NOT_HASHED = [(["title"], "b"), (["outputSchema", "type"], "array"), (["_meta", "k"], [2, 1]), (["unknown"], None)]


@pytest.mark.parametrize(("path", "value"), HASHED)
def test_both_depend_on_every_hashed_field(path, value):
    assert revision(changed_in(path, value)) != revision([WHOLE])
    assert digest(changed_in(path, value)) != digest([WHOLE])


@pytest.mark.parametrize(("path", "value"), NOT_HASHED)
def test_only_the_digest_depends_on_the_other_fields(path, value):
    assert revision(changed_in(path, value)) == revision([WHOLE])
    assert digest(changed_in(path, value)) != digest([WHOLE])


@pytest.mark.parametrize("field", sorted(WHOLE.keys() - {"name"}))
def test_the_digest_depends_on_every_field_being_there(field):
    assert digest([{key: value for key, value in WHOLE.items() if key != field}]) != digest([WHOLE])


def test_a_number_rewritten_on_the_way_changes_the_revision_and_not_the_digest():
    rewritten = changed_in(["inputSchema", "properties", "x", "default"], 600.0)
    assert revision(rewritten) != revision([WHOLE])
    assert digest(rewritten) == digest([WHOLE])


def test_tools_of_one_name_are_sorted_by_their_form_in_the_digest_only():
    tools = [{"name": "a", "description": text} for text in "yx"]
    assert digest(tools) == digest(tools[::-1])
    assert revision(tools) != revision(tools[::-1])
    assert digest(tools) != digest(tools[:1])


@pytest.mark.parametrize("value", [float("nan"), "\ud83c"])
def test_what_has_no_digest_is_named_by_its_place_in_the_list(value):
    with pytest.raises(Unhashable) as caught:
        digest([None, WHOLE, {"name": "b", "_meta": {"x": [value]}}])
    assert caught.value.pointer == "/2/_meta/x/0"


def test_a_lone_surrogate_that_is_not_hashed_does_not_matter_to_the_revision():
    assert revision([{**WHOLE, "title": "\ud83c"}]) == revision([WHOLE])


def test_tools_may_be_given_as_tools():
    assert digest([Tool.of(WHOLE), {"name": "b"}]) == digest([WHOLE, {"name": "b"}])
