"""How long something may take, counted on a clock that nobody sets back."""

from __future__ import annotations

import time
from collections.abc import Callable

from diagnose.errors import ObservationError


class Deadline:
    """The moment by which a whole piece of work must be done.

    ``seconds`` counts from now, on ``clock`` (seconds; monotonic unless a test brings its own).
    """

    __slots__ = ("_clock", "_end", "_whole", "seconds")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._whole: Deadline | None = None
        self._end = clock() + seconds

    def remaining(self) -> float:
        """Return the seconds that are left, 0.0 once the moment has come."""
        return max(0.0, self._end - self._clock())

    @property
    def expired(self) -> bool:
        """Whether the moment has come."""
        return self.remaining() <= 0.0

    def bound(self, timeout: float) -> float:
        """Return ``timeout`` seconds, or what is left if that is less."""
        return min(timeout, self.remaining())

    def within(self, timeout: float) -> Deadline:
        """Return a deadline on the same clock that ends after ``timeout`` seconds, and never after this one."""
        part = Deadline(self.bound(timeout), self._clock)
        part._whole = self
        return part

    def check(self, what: str) -> None:
        """Raise ObservationError (`timed-out`) if the moment has come; ``what`` names what was being done.

        Of a part it says whether only its own time was up (`stage` is then `timeout`), or that of the whole.
        """
        if self._whole is not None:
            self._whole.check(what)
        if self.expired and self._whole is not None:
            raise ObservationError(
                f"The {round(self.seconds, 2):g} s that one request may take were over while {what}.",
                rule="timed-out",
                advice="Ask again, or give each request more time with --timeout SECONDS.",
                stage="timeout",
                seconds=self.seconds,
            )
        if self.expired:
            raise ObservationError(
                f"The deadline of {self.seconds:g} s came while {what}.",
                rule="timed-out",
                advice="Give the command more time with --deadline SECONDS.",
                stage="deadline",
                seconds=self.seconds,
            )
