"""Two surfaces laid side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnose.surface import Change, Relation, difference, relation_of

if TYPE_CHECKING:
    from diagnose.evidence.observation import Observation

#: equal and equivalent surfaces are in sync, different ones are not, and what is unknown was not decided (contract).
_EXIT_CODES: dict[Relation, int] = {"equal": 0, "equivalent": 0, "different": 1, "unknown": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What leads from one surface to another. ``older`` is the side that a caller is taken to hold still."""

    older: Observation
    newer: Observation
    relation: Relation
    changes: tuple[Change, ...]

    @property
    def exit_code(self) -> int:
        """The exit code of `diff`."""
        return _EXIT_CODES[self.relation]


def compare(older: Observation, newer: Observation) -> Comparison:
    """Compare two observations that have a surface each."""
    assert older.surface is not None
    assert newer.surface is not None
    changes = difference(older.surface, newer.surface)
    return Comparison(
        older=older, newer=newer, relation=relation_of(older.surface, newer.surface, changes), changes=changes
    )
