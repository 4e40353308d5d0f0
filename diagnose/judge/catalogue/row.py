"""One row of the catalogue: what a cause means, what shows it, and what to do about it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from diagnose.evidence.observation import LayerName
from diagnose.record import record

Kind: TypeAlias = Literal["cause", "rule"]


@record
class Row:
    """A cause, or a rule that is none (`unreachable` and its like), in the words that a person reads.

    ``state`` is the verdict's; None where a finding of this name leaves the two sides equivalent.
    """

    name: str
    layers: tuple[LayerName, ...]
    state: Literal["stale", "broken"] | None
    meaning: str
    shown: str
    """What shows it, and what sets it apart from its neighbours."""
    remedy: str
    next: tuple[str, ...] = ()
    """Steps for the verdict; templates over `target`, as it is typed, and the commands `again` and `save`, which run
    the main job on it once more, or also store a snapshot."""
    behind: tuple[str, ...] = ()
    """Causes that explain this one away: where one of them has evidence, this is only a note beside it."""
    kind: Kind = "cause"
