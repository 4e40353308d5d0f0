"""One definition and what identifies it."""

from __future__ import annotations

import hashlib

import pytest
import rfc8785

from diagnose.surface import JsonError, Tool

DIGEST = "ab" * 32


def test_a_definition_is_kept_as_received_and_hashed_whole():
    raw = {"name": "a", "input_schema": {"type": "object"}, "unknown": [600.0, None]}
    tool = Tool.of(raw)
    assert tool.raw is raw
    assert tool.definition == {"name": "a", "inputSchema": {"type": "object"}, "unknown": [600.0, None]}
    assert tool.digest == tool.identity == hashlib.sha256(rfc8785.dumps(tool.definition)).hexdigest()
    assert tool.defect is None


@pytest.mark.parametrize(
    ("name", "text"), [("a", "a"), (10, "10"), (True, "True"), (0, ""), (None, ""), ("", ""), (["x"], "['x']")]
)
def test_a_name_is_text(name, text):
    assert Tool.of({"name": name}).name == text


def test_a_definition_without_canonical_form_says_why_and_is_still_told_apart():
    nan = Tool.of({"name": "a", "x": [float("nan"), 600.0]})
    assert nan.digest is None
    assert nan.defect is not None
    assert (nan.defect.what, nan.defect.pointer) == ("number that is not finite", "/x/0")
    assert nan.defect.__traceback__ is None
    assert nan.defect.__context__ is None
    assert nan.identity == Tool.of({"name": "a", "x": [float("nan"), 600]}).identity
    assert nan.identity != Tool.of({"name": "a", "x": ["NaN", 600]}).identity
    assert nan.identity != Tool.of({"name": "a", "x": [float("inf"), 600]}).identity


def test_tools_are_values():
    one, other = Tool.of({"name": "a", "x": 1}), Tool.of({"x": 1, "name": "a"})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Tool.of({"name": "a", "x": True})


def test_only_the_name_may_be_known():
    tool = Tool.named({"name": "a", "description": "not to be relied on"})
    assert (tool.name, tool.digest, tool.defect) == ("a", None, None)


def test_a_redacted_definition_of_ours_has_the_digest_beside_it():
    raw = {"name": "a", "description": "***", "$redacted": True, "$digest": DIGEST}
    tool = Tool.recorded(raw)
    assert tool is not None
    assert (tool.digest, tool.redacted) == (DIGEST, True)
    assert Tool.of(raw).digest != DIGEST


@pytest.mark.parametrize("marks", [{}, {"$redacted": 1}, {"$digest": "x"}, {"$digest": DIGEST.upper()}, {"$digest": 7}])
def test_a_wrong_mark_is_no_mark(marks):
    raw = {"name": "a", "$redacted": True, "$digest": DIGEST, **marks} if marks else {"name": "a", "$digest": DIGEST}
    assert Tool.recorded(raw) is None


def test_depth_is_bounded():
    deep: object = 1
    for _ in range(200):
        deep = {"a": deep}
    with pytest.raises(JsonError):
        Tool.of({"name": "a", "inputSchema": deep})
