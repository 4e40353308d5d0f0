"""What several patterns have in common, and what is left of that once other patterns have had the first word. Exact."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from diagnose.statesync.globs import MANY, ONE, SegmentLimitError, segments_of
from diagnose.statesync.index import GlobIndex, Node, first_of, step, step_any

#: So many states are looked at for one question. Patterns of real policies need a few dozen; hostile ones, with a `**`
#: at every turn, could need more than anybody would wait for.
MAX_STATES: Final = 100_000

#: How far each pattern is used up, and where the same name stands in the index.
_State: TypeAlias = tuple[tuple[int, ...], frozenset[Node], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainder:
    """What of some patterns' common names is left, once others were served.

    ``example`` is such a name, or None; then ``taken_by`` are the positions of those who take all of them together, and
    it is empty if the patterns have no name in common.
    """

    example: str | None = None
    taken_by: tuple[int, ...] = ()


def covers(general: str, special: str) -> bool:
    """Tell whether every name that fits the one pattern fits the other. Raises SegmentLimitError."""
    return remainder([special], GlobIndex([general]), 1).example is None


def common_name(one: str, other: str) -> str | None:
    """Return a name that fits both patterns, or None if there is none. Raises SegmentLimitError."""
    return remainder([one, other], GlobIndex(()), 0).example


def meeting(pattern: str, index: GlobIndex, before: int) -> set[int]:
    """Return the positions, below ``before``, of the patterns that have a name in common with this one.

    Raises SegmentLimitError.
    """
    part = segments_of(pattern)
    found: set[int] = set()
    waiting = [(0, node) for node in index.start()]
    seen = set(waiting)
    while waiting:
        at, node = waiting.pop()
        if _may_end(part, at):
            found.update(position for position in node.positions if position < before)
        for word, further in _ways(part, at):
            reached = step_any(node) if word is None else step({node}, word)
            new = {(further, following) for following in reached if following.lowest < before} - seen
            seen |= new
            waiting.extend(new)
    return found


def remainder(patterns: Sequence[str], index: GlobIndex, before: int) -> Remainder:
    """Return what is left of the names that fit all of ``patterns``, when those before a position are served first.

    It is enough to try, for a wildcard, one segment that no pattern names: any other can only fit more of the others.
    Raises SegmentLimitError if there are too many ways to try.
    """
    parts = [segments_of(pattern) for pattern in patterns]
    unused = index.unused()
    start: _State = (tuple(0 for _ in parts), frozenset(index.start()), False)
    names: dict[_State, str] = {start: ""}
    takers: set[int] = set()
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        for following, segment in _onward(state, parts, unused, before):
            if following in names:
                continue
            if len(names) >= MAX_STATES:
                raise SegmentLimitError(f"expected an answer within {MAX_STATES} states", patterns=tuple(patterns))
            names[following] = f"{names[state]}.{segment}" if state[2] else segment
            waiting.append(following)
            if all(_may_end(part, at) for part, at in zip(parts, following[0], strict=True)):
                first = first_of(following[1])
                if first is None or first >= before:
                    return Remainder(example=names[following])
                takers.add(first)
    return Remainder(taken_by=tuple(sorted(takers)))


def _onward(state: _State, parts: Sequence[list[str]], unused: str, before: int) -> Iterator[tuple[_State, str]]:
    """Yield where one more segment, the same for all patterns, leads."""
    places, nodes, _ = state
    for ways in product(*(_ways(part, at) for part, at in zip(parts, places, strict=True))):
        words = {word for word, _ in ways if word is not None}
        if len(words) <= 1:
            segment = next(iter(words), unused)
            reached = frozenset(node for node in step(nodes, segment) if node.lowest < before)
            yield (tuple(at for _, at in ways), reached, True), segment


def _ways(part: list[str], at: int) -> Iterator[tuple[str | None, int]]:
    """Yield what a pattern may take next, a word or (None) anything, and how far it is used up then."""
    while at < len(part) and part[at] == MANY:
        yield None, at
        at += 1
    if at < len(part):
        yield (None if part[at] == ONE else part[at]), at + 1


def _may_end(part: list[str], at: int) -> bool:
    return all(segment == MANY for segment in part[at:])
