"""Times as documents state them."""

import pytest

from diagnose.judge.clock import moment, stamped


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026-11-30T11:22:33.123Z", "2026-11-30T11:22:33.123Z"),
        ("2026-11-30T11:22:33Z", "2026-11-30T11:22:33.000Z"),
        ("2026-11-30T12:22:33.5+01:00", "2026-11-30T11:22:33.500Z"),
        ("2026-11-30", "2026-11-30T00:00:00.000Z"),
        ("0001-01-01T00:00:00+14:00", "1970-01-01T00:00:00.000Z"),
        ("yesterday", "1970-01-01T00:00:00.000Z"),
        ("", "1970-01-01T00:00:00.000Z"),
    ],
)
def test_a_time_is_written_in_one_way(text, stamp):
    assert stamped(text) == stamp
    assert moment(stamp) is not None
