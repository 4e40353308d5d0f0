"""A list of tools as somebody holds it."""

from __future__ import annotations

import pytest

from diagnose.surface import JsonError, Surface, digest, revision

TOOLS = [{"name": "b"}, None, 3, {"name": ""}, {"description": "no name"}, {"name": "a"}, {"name": "b", "x": 1}]
DIGEST = "ab" * 32


def nested(depth):
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def test_tools_are_in_the_order_received_and_all_entries_are_kept():
    surface = Surface.of(TOOLS, "Be kind.", {"tools": {}})
    assert surface.names == ("b", "a", "b")
    assert surface.count == 2
    assert surface.raw_entries == tuple(TOOLS)
    assert [tool.raw for tool in surface.by_name["b"]] == [TOOLS[0], TOOLS[6]]
    assert (surface.instructions, surface.capabilities) == ("Be kind.", {"tools": {}})
    assert surface.digest == digest(TOOLS)
    assert surface.revision == revision(TOOLS)


def test_names_alone_have_neither_revision_nor_digest():
    surface = Surface.of(["b", {"name": "a", "x": 1}, "", 3, {"name": None}], names_only=True)
    assert surface.names == ("b", "a")
    assert (surface.revision, surface.digest) == (None, None)
    assert all(tool.digest is None and tool.defect is None for tool in surface.tools)


def test_one_definition_without_digest_takes_the_digest_of_the_whole():
    surface = Surface.of([{"name": "a"}, {"name": "b", "title": "\ud83c"}])
    assert surface.digest is None
    assert surface.revision == revision([{"name": "a"}, {"name": "b"}])
    assert surface.tools[0].digest is not None


def test_the_revision_is_missing_where_it_cannot_be_computed():
    assert Surface.of([{"name": "a", "description": "\ud83c"}]).revision is None


def test_surfaces_are_values():
    assert Surface.of(TOOLS) == Surface.of(list(TOOLS))
    assert hash(Surface.of(TOOLS, None, {"tools": {}})) == hash(Surface.of(list(TOOLS), None, {"tools": {}}))
    assert Surface.of(TOOLS) != Surface.of(TOOLS[::-1])


@pytest.mark.parametrize("names_only", [True, False])
@pytest.mark.parametrize("entry", [{"name": "a", "x": nested(200)}, nested(200)])
def test_depth_is_bounded(entry, names_only):
    with pytest.raises(JsonError) as caught:
        Surface.of([entry], names_only=names_only)
    assert caught.value.reason == "too-deep"


def test_what_parse_json_accepts_is_accepted():
    assert Surface.of([{"name": "a", "x": nested(126)}]).digest


def test_what_was_recorded_counts_only_where_something_was_redacted():
    marked = {"name": "a", "description": "***", "$redacted": True, "$digest": DIGEST}
    surface = Surface.recorded([marked, {"name": "b"}], revision="r", digest="d")
    assert (surface.revision, surface.digest) == ("r", "d")
    assert [tool.digest for tool in surface.tools] == [DIGEST, Surface.of([{"name": "b"}]).tools[0].digest]
    plain = Surface.recorded([{"name": "b"}], revision="r", digest="d")
    assert (plain.revision, plain.digest) == (revision([{"name": "b"}]), digest([{"name": "b"}]))


def test_a_server_cannot_pass_off_a_digest():
    marked = {"name": "a", "$redacted": True, "$digest": DIGEST}
    assert Surface.of([marked]).tools[0].digest != DIGEST


def test_many_tools_of_one_name_take_no_quadratic_time():
    surface = Surface.of([{"name": "a", "x": index} for index in range(50_000)])
    assert len(surface.by_name["a"]) == 50_000
