"""Several complete walks of one list: whether they agree, and what it means where they do not (`causes.md`, Walks)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from diagnose.evidence.observation import Observation
from diagnose.record import record
from diagnose.surface import Surface, relation

Pattern: TypeAlias = Literal["none", "single", "steady", "changed", "skew", "frozen", "connection", "open"]
"""`steady` A, A; `changed` A, B, B; `skew` A, B, A; `frozen`: an old session keeps what a new one no longer gets;
`connection`: every session keeps to a list of its own, and they do not follow one another as a list that changes does;
`open`: the last two differ and nothing shows why."""


@record
class Walks:
    """The complete walks of one era and one principal, oldest first.

    ``lists`` numbers the lists in the order in which they first came: A, B, A is (0, 1, 0).
    """

    walks: tuple[Observation, ...]
    lists: tuple[int, ...]
    others: tuple[Observation, ...] = ()
    """Complete walks of another era or principal; these are not compared with the ones above."""

    @classmethod
    def of(cls, observation: Observation | None) -> Walks:
        """Group the samples of an observation; the group is that of its latest complete walk."""
        if observation is None:
            return cls(walks=(), lists=())
        complete = [walk for walk in (observation.samples or (observation,)) if surface_of(walk) is not None]
        if not complete:
            return cls(walks=(), lists=())
        kind = (complete[-1].era, complete[-1].principal)
        own = tuple(walk for walk in complete if (walk.era, walk.principal) == kind)
        others = tuple(walk for walk in complete if (walk.era, walk.principal) != kind)
        return cls(walks=own, lists=_numbered([walk.surface for walk in own if walk.surface]), others=others)

    @property
    def pattern(self) -> Pattern:
        """What these walks show together."""
        if len(self.walks) < 2:
            return "single" if self.walks else "none"
        if len(set(self.lists)) == 1:
            return "steady"
        if self._by_connection():
            return "connection"
        if _returns(self.lists):
            return "frozen" if self._frozen() else "skew"
        return "changed" if self.lists[-1] == self.lists[-2] else "open"

    def walk_of(self, number: int) -> Observation:
        """Return the first walk that brought a list, by the list's number."""
        return self.walks[self.lists.index(number)]

    def _by_connection(self) -> bool:
        """Tell whether two sessions at least were read again and brought their own list again, in no order of time."""
        held: dict[str, list[int]] = {}
        for walk, number in zip(self.walks, self.lists, strict=True):
            held.setdefault(walk.session or "", []).append(number)
        again = {numbers[0] for numbers in held.values() if len(numbers) > 1}
        order = [numbers[0] for numbers in held.values()]
        own = "" not in held and all(len(set(numbers)) == 1 for numbers in held.values())
        return own and len(again) > 1 and len(held) > 2 and (_returns(order) or len(set(order)) > 2)

    def _frozen(self) -> bool:
        """Tell whether each session keeps to one list, and later sessions only ever get later lists."""
        first: dict[str, int] = {}
        for walk, number in zip(self.walks, self.lists, strict=True):
            if walk.session is None or first.setdefault(walk.session, number) != number:
                return False
        order = tuple(first.values())
        return len(first) < len(self.walks) and not _returns(order)


def surface_of(walk: Observation | None) -> Surface | None:
    """Return the surface of a walk that was read to its end, else None."""
    return walk.surface if walk is not None and walk.complete else None


def same_list(left: Surface, right: Surface) -> bool:
    """Tell whether two walks brought one list; what is equivalent, or cannot be told apart, counts as one."""
    return relation(left, right) != "different"


def same_order(left: Surface, right: Surface) -> bool:
    """Tell whether two lists give their names in one order."""
    return tuple(tool.name for tool in left.tools) == tuple(tool.name for tool in right.tools)


def _numbered(surfaces: Sequence[Surface]) -> tuple[int, ...]:
    kinds: list[Surface] = []
    numbers: list[int] = []
    for surface in surfaces:
        known = next((index for index, kind in enumerate(kinds) if same_list(kind, surface)), None)
        if known is None:
            kinds.append(surface)
        numbers.append(len(kinds) - 1 if known is None else known)
    return tuple(numbers)


def _returns(numbers: Sequence[int]) -> bool:
    """Tell whether a list comes again after another one: never in a list that only changes."""
    return any(later < earlier for earlier, later in pairwise(numbers))
