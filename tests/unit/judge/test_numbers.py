"""Whether a hop rewrote numbers."""

import pytest
from unit.judge.looks import tool

from diagnose.judge.numbers import rewritten
from diagnose.surface import Surface


def listed(*numbers):
    properties = {f"p{place}": {"default": number} for place, number in enumerate(numbers)}
    return Surface.of([tool("a", inputSchema={"type": "object", "properties": properties})])


@pytest.mark.parametrize(
    ("sent", "came"),
    [
        ((600, 7), (600.0, 7.0)),
        ((600.0, 7.0), (600, 7)),
        ((600.0, 7), (600, 7)),  # one of several
        ((600, 7.0), (600, 7)),
    ],
)
def test_a_rewritten_number_is_found(sent, came):
    assert "a hop rewrote numbers" in (rewritten(listed(*sent).revision, listed(*came), None) or "")


def test_the_manifest_shows_it_where_guessing_cannot():
    sent, came = listed(*[600.0, 7] * 40), listed(*[600, 7] * 40)
    assert rewritten(sent.revision, came, None) is None
    assert "that of the manifest" in (rewritten(sent.revision, came, sent) or "")


@pytest.mark.parametrize(
    ("sent", "came"), [((600, 8), (600, 7)), ((600.5,), (600,)), ((True,), (1,)), ((2.0**53,), (2**53,))]
)
def test_another_number_is_no_rewriting(sent, came):
    assert rewritten(listed(*sent).revision, listed(*came), None) is None


def test_a_long_list_is_not_searched_number_by_number():
    many = [tool(f"t{place}") for place in range(400)]
    sent, came = ([*many, tool("a", inputSchema={"default": value, "x": 1})] for value in (600.0, 600))
    assert rewritten(Surface.of(sent).revision, Surface.of(came), None) is None


def test_what_cannot_be_hashed_is_not_searched():
    broken = Surface.of([tool("a", "half \ud83c")])
    assert rewritten("0" * 64, broken, None) is None
