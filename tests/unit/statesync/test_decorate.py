"""What a policy does to definitions and results, and how a tag in a result is found again."""

from __future__ import annotations

import copy

import pytest

from diagnose.statesync import (
    Resolution,
    decorated_result,
    decorated_tool,
    format_invalidation,
    parse_invalidation,
    tags_in,
)

HOLDS = Resolution(cache_control="immutable")
STALES = Resolution(invalidates=("billing.*", "dashboard.invoices"))
TAG = {"type": "text", "text": '<cache_invalidation cause="billing.refund" domains="billing.*, dashboard.invoices" />'}
IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}


def test_a_definition_gets_its_directive_and_nothing_else_changes():
    tool = {"name": "a", "description": "Foo", "inputSchema": {}}
    assert decorated_tool(tool, HOLDS) == {**tool, "description": "Foo [Cache-Control: immutable]"}
    assert tool["description"] == "Foo"
    assert decorated_tool({"name": "a"}, HOLDS)["description"] == "[Cache-Control: immutable]"


@pytest.mark.parametrize("resolution", [None, STALES])
def test_a_definition_without_directive_is_handed_through(resolution):
    tool = {"name": "a", "description": "Foo"}
    assert decorated_tool(tool, resolution) is tool


def test_the_tag_comes_first_and_the_rest_stays():
    result = {"content": [IMAGE], "structuredContent": {"x": 1}, "_meta": {"y": 2}, "isError": False}
    before = copy.deepcopy(result)
    assert decorated_result(result, "billing.refund", STALES) == {**before, "content": [TAG, IMAGE]}
    assert result == before
    assert decorated_result({}, "billing.refund", STALES) == {"content": [TAG]}
    assert decorated_result({"content": [], "resultType": "complete"}, "a", STALES)["content"]


@pytest.mark.parametrize(
    ("result", "resolution"),
    [
        ({"content": []}, None),
        ({"content": []}, HOLDS),
        ({"content": [], "isError": True}, STALES),
        ({"content": [], "isError": "yes"}, STALES),
        ({"content": [], "resultType": "input_required"}, STALES),
        ({"content": "not a list"}, STALES),
    ],
)
def test_a_result_without_invalidation_is_handed_through(result, resolution):
    assert decorated_result(result, "billing.refund", resolution) is result


def test_tags_are_found_where_they_stand():
    other = format_invalidation("notes.post", ["billing.*"])
    content = [
        TAG,
        IMAGE,
        "odd",
        {"type": "text"},
        {"type": "text", "text": f" {other}"},
        {"type": "text", "text": f"See {other}"},
    ]
    found = tags_in({"content": content})
    assert [(tag.index, tag.invalidation.cause, tag.invalidation.exact) for tag in found] == [
        (0, "billing.refund", True),
        (4, "notes.post", False),
    ]
    assert found[0].invalidation == parse_invalidation(TAG["text"])


@pytest.mark.parametrize("result", [{}, {"content": None}, {"content": "x"}, {"content": [None, 1, [TAG]]}])
def test_what_has_no_content_has_no_tags(result):
    assert tags_in(result) == ()
