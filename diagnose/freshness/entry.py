"""One cached answer and how long it may be served as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from diagnose.freshness.hints import Hints, read_hints


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """An answer as received, with the times that decide about it.

    All times are seconds of one monotonic clock, whose start does not matter. ``asked`` is when the request went out,
    ``received`` when the answer had come; ``result`` is raw and never to be written to. ``invalidated``: something that
    counts for more than the hints (a notification) has said since that the answer is old.
    """

    result: Mapping[str, Any] = field(repr=False)
    asked: float
    received: float
    hints: Hints
    invalidated: bool = False

    @classmethod
    def of(cls, result: Mapping[str, Any], *, asked: float, received: float) -> CacheEntry:
        """Take up an answer; its hints are read here."""
        return cls(result=result, asked=asked, received=received, hints=read_hints(result))

    @property
    def fresh_until(self) -> float:
        """The first moment at which the answer is stale: its receipt plus `ttlMs`, or its receipt once invalidated."""
        return self.received if self.invalidated else self.received + self.hints.ttl_ms / 1000

    def is_fresh(self, now: float) -> bool:
        """Tell whether the answer may be served without asking again: `now < received + ttlMs`."""
        return now < self.fresh_until

    def ttl_left(self, now: float) -> float:
        """Return for how many seconds more the answer is fresh, 0 or more."""
        return max(0.0, self.fresh_until - now)

    def invalidate(self) -> CacheEntry:
        """Return the same answer as something that is no longer fresh."""
        return replace(self, invalidated=True)
