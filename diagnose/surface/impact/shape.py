"""What a conjunction of schemas allows, keyword by keyword."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, floor, gcd, lcm
from typing import TYPE_CHECKING, Any, TypeAlias

from diagnose.surface.impact.part import Part, Parts, expand
from diagnose.surface.impact.values import token
from diagnose.surface.impact.vocabulary import ANY_TYPE, NUMBERS, TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

#: (bound, whether the bound itself is excluded)
Bound: TypeAlias = tuple[float, bool]
UNIONS = ("anyOf", "oneOf")
_LISTING = frozenset({"const", "enum", "type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """One `anyOf` or `oneOf`, and the part that it stands in."""

    part: Part
    keyword: str

    @property
    def branches(self) -> list[Parts]:
        """The branches, in order."""
        count = len(self.part.words[self.keyword])
        return [expand((self.part.child(self.keyword, index),)) for index in range(count)]

    @property
    def place(self) -> str:
        """The pointer of the union."""
        return self.part.place(self.keyword)

    def listed(self) -> list[Any] | None:
        """Return the values of a union that only lists values, which makes it another spelling of `enum`."""
        shapes = []
        for branch in self.branches:
            if len(branch) != 1 or not branch[0].words.keys() <= _LISTING or branch[0].malformed or branch[0].remote:
                return None
            shapes.append(shape(branch))
        if any(one.values is None for one in shapes):
            return None
        found = [value for one in shapes for value in (one.values or {}).values()]
        if self.keyword == "anyOf":
            return found
        once = Counter(map(token, found))
        return [value for value in found if once[token(value)] == 1]

    def cases(self, parts: Parts) -> list[Parts]:
        """Return the conjunctions in which one branch stands for the union."""
        base = tuple(part.without(self.keyword) if part.key == self.part.key else part for part in parts)
        return [base + branch for branch in self.branches]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The plain facts of a conjunction. ``values`` is None where they are not enumerated."""

    parts: Parts
    words: frozenset[str]
    never: bool
    types: frozenset[str]
    values: dict[str, Any] | None
    unions: tuple[Union, ...]
    required: frozenset[str]
    names: frozenset[str]

    def all(self, keyword: str) -> Iterator[Any]:
        """Yield every value of a keyword."""
        return (part.words[keyword] for part in self.parts if keyword in part.words)

    def has(self, *keywords: str) -> bool:
        """Say whether one of the keywords is used."""
        return any(keyword in part.words for part in self.parts for keyword in keywords)

    def of_type(self, *types: str) -> list[Any] | None:
        """Return the enumerated values of some types, or None where values are not enumerated."""
        return None if self.values is None else [v for v in self.values.values() if type_of(v) in types]

    @property
    def lower(self) -> Bound | None:
        """The greatest lower bound of numbers; whole where only integers are allowed."""
        bounds = [(bound, False) for bound in self.all("minimum")] + [(b, True) for b in self.all("exclusiveMinimum")]
        if not bounds:
            return None
        bound, excluded = max(bounds)
        if self.types & NUMBERS == {"integer"}:
            return (floor(bound) + 1 if excluded else ceil(bound)), False
        return bound, excluded

    @property
    def upper(self) -> Bound | None:
        """The least upper bound of numbers; whole where only integers are allowed."""
        bounds = [(bound, True) for bound in self.all("maximum")] + [(b, False) for b in self.all("exclusiveMaximum")]
        if not bounds:
            return None
        bound, included = min(bounds)
        if self.types & NUMBERS == {"integer"}:
            return (floor(bound) if included else ceil(bound) - 1), False
        return bound, not included

    @property
    def multiple(self) -> Fraction | None:
        """What every number is a multiple of. Decimal text counts: 0.1 is one tenth."""
        steps = [Fraction(repr(step)) for step in self.all("multipleOf")]
        if self.types & NUMBERS == {"integer"}:
            steps.append(Fraction(1))
        return reduce(_common, steps) if steps else None

    def at_least(self, keyword: str) -> int:
        """Return the greatest value of a `min...` keyword."""
        return int(max(self.all(keyword), default=0))

    def at_most(self, keyword: str) -> int | None:
        """Return the least value of a `max...` keyword."""
        least = min(self.all(keyword), default=None)
        return None if least is None else int(least)


def shape(parts: Parts) -> Shape:
    """Read a conjunction."""
    types = reduce(frozenset.__and__, (_types(part.words["type"]) for part in parts if "type" in part.words), ANY_TYPE)
    if any(step == int(step) for part in parts for step in [part.words.get("multipleOf", 0.5)]):
        types -= {"fraction"}
    unions = [Union(part=part, keyword=word) for part in parts for word in UNIONS if word in part.words]
    lists = [union.listed() for union in unions]
    values = _values(parts, types, [values for values in lists if values is not None])
    if values is not None:
        types = frozenset(type_of(value) for value in values.values())
    return Shape(
        parts=parts,
        words=frozenset(word for part in parts for word in part.words),
        never=any(part.never for part in parts) or not types,
        types=types,
        values=values,
        unions=tuple(union for union, values in zip(unions, lists, strict=True) if values is None),
        required=frozenset(name for part in parts for name in part.words.get("required", ())),
        names=frozenset(name for part in parts for name in part.words.get("properties", ())),
    )


def type_of(value: Any) -> str:
    """Return the primitive type of a JSON value; 1.0 is an integer (2020-12 core, 4.2.3)."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) or value.is_integer() else "fraction"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _types(named: Any) -> frozenset[str]:
    return frozenset().union(*(TYPES[name] for name in ([named] if isinstance(named, str) else named)))


def _values(parts: Parts, types: frozenset[str], listed: list[list[Any]]) -> dict[str, Any] | None:
    lists = listed + [part.words["enum"] for part in parts if "enum" in part.words]
    lists += [[part.words["const"]] for part in parts if "const" in part.words]
    if not lists and types <= {"null", "boolean"}:
        lists = [[None, False, True]]
    if not lists:
        return None
    found = [{token(value): value for value in values if type_of(value) in types} for values in lists]
    shared = reduce(frozenset.__and__, map(frozenset, found))
    return {key: value for key, value in found[0].items() if key in shared}


def _common(left: Fraction, right: Fraction) -> Fraction:
    """Return the least common multiple of two steps."""
    return Fraction(lcm(left.numerator, right.numerator), gcd(left.denominator, right.denominator))
