"""Delays: they grow, they differ, and a TTL is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.freshness import Backoff, Polling

CHANCE = st.floats(0, 1, exclude_max=True)


def test_delays_double_up_to_the_longest() -> None:
    backoff = Backoff(first=1, longest=10)
    assert [backoff.delay(turn, 0.0) for turn in range(6)] == [1, 2, 4, 8, 10, 10]


def test_chance_takes_off_its_share() -> None:
    assert Backoff(first=8, longest=8, spread=0.5).delay(0, 0.5) == 6


@given(turn=st.integers(0, 10**9), chance=CHANCE, spread=st.floats(0, 1, exclude_max=True))
def test_every_delay_is_within_its_bounds(turn: int, chance: float, spread: float) -> None:
    delay = Backoff(first=2, longest=60, factor=1.5, spread=spread).delay(turn, chance)
    assert 2 * (1 - spread) <= delay <= 60


@pytest.mark.parametrize(
    "wrong",
    [{"first": 0}, {"first": 9}, {"factor": 0.5}, {"spread": 1}, {"spread": -0.1}, {"first": float("nan")}],
)
def test_delays_that_would_hammer_a_server_cannot_be_made(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="first"):
        Backoff(**{"first": 1, "longest": 5, **wrong})


@given(ttl=st.floats(0, 1e6), quiet=st.integers(0, 50), chance=CHANCE)
def test_a_poll_comes_a_delay_of_our_own_after_the_ttl(ttl: float, quiet: int, chance: float) -> None:
    delays = Backoff(first=30, longest=600)
    due = Polling(delays=delays).due(now=100, fresh_until=100 + ttl, quiet=quiet, chance=chance)
    assert due == 100 + ttl + delays.delay(quiet, chance)
    assert due > 100 + ttl


def test_a_ttl_that_is_over_moves_no_poll() -> None:
    polling = Polling(delays=Backoff(first=30, longest=30, spread=0))
    assert polling.due(now=100, fresh_until=50, quiet=0, chance=0) == 130
