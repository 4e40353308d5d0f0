"""How a catalogue session stands at one moment, and whether a caller may choose a tool from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from diagnose.freshness.actions import Reason
from diagnose.freshness.catalogue import Catalogue
from diagnose.freshness.policy import RefreshPolicy
from diagnose.surface import Tool
from diagnose.wire.paging import WalkFailure

#: `empty`: no list was ever read to its end, and none is being read. `fresh`: within the TTL. `watched`: the server gave
#: no TTL, but would have told of a change on an open channel. `stale`: neither; to be read anew when it is needed.
#: `refreshing`: it is being read, or will be in a moment. `failed`: the last try failed. `closed`: the session is over.
State: TypeAlias = Literal["empty", "fresh", "watched", "stale", "refreshing", "failed", "closed"]

Refusal: TypeAlias = Literal[
    "closed", "no-catalogue", "refreshing", "refresh-failed", "unknown-tool", "ambiguous-name", "definition-changed"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a session stands.

    ``catalogue`` is the last complete one, whatever happened since. ``outdated``: a signal or a lost connection says that
    it may be old. ``failure`` is why the last refresh failed, until one succeeds. ``disturbed`` counts the walks in a row
    that the next signal overtook. ``ttl_left`` is in seconds; ``next_at`` is when the session acts by itself, None where
    it does not.
    """

    state: State
    catalogue: Catalogue | None
    outdated: bool
    reason: Reason | None
    failure: WalkFailure | None
    disturbed: int
    ttl_left: float
    next_at: float | None
    signals: int
    refreshes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Whether a caller may choose a tool now.

    If so, ``tool`` is its definition in ``catalogue``, which is to be used for the whole call; ``doubt`` then tells how
    the session stands where the catalogue may be old. If not, ``why`` tells what stands in the way.
    """

    tool: Tool | None = None
    catalogue: Catalogue | None = None
    why: Refusal | None = None
    doubt: State | None = None

    @property
    def allowed(self) -> bool:
        """Whether the tool may be called."""
        return self.tool is not None


def route(status: Status, policy: RefreshPolicy, name: str, held: str | None = None) -> Route:
    """Answer whether a caller may choose the tool of this name; see `CatalogueSession.route`."""
    why = _shut(status, policy)
    if why is not None:
        return Route(why=why)
    assert status.catalogue is not None
    found = status.catalogue.surface.by_name.get(name, ())
    if len(found) != 1:
        return Route(why="ambiguous-name" if found else "unknown-tool")
    if held is not None and held != found[0].digest:
        return Route(why="definition-changed")
    doubt = None if status.state in {"fresh", "watched"} else status.state
    return Route(tool=found[0], catalogue=status.catalogue, doubt=doubt)


def _shut(status: Status, policy: RefreshPolicy) -> Refusal | None:
    """Return why nothing can be chosen at all."""
    if status.state == "closed":
        return "closed"
    if status.catalogue is None:
        return "no-catalogue" if status.failure is None else "refresh-failed"
    if status.failure is not None:
        return "refresh-failed" if policy.after_failure == "refuse" else None
    # Where signals come faster than the list can be read, waiting would never end.
    settling = status.disturbed < 2
    held = policy.while_refreshing == "hold" and status.state == "refreshing" and status.outdated and settling
    return "refreshing" if held else None
