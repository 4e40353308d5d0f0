"""What a catalogue session asks of the one who drives it, and what it tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from diagnose.freshness.catalogue import Catalogue
from diagnose.wire.paging import WalkFailure

#: Why a list is read: the session has just been opened, a signal came, the channel for signals was opened after the list
#: had been read, a reader needs it and it is stale, a poll is due, a person or program asked, or the last try failed.
Reason: TypeAlias = Literal["connected", "signal", "channel", "expired", "poll", "requested", "retry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """Send `tools/list` with the cursor (None: without one) and hand what comes back in, with this ticket."""

    ticket: int
    cursor: str | None

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of the request."""
        return {} if self.cursor is None else {"cursor": self.cursor}


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeAt:
    """Call `wake` at this moment; it takes the place of every earlier such wish. To be called early does no harm."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapped:
    """A new complete catalogue has taken the place of the old one (None: it is the first). They may be equal."""

    old: Catalogue | None
    new: Catalogue
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshFailed:
    """A list could not be read to its end; the next try is at ``retry_at``."""

    failure: WalkFailure
    reason: Reason
    retry_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Disregarded:
    """An answer came to a request that nobody waits for any more: it is older than what has been asked since."""

    ticket: int


Action: TypeAlias = ListPage | WakeAt | Swapped | RefreshFailed | Disregarded
