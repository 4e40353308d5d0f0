"""Many patterns at once answer as each of them does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diagnose.statesync import matches
from diagnose.statesync.index import GlobIndex

words = st.sampled_from(["a", "b", "c", "*", "**"])
patterns = st.lists(st.lists(words, min_size=1, max_size=5).map(".".join), max_size=8)
names = st.lists(st.sampled_from(["a", "b", "c", "d", "*", ""]), min_size=1, max_size=6).map(".".join)


@given(patterns, names)
def test_it_finds_what_trying_each_finds(patterns, name):
    index = GlobIndex(patterns)
    fitting = [at for at, pattern in enumerate(patterns) if matches(pattern, name)]
    assert index.every(name) == set(fitting)
    assert index.first(name) == next(iter(fitting), None)


def test_it_stays_small_where_wildcards_pile_up():
    index = GlobIndex([".".join(["**", "a"] * 200 + ["**", "b"])])
    assert index.first(".".join(["a"] * 400)) is None
    assert index.first(".".join([*["a"] * 400, "b"])) == 0


def test_an_unused_segment_is_in_no_pattern():
    assert GlobIndex(["a.*"]).unused() == "any"
    assert GlobIndex(["any.a", "*.any2"]).unused() == "any3"
