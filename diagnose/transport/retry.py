"""When a request is tried again, and after how long: the rules, without a clock."""

from __future__ import annotations

import email.utils
import re

from diagnose.record import record

RETRIED_STATUSES = frozenset({429, 502, 503, 504})
"""Answers that say the request was not processed, or that somebody on the way gave up: worth a second try."""

_DELAY_SECONDS = re.compile(r"[0-9]{1,9}")


@record
class RetryPolicy:
    """Exponential backoff with jitter. ``attempts`` counts the first one too; delays are seconds."""

    attempts: int = 3
    first_delay: float = 0.25
    factor: float = 2.0

    def allows(self, attempt: int) -> bool:
        """Return whether another attempt may follow the ``attempt``-th (counted from 1)."""
        return attempt < self.attempts

    def delay(self, attempt: int, chance: float, asked: float | None = None) -> float:
        """Return the seconds to wait after the ``attempt``-th attempt.

        ``chance``, from 0 up to 1, spreads clients that failed together over the upper half of the delay. ``asked``, what
        the server asked for, is never undercut.
        """
        backoff = self.first_delay * self.factor ** (attempt - 1)
        jittered = backoff * (0.5 + chance / 2)
        return jittered if asked is None else max(asked, jittered)


def retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3), or None if it says nothing usable.

    ``now`` is the time of day in seconds since the epoch, for the form that gives a date.
    """
    text = (value or "").strip()
    if _DELAY_SECONDS.fullmatch(text):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
        return max(0.0, moment.timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
