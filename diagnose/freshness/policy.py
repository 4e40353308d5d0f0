"""What an integrator may choose about the refresh of a catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from diagnose.freshness.poll import Backoff, Polling
from diagnose.wire.paging import Limits

#: After a list that failed: soon, and then as seldom as every five minutes.
RETRY: Final = Backoff(first=1.0, longest=300.0)
#: After a list under which the next signal came: nearly at once, and more patiently where signals do not end.
SETTLE: Final = Backoff(first=0.25, longest=30.0)
LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshPolicy:
    """How a `CatalogueSession` behaves; the defaults suit a client with one user.

    ``while_refreshing``: once a signal has said that the catalogue is old, `hold` lets nobody choose from it until the
    new one is there; `serve` goes on with the last complete one. ``after_failure``: `serve` falls back on the last
    complete one where a refresh has failed, `refuse` fails closed. ``retry`` are the delays after a failure, ``settle``
    those between walks that the next signal overtook. ``max_disturbed`` is how many walks in a row may be thrown away
    because the list changed under them; one more, and the refresh has failed. ``polling`` None: the list is asked for
    when there is a reason, and never just because time went by. ``limits`` are those of a walk.
    """

    while_refreshing: Literal["hold", "serve"] = "hold"
    after_failure: Literal["serve", "refuse"] = "serve"
    retry: Backoff = RETRY
    settle: Backoff = SETTLE
    polling: Polling | None = None
    max_disturbed: int = 3
    limits: Limits = LIMITS
