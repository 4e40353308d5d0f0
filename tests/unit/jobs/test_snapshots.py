"""Ages and numbers are read strictly: what they decide is what will be removed."""

from __future__ import annotations

import pytest

from diagnose.errors import UsageError
from diagnose.jobs.snapshots import kept_number, moment_before

NOW = "2026-11-30T12:00:00.123Z"


@pytest.mark.parametrize(
    ("age", "moment"),
    [
        ("0s", "2026-11-30T12:00:00.123Z"),
        ("90s", "2026-11-30T11:58:30.123Z"),
        ("5m", "2026-11-30T11:55:00.123Z"),
        ("12h", "2026-11-30T00:00:00.123Z"),
        ("30d", "2026-10-31T12:00:00.123Z"),
        ("2w", "2026-11-16T12:00:00.123Z"),
        ("999999w", "0001-01-01T00:00:00.000Z"),
    ],
)
def test_an_age_is_counted_back_from_now(age: str, moment: str) -> None:
    assert moment_before(age, NOW) == moment


@pytest.mark.parametrize("age", ["", "30", "d", "-1d", "1.5d", "30 d", "30days", "1y", "1000000d", "٣d"])
def test_what_is_no_age_is_refused(age: str) -> None:
    with pytest.raises(UsageError, match="--older-than takes"):
        moment_before(age, NOW)


def test_a_number_to_keep_is_a_number() -> None:
    assert kept_number("0") == 0
    for text in ("", "-1", "1.0", "all", "٣"):
        with pytest.raises(UsageError, match="--keep takes"):
            kept_number(text)
