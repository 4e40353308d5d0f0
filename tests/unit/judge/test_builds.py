"""Which of two versions, commits and times is the older."""

import pytest

from diagnose.judge.builds import before, same_build, version_order


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("0a1b2c3d4e5f", "0a1b2c3d4e5f", True),
        ("0a1b2c3d4e5f", "0a1b2c3", True),
        ("0A1B2C3", "0a1b2c3d4e5f", True),
        (" 0a1b2c3 ", "0a1b2c3", True),
        ("0a1b2c3d4e5f", "0a1b2c4", False),
        ("0a1b2c", "0a1b2c3d4e5f", False),  # six digits are no commit
        ("release-7", "release-7", True),
        ("release-7", "release-70", False),
    ],
)
def test_a_commit_may_be_cut_short(left, right, same):
    assert same_build(left, right) is same
    assert same_build(right, left) is same


@pytest.mark.parametrize(
    ("observed", "expected", "order"),
    [
        ("0.1.9", "0.2.0", "older"),
        ("0.10.0", "0.9.0", "newer"),
        ("v1.2", "1.2.0", "same"),
        ("1.2.3", "1.2.3", "same"),
        ("1.0.0-alpha", "1.0.0", "older"),
        ("1.0.0", "1.0.0rc1", "newer"),
        ("1.0.0-alpha", "1.0.0-beta", "different"),
        ("1.0.0+build.1", "1.0.0+build.2", "different"),
        ("dev", "1.0.0", "different"),
        ("dev", "dev", "same"),
        ("9" * 5000, "1.0", "newer"),
    ],
)
def test_versions_have_an_order_where_their_numbers_tell_it(observed, expected, order):
    assert version_order(observed, expected) == order
    mirror = {"older": "newer", "newer": "older"}.get(order, order)
    assert version_order(expected, observed) == mirror


@pytest.mark.parametrize(
    ("earlier", "later", "answer"),
    [
        ("2026-09-09T08:00:00Z", "2026-09-12T08:00:00Z", True),
        ("2026-09-12T10:00:00+02:00", "2026-09-12T08:00:00Z", False),
        ("2026-09-12", "2026-09-12T00:00:01+00:00", True),
        ("yesterday", "2026-09-12T08:00:00Z", None),
        (None, "2026-09-12T08:00:00Z", None),
    ],
)
def test_times_are_compared_across_zones(earlier, later, answer):
    assert before(earlier, later) is answer
