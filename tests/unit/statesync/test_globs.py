"""The matcher against what was seen of the original, against a brute-force one, and at its limit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.statesync import PatternError, SegmentLimitError, check_pattern, is_pattern, matches
from diagnose.statesync.globs import MAX_SEGMENTS

ROWS = [
    line.split()
    for line in (Path(__file__).parent / "data" / "globs.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]

#: Few words and many `**`, so that a name often fits by a hair, or fails by one.
patterns = st.lists(st.sampled_from(["a", "b", "*", "**", "**", ""]), min_size=1, max_size=7).map(".".join)
names = st.lists(st.sampled_from(["a", "a", "b", "*", ""]), min_size=1, max_size=8).map(".".join)


def brute(pattern: list[str], name: list[str]) -> bool:
    """Try every length for every `**`."""
    if not pattern:
        return not name
    first, *rest = pattern
    if first == "**":
        return any(brute(rest, name[taken:]) for taken in range(len(name) + 1))
    return bool(name) and first in ("*", name[0]) and brute(rest, name[1:])


def test_the_table_is_whole():
    assert [int(row[0]) for row in ROWS] == list(range(1, 62))


@pytest.mark.parametrize(("row", "pattern", "name", "answer"), ROWS, ids=[row[0] for row in ROWS])
def test_it_answers_as_the_original(row, pattern, name, answer):
    assert matches(pattern, "" if name == "-" else name) is (answer == "T")


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("**", "a." * 1023 + "a"), ("**." + "a." * 31 + "b", "a." * 62 + "b"), ("a." * 1024 + "a", "a." * 1024 + "a")],
)
def test_it_is_right_where_the_original_gives_up(pattern, name):
    assert matches(pattern, name)


@settings(max_examples=1000)
@given(patterns, names)
def test_it_answers_as_trying_everything_does(pattern, name):
    assert matches(pattern, name) is brute(pattern.split("."), name.split("."))


def test_a_segment_is_used_once():
    assert not matches("**.a.**.a.**", "b.a.b")
    assert matches("**.a.**.a.**", "b.a.a")


@pytest.mark.timeout(20)
def test_the_worst_that_is_let_in_takes_no_time():
    wild = ".".join(["**", "a"] * (MAX_SEGMENTS // 4) + ["**", "b"])
    assert not matches(wild, ".".join(["a"] * MAX_SEGMENTS))
    run = ".".join(["**", *["a"] * (MAX_SEGMENTS // 2), "b", "**"])
    assert not matches(run, ".".join(["a"] * MAX_SEGMENTS))


@pytest.mark.parametrize(("pattern", "name"), [("**", "." * MAX_SEGMENTS), ("." * MAX_SEGMENTS, "a")])
def test_beyond_the_limit_there_is_no_answer(pattern, name):
    with pytest.raises(SegmentLimitError, match=str(MAX_SEGMENTS + 1)):
        matches(pattern, name)


@pytest.mark.parametrize("pattern", ["a", "*", "**", "a.*", "**.a.**", "A-b_9.c", "**.**", "0"])
def test_legal_patterns(pattern):
    assert is_pattern(pattern)
    check_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["", ".a", "a.", "a..b", "***", "get_*", "x*", "a b", "a/b", "a:b", "é", "a\n", "a.b\n", "\uff11", "a.\ud800"],
)
def test_illegal_patterns(pattern):
    assert not is_pattern(pattern)
    with pytest.raises(PatternError) as caught:
        check_pattern(pattern)
    assert caught.value.diagnostics()


@pytest.mark.parametrize(
    ("pattern", "advice"),
    [
        ("billing.get_*", "write `billing.*`, or name each tool in a pattern of its own"),
        ("billing.x**", "write `billing.**`"),
        ("a.***", "write `a.**`"),
        ("*x.*y", "write `x.*`"),
        ("billing_*", "write `billing.*`, or name each tool"),
        ("a..b", "no empty segment"),
        ("invoice://7", "letters, digits, `_` and `-`"),
    ],
)
def test_the_advice_works(pattern, advice):
    with pytest.raises(PatternError) as caught:
        check_pattern(pattern)
    assert advice in caught.value.diagnostics()
    suggested = [part for part in caught.value.diagnostics().split("`") if "." in part and " " not in part]
    assert all(map(is_pattern, suggested))


def test_a_long_pattern_is_shown_short():
    with pytest.raises(PatternError) as caught:
        check_pattern("x" * 100_000 + "*")
    assert len(str(caught.value)) < 400
