"""The arithmetic of trying again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.transport.retry import RetryPolicy, retry_after

NOW = 1_000.0


def test_so_many_attempts_and_no_more():
    policy = RetryPolicy(attempts=3)
    assert [policy.allows(attempt) for attempt in (1, 2, 3, 4)] == [True, True, False, False]


def test_delays_double_within_their_jitter():
    policy = RetryPolicy(first_delay=0.25, factor=2)
    assert [policy.delay(attempt, 1.0) for attempt in (1, 2, 3)] == [0.25, 0.5, 1.0]
    assert [policy.delay(attempt, 0.0) for attempt in (1, 2, 3)] == [0.125, 0.25, 0.5]


def test_what_was_asked_for_is_never_undercut():
    assert RetryPolicy().delay(1, 0.5, asked=7.0) == 7.0
    assert RetryPolicy().delay(1, 1.0, asked=0.0) == 0.25


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("Thu, 01 Jan 1970 00:17:40 GMT", 60.0),
        ("Thursday, 01-Jan-70 00:17:40 GMT", 60.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        (None, None),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("+3", None),
        ("٣", None),
        ("1" * 5000, None),
        ("Thu, 99 Foo 9999 00:00:00 GMT", None),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_or_nothing(value, seconds):
    assert retry_after(value, NOW) == seconds


@given(st.text(max_size=40))
def test_no_header_breaks_it(value):
    seconds = retry_after(value, NOW)
    assert seconds is None or seconds >= 0
