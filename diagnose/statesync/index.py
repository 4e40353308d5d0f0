"""Many patterns at once: a tree of their segments, in which a name meets only those that begin as it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from diagnose.statesync.globs import MANY, ONE, segments_of


class Node:
    """A place in the tree: the patterns that begin with the segments on the way to it.

    ``literal``, ``one`` and ``many`` lead on by a word, by `*` and by `**`; ``open`` is a place behind a `**`, where any
    segment may be passed over. ``positions`` are those of the patterns that end here, in their order, and ``lowest`` is
    the smallest of all that go through here.
    """

    __slots__ = ("literal", "lowest", "many", "one", "open", "positions")

    def __init__(self, lowest: int, *, is_open: bool = False) -> None:
        self.literal: dict[str, Node] = {}
        self.one: Node | None = None
        self.many: Node | None = None
        self.open = is_open
        self.positions: list[int] = []
        self.lowest = lowest

    def grow(self, segment: str, position: int) -> Node:
        """Return the place that one segment of a new pattern leads to."""
        if segment == MANY:
            if self.open:
                # `**.**` is `**`.
                return self
            self.many = self.many or Node(position, is_open=True)
            return self.many
        if segment == ONE:
            self.one = self.one or Node(position)
            return self.one
        return self.literal.setdefault(segment, Node(position))


class GlobIndex:
    """Patterns by their position in a list. Raises SegmentLimitError for one that is too long."""

    __slots__ = ("_root", "_segments")

    def __init__(self, patterns: Iterable[str]) -> None:
        self._root = Node(0)
        self._segments: set[str] = set()
        for position, pattern in enumerate(patterns):
            node = self._root
            for segment in segments_of(pattern):
                node = node.grow(segment, position)
                self._segments.add(segment)
            node.positions.append(position)

    def first(self, name: str) -> int | None:
        """Return the position of the first pattern that a name fits, or None. Raises SegmentLimitError."""
        return first_of(self._reached(name))

    def every(self, name: str) -> set[int]:
        """Return the positions of all patterns that a name fits. Raises SegmentLimitError."""
        return {position for node in self._reached(name) for position in node.positions}

    def start(self) -> AbstractSet[Node]:
        """Return the places before the first segment of a name."""
        return set(_with_many(self._root))

    def unused(self) -> str:
        """Return a segment that stands in none of the patterns, so that only wildcards take it."""
        word, number = "any", 1
        while word in self._segments:
            number += 1
            word = f"any{number}"
        return word

    def _reached(self, name: str) -> AbstractSet[Node]:
        nodes = self.start()
        for segment in segments_of(name):
            nodes = step(nodes, segment)
            if not nodes:
                break
        return nodes


def step(nodes: AbstractSet[Node], segment: str) -> AbstractSet[Node]:
    """Return the places that one more segment of a name leads to: no more than the tree has, so nothing blows up."""
    reached: set[Node] = set()
    for node in nodes:
        if node.open:
            reached.add(node)
        following = node.literal.get(segment)
        if following is not None:
            reached.update(_with_many(following))
        if node.one is not None:
            reached.update(_with_many(node.one))
    return reached


def step_any(node: Node) -> AbstractSet[Node]:
    """Return the places that one more segment of any name could lead to from one place."""
    reached = {node} if node.open else set()
    for following in (*node.literal.values(), node.one):
        if following is not None:
            reached.update(_with_many(following))
    return reached


def first_of(nodes: Iterable[Node]) -> int | None:
    """Return the smallest position of the patterns that end at one of the places."""
    return min((node.positions[0] for node in nodes if node.positions), default=None)


def _with_many(node: Node) -> Iterator[Node]:
    """Yield a place, and the one behind a `**` that follows it, for that may stand for nothing."""
    yield node
    if node.many is not None:
        yield node.many
