"""A list that stays small however much is put on it: of a long session the beginning and the newest are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

#: So much is kept of each kind of thing that one session did; a client that polls for a year must not fill the memory.
MOST = 500


class Shelf(Generic[T]):
    """Keeps what came first and, in the last place, what came last; ``total`` counts all of it."""

    __slots__ = ("_kept", "_most", "total")

    def __init__(self, most: int = MOST) -> None:
        self._kept: list[T] = []
        self._most = most
        self.total = 0

    def put(self, thing: T) -> T:
        """Put a thing on the shelf and return it; on a full shelf it takes the place of the newest."""
        self.total += 1
        if len(self._kept) < self._most:
            self._kept.append(thing)
        else:
            self._kept[-1] = thing
        return thing

    @property
    def newest(self) -> T | None:
        """What was put last."""
        return self._kept[-1] if self._kept else None

    @property
    def dropped(self) -> int:
        """How many are no longer here."""
        return self.total - len(self._kept)

    def __iter__(self) -> Iterator[T]:
        """Yield what is kept, oldest first."""
        return iter(self._kept)

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._kept)
