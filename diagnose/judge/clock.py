"""Times as texts: ISO 8601, as evidence states them. No clock is read here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def moment(text: str | None) -> datetime | None:
    """Return the time that a text states, None for no time. One without a zone is UTC."""
    try:
        stated = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return stated if stated.tzinfo is not None else stated.replace(tzinfo=UTC)


def stamped(text: str) -> str:
    """Return a time as our documents write it: UTC, milliseconds, `Z`. A text that is no time is the epoch."""
    stated = moment(text) or datetime.fromtimestamp(0, UTC)
    try:
        return stated.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except OverflowError:
        return stamped("")


def seconds_after(start: str | None, text: str | None) -> float | None:
    """Return how many seconds a stated time lies after another; None where either is no time."""
    begun, stated = moment(start), moment(text)
    return None if begun is None or stated is None else (stated - begun).total_seconds()


def told_after(start: str | None, seconds: float) -> str | None:
    """Return the time so many seconds after a stated one, in ISO 8601 and UTC; None where that is no time."""
    begun = moment(start)
    try:
        later = None if begun is None else begun + timedelta(seconds=seconds)
    except OverflowError:
        return None
    return None if later is None else later.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
