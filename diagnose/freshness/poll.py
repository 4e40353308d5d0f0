"""How long to wait before asking again: delays that grow and that no two clients share. Chance is an argument."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Delays in seconds: ``first``, then ``factor`` times longer at each turn, up to ``longest``.

    ``spread`` is the share of a delay that is left to chance: with 0.5 it falls anywhere between half of it and all of
    it. MCP 2026-07-28, server/utilities/caching: who polls MUST apply jitter and back-off.
    """

    first: float
    longest: float
    factor: float = 2.0
    spread: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.first <= self.longest or self.factor < 1 or not 0 <= self.spread < 1:
            raise ValueError(f"expected 0 < first <= longest, factor >= 1 and 0 <= spread < 1, got {self}")

    def delay(self, turn: int, chance: float) -> float:
        """Return the delay before a turn, 0 being the first; ``chance`` is a random number from 0 to below 1."""
        whole = self.first
        for _ in range(turn):
            # Not a power: that overflows once a server has been away for long.
            whole *= self.factor
            if whole >= self.longest or self.factor == 1:
                break
        return min(whole, self.longest) * (1 - self.spread * chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Polling:
    """When a list that nobody has called old is asked for again.

    The delays are of the client's own choosing. A TTL never is the interval: it only holds a poll back, and the delay
    begins when it has ended. With ``within_ttl`` it is not even that, for who wants to know whether the hint is true.
    """

    delays: Backoff
    within_ttl: bool = False

    def due(self, *, now: float, fresh_until: float, quiet: int, chance: float) -> float:
        """Return the moment of the next poll. ``quiet`` counts the polls since the last one that brought something."""
        start = now if self.within_ttl else max(now, fresh_until)
        return start + self.delays.delay(quiet, chance)
