"""Two surfaces laid side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from diagnose.surface import Change, Relation, difference, relation_of

if TYPE_CHECKING:
    from diagnose.evidence.observation import Observation
    from diagnose.judge.diagnosis import Diagnosis

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


def diagnosis_of(comparison: Comparison, at: str) -> Diagnosis:
    """Return the comparison as a diagnosis, for the formats that show one; it has the exit code of `diff`.

    A change that a caller or a model can see fails it, and so does nothing else.
    """
    from diagnose.evidence.bundle import Bundle, Target
    from diagnose.judge.gate import PAST, Gate, hold

    older, newer = comparison.older, comparison.newer
    transport: Literal["http", "stdio"] = "http" if newer.source.startswith(("http://", "https://")) else "stdio"
    bundle = Bundle(
        created_at=at,
        target=Target(id=newer.source, transport=transport, endpoint=newer.source),
        # As files: two lists of two eras or principals are compared here, for somebody asked for it.
        origin=replace(newer, layer="origin", era=None, principal=None, samples=()),
        baseline=replace(older, era=None, principal=None),
    )
    file = older.source.removeprefix("lock:") if older.source.startswith("lock:") else None
    found = hold(bundle, Gate(fail_on="compatible", checks=PAST, newer=newer.source, file=file))
    observed = tuple(row for row in found.layers if row["observed"])
    return replace(found, layers=observed, verdict=replace(found.verdict, limits=(), next=()))
