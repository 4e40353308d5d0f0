"""Telling cases apart: when no instance can pass two schemas, and how one schema splits into several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from diagnose.surface.impact.members import member
from diagnose.surface.impact.part import Parts, literal
from diagnose.surface.impact.vocabulary import NUMBERS, TYPES

if TYPE_CHECKING:
    from diagnose.surface.impact.shape import Shape

MAX_CASES = 64
#: How far below a branch its discriminator may lie.
MAX_DISTANCE = 3


class Reader(Protocol):
    """What is asked of the proof."""

    def shape(self, parts: Parts) -> Shape:
        """Read a conjunction."""
        ...

    def step(self) -> bool:
        """Count one piece of work."""
        ...


def disjoint(reader: Reader, left: Parts, right: Parts, distance: int = 0) -> bool:
    """Say whether it is certain that no instance passes both."""
    if distance > MAX_DISTANCE or not reader.step():
        return False
    one, other, both = reader.shape(left), reader.shape(right), reader.shape(left + right)
    if one.never or other.never or both.never:
        return True
    for side, opposite in ((one, right), (other, left)):
        if side.unions and len(side.unions[0].branches) <= MAX_CASES:
            cases = side.unions[0].cases(side.parts)
            return all(disjoint(reader, case, opposite, distance + 1) for case in cases)
    if both.types <= NUMBERS:
        return _apart(both)
    return both.types == {"object"} and any(_clash(reader, one, other, name, distance) for name in both.required)


def cases_of(reader: Reader, parts: Parts) -> list[Parts]:
    """Split a conjunction by value, by type, or by the values of a required property; empty if there is no way."""
    own = reader.shape(parts)
    if own.values is not None:
        kinds = [{"const": value} for value in own.values.values()]
    elif len(own.types) > 1 and not own.types <= NUMBERS:
        kinds = [{"type": name} for name, types in TYPES.items() if types <= own.types and not _inner(name, own)]
    else:
        kinds = _by_property(reader, own)
    if not 1 < len(kinds) <= MAX_CASES:
        return []
    return [parts + literal(kind) for kind in kinds]


def misses_all(reader: Reader, parts: Parts, branches: list[Parts]) -> bool:
    """Say whether each branch requires a property that the barest object of a conjunction does not have."""
    own = reader.shape(parts)
    bare = own.types == {"object"} and own.values is None and not own.unions
    if not bare or own.at_least("minProperties") > len(own.required):
        return False
    return all(reader.shape(branch).required - own.required for branch in branches)


def _inner(name: str, shape: Shape) -> bool:
    """Say whether another type covers this one: an integer is no case of its own where any number will do."""
    return name == "integer" and shape.types >= NUMBERS


def _by_property(reader: Reader, shape: Shape) -> list[dict[str, object]]:
    if shape.types != {"object"}:
        return []
    for name in sorted(shape.required & shape.names):
        values = reader.shape(member(shape, name)).values
        if values is not None and len(values) > 1:
            return [{"properties": {name: {"const": value}}} for value in values.values()]
    return []


def _apart(shape: Shape) -> bool:
    lower, upper = shape.lower, shape.upper
    if lower is None or upper is None:
        return False
    return lower[0] > upper[0] or (lower[0] == upper[0] and (lower[1] or upper[1]))


def _clash(reader: Reader, left: Shape, right: Shape, name: str, distance: int) -> bool:
    """Say whether a property that must be there can satisfy neither side."""
    return disjoint(reader, member(left, name), member(right, name), distance + 1)
