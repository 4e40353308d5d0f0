"""A deadline counts down on its clock and never below nothing."""

from __future__ import annotations

import pytest

from diagnose.errors import ObservationError
from diagnose.transport.deadline import Deadline


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_it_counts_down_to_zero():
    clock = Clock()
    deadline = Deadline(5, clock)
    assert (deadline.remaining(), deadline.expired) == (5, False)
    clock.now += 4
    assert (deadline.bound(10), deadline.bound(0.5)) == (1, 0.5)
    deadline.check("reading")
    clock.now += 7
    assert (deadline.remaining(), deadline.expired, deadline.bound(1)) == (0, True, 0)


def test_its_end_is_an_error_that_says_what_was_being_done():
    clock = Clock()
    deadline = Deadline(2.5, clock)
    clock.now += 2.5
    with pytest.raises(ObservationError) as caught:
        deadline.check("reading page 3")
    assert str(caught.value) == "The deadline of 2.5 s came while reading page 3."
    assert caught.value.rule == "timed-out"
    assert "--deadline" in caught.value.diagnostics()


def test_a_part_of_it_ends_no_later():
    clock = Clock()
    whole = Deadline(5, clock)
    assert whole.within(2).seconds == 2
    part = whole.within(60)
    assert part.seconds == 5
    clock.now += 5
    assert part.expired
    with pytest.raises(ObservationError, match="The deadline of 5 s came while reading"):
        part.check("reading")


def test_a_part_says_whose_time_was_up():
    clock = Clock()
    part = Deadline(5, clock).within(4).within(2)
    clock.now += 2
    with pytest.raises(ObservationError, match="The 2 s that one request may take were over while reading") as caught:
        part.check("reading")
    assert "--timeout" in caught.value.diagnostics()
    assert caught.value.args_by_name["stage"] == "timeout"
