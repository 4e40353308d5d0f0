"""Patterns against patterns: the original's mistakes, and every name up to a length."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.statesync import SegmentLimitError, common_name, covers, matches
from diagnose.statesync import overlap as subject
from diagnose.statesync.index import GlobIndex

patterns = st.lists(st.sampled_from(["a", "b", "*", "**"]), min_size=1, max_size=4).map(".".join)
#: Long enough for any difference between two patterns of four segments, and with a word that neither has.
NAMES = [".".join(name) for length in range(1, 7) for name in product("abc", repeat=length)]


@cache
def fitting(pattern):
    return frozenset(name for name in NAMES if matches(pattern, name))


@given(patterns, patterns)
def test_covering_is_what_it_is_for_every_name(general, special):
    assert covers(general, special) is (fitting(general) >= fitting(special))


@given(patterns, patterns)
def test_a_common_name_is_common_and_found_if_there_is_one(one, other):
    found = common_name(one, other)
    if found is None:
        assert not fitting(one) & fitting(other)
    else:
        assert matches(one, found)
        assert matches(other, found)


@given(st.lists(patterns, max_size=5), patterns, st.integers(0, 6))
def test_those_that_meet_are_those_with_a_common_name(patterns, pattern, before):
    meeting = subject.meeting(pattern, GlobIndex(patterns), before)
    assert meeting == {at for at, other in enumerate(patterns) if at < before and common_name(pattern, other)}


@pytest.mark.parametrize(
    ("earlier", "later"), [("a.*", "a.**"), ("*", "**"), ("a.*.c", "a.**.c"), ("*.*", "**.b"), ("a", "A")]
)
def test_what_the_original_calls_hidden_and_is_not(earlier, later):
    assert not covers(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("**.b", "**.a.b"), ("a.**.c", "a.**.b.c"), ("*.**", "**"), ("**.*", "**"), ("a.**", "a"), ("**", "**.**")],
)
def test_what_the_original_misses(earlier, later):
    # A name has at least one segment, if an empty one.
    assert covers(earlier, later)


def test_a_word_that_is_used_is_not_taken_for_an_unused_one():
    assert not covers("any", "*")
    assert not covers("any.any2", "*.*")


def test_too_many_states_give_no_answer(monkeypatch):
    monkeypatch.setattr(subject, "MAX_STATES", 10)
    with pytest.raises(SegmentLimitError, match="10 states"):
        covers("**", ".".join(["a"] * 12))
