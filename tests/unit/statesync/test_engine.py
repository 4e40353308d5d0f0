"""Which policy holds, and that it is looked up once."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from diagnose.statesync import Policy, PolicyEngine, Resolution, SegmentLimitError, matches
from diagnose.statesync.engine import MEMO

C, D = "immutable", "no-store"


@pytest.mark.parametrize(
    ("own", "default", "domains", "expected"),
    [
        (C, None, ("a.*",), (C, ("a.*",))),
        (C, D, ("a.*",), (C, ("a.*",))),
        (C, None, (), (C, ())),
        (C, D, (), (C, ())),
        (None, D, ("a.*",), (D, ("a.*",))),
        (None, D, (), (D, ())),
        (None, None, ("a.*",), (None, ("a.*",))),
        (None, None, (), None),
    ],
)
def test_what_a_policy_and_the_default_make_together(own, default, domains, expected):
    engine = PolicyEngine(
        [Policy("a", cache_control=own, invalidates=domains), Policy("**", invalidates=("z",))], default
    )
    found = engine.resolve("a")
    if expected is None:
        assert found is None, "a policy that says nothing keeps the later ones from being asked"
    else:
        assert found == Resolution(cache_control=expected[0], invalidates=expected[1], position=0)


def test_where_no_policy_fits_the_default_holds():
    policies = [Policy("a", cache_control=C)]
    assert PolicyEngine(policies, D).resolve("b") == Resolution(cache_control=D)
    assert PolicyEngine(policies).resolve("b") is None


def test_the_first_wins_and_nothing_is_merged_in():
    engine = PolicyEngine([Policy("billing.*", cache_control=C), Policy("billing.refund", invalidates=("billing.*",))])
    assert engine.resolve("billing.refund") == Resolution(cache_control=C, position=0)
    assert engine.deciding("billing.refund") == 0
    assert engine.deciding("other") is None


def test_tools_of_one_policy_share_one_object():
    engine = PolicyEngine([Policy("a.*", cache_control=C)], D)
    assert engine.resolve("a.x") is engine.resolve("a.y") is engine.resolve("a.x")
    assert engine.resolve("b") is engine.resolve("c")


def test_duplicate_domains_are_kept_in_their_order():
    engine = PolicyEngine([Policy("a", invalidates=("b.*", "a.*", "b.*"))])
    assert engine.resolve("a").invalidates == ("b.*", "a.*", "b.*")


def test_names_are_remembered_even_those_without_a_policy():
    engine = PolicyEngine([Policy("a")])
    for _ in range(3):
        assert engine.resolve("a") is None
        assert engine.resolve("b") is None
    info = engine.deciding.cache_info()
    assert (info.hits, info.misses) == (4, 2)


def test_the_memory_is_bounded():
    engine = PolicyEngine([Policy("a.*", cache_control=C)])
    for number in range(MEMO + 100):
        assert engine.resolve(f"a.{number}").position == 0
    assert engine.deciding.cache_info().currsize == MEMO


def test_an_absurd_name_has_no_answer():
    with pytest.raises(SegmentLimitError):
        PolicyEngine([Policy("**", cache_control=C)]).resolve("." * 5000)


def test_it_shows_what_it_was_made_of():
    policy = Policy("a")
    engine = PolicyEngine(iter([policy]), D)
    assert (engine.policies, engine.default) == ((policy,), D)
    assert PolicyEngine([]).default is None
    with pytest.raises(AttributeError):
        engine.default = C


def cpu_seconds(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def test_many_policies_resolve_names_far_faster_than_each_is_tried_in_turn():
    """It is some hundred times; `scripts/bench/bench_statesync.py` measures it in full, against regular expressions."""
    shapes = ("ns{0}.get", "ns{0}.admin.**", "ns{0}.*.list", "ns{0}.*")
    patterns = [shapes[at % 4].format(at // 4) for at in range(10_000)]
    names = [f"ns{at % 2778}.act{at}" for at in range(5_000)]
    engine = PolicyEngine(Policy(pattern, cache_control=C) for pattern in patterns)
    few = names[::1000]
    tried: list[int | None] = []

    def in_turn() -> None:
        tried[:] = [next((at for at, pattern in enumerate(patterns) if matches(pattern, name)), None) for name in few]

    theirs = cpu_seconds(in_turn) / len(few)
    ours = cpu_seconds(lambda: [engine.resolve(name) for name in names]) / len(names)
    assert [engine.deciding(name) for name in few] == tried
    assert theirs > 20 * ours
