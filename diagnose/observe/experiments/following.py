"""A client that does as the protocol asks: it reads the list, and again after each signal.

It is what brings out a server that signals because it was asked, or for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from diagnose.evidence.observation import Observation
from diagnose.observe.heard import Heard
from diagnose.observe.held import HeldSession
from diagnose.observe.listing import ListReader

#: So many signals are followed; a storm is known by then.
MAX_FOLLOWED: Final = 6


class Follower:
    """Reads the list over one held session. ``signals`` counts what was heard, ``seen`` is the newest reading."""

    def __init__(self, held: HeldSession, now: Callable[[], str]) -> None:
        self.held = held
        self.signals = 0
        self.seen: Observation | None = None
        self._reader = ListReader(held.session, now=now)
        self._followed = 0

    def read(self) -> Observation:
        """Read the list."""
        self.seen = self._reader.read()
        return self.seen

    def take(self, heard: Heard) -> None:
        """Read the list at once after a signal; in a storm only the first times."""
        if heard.is_signal:
            self.signals += 1
            if self._followed < MAX_FOLLOWED:
                self._followed += 1
                self.read()

    def listen(self, seconds: float) -> None:
        """Follow what is told for so many seconds."""
        for heard in self.held.during(seconds):
            self.take(heard)

    def heard_more_than(self, signals: int, seconds: float) -> bool:
        """Listen until there have been more signals than so many, for so many seconds at most."""
        for heard in () if self.signals > signals else self.held.during(seconds):
            self.take(heard)
            if self.signals > signals:
                break
        return self.signals > signals
