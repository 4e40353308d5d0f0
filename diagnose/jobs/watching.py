"""What a watch tells: one event, and how the catalogue stood at that moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from diagnose.evidence.observation import Era
from diagnose.freshness import Reason, State, Status
from diagnose.observe.heard import ChannelKind
from diagnose.observe.held import HeldSession
from diagnose.surface import Change

#: `connected`: a session was opened. `channel-open`, `channel-closed`, `channel-absent`: how signals can be heard.
#: `signal`: the server says that its list has changed. `listed`: the first list. `changed`, `unchanged`: a later one,
#: against the one before. `failed`: a list could not be read. `lost`: the session has ended. `tick`: nothing, but time has
#: passed. `ended`: the watch is over.
EventKind: TypeAlias = Literal[
    "connected",
    "channel-open",
    "channel-closed",
    "channel-absent",
    "signal",
    "listed",
    "changed",
    "unchanged",
    "failed",
    "lost",
    "tick",
    "ended",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a watched catalogue stands. ``age`` and ``ttl_left`` are in seconds; what is not known yet is None.

    ``age`` counts from when the list had come; ``signals`` and ``refreshes`` from the start of the watch.
    """

    state: State
    era: Era
    protocol_version: str
    channel: ChannelKind
    connected: bool
    listening: bool
    signals: int
    refreshes: int
    changes: int
    revision: str | None = None
    digest: str | None = None
    count: int | None = None
    age: float | None = None
    ttl_left: float | None = None
    outdated: bool = False

    @classmethod
    def of(cls, status: Status, held: HeldSession, *, now: float, changes: int) -> Standing:
        """Take a look at a catalogue and its session."""
        catalogue = status.catalogue
        surface = None if catalogue is None else catalogue.surface
        return cls(
            state=status.state,
            era=held.session.era,
            protocol_version=held.session.protocol_version,
            channel=held.channel,
            connected=held.lost is None,
            listening=held.listening,
            signals=status.signals,
            refreshes=status.refreshes,
            changes=changes,
            revision=None if surface is None else surface.revision,
            digest=None if surface is None else surface.digest,
            count=None if surface is None else surface.count,
            age=None if catalogue is None else max(0.0, now - catalogue.received),
            ttl_left=None if catalogue is None or catalogue.ttl_ms == 0 else status.ttl_left,
            outdated=status.outdated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchEvent:
    """One thing that happened; ``at`` is the wall clock, ``t`` seconds since the start.

    ``reason`` tells why a list was read; ``announced``, of a change, whether the server had signalled it by then.
    ``again_in`` is when it is tried again, ``deaf_for`` how long nothing could have been heard before, both in seconds.
    """

    kind: EventKind
    at: str
    t: float
    standing: Standing
    reason: Reason | None = None
    changes: tuple[Change, ...] = ()
    rule: str | None = None
    why: str = ""
    again_in: float | None = None
    deaf_for: float | None = None
    announced: bool | None = None
