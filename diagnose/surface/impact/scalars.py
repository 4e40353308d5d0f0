"""Rules on types, enumerated values, numbers and strings (2020-12 validation, 6.1 to 6.3)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from diagnose.surface.impact.verdict import Verdict, said
from diagnose.surface.impact.vocabulary import NUMBERS

if TYPE_CHECKING:
    from diagnose.surface.impact.shape import Bound, Shape
    from diagnose.surface.impact.verdict import Prover, View

#: Patterns that every string matches: a pattern is searched for, not anchored (2020-12 core, 6.4).
_ANYTHING = frozenset({"", "^", ".*", "^.*", "(.*)", "^(.*)"})


def types(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `type`."""
    return said(sub.types <= sup.types)


def values(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `enum` and `const`."""
    if sup.values is None:
        return Verdict.FITS
    return said(sub.values is not None and sub.values.keys() <= sup.values.keys())


def lower(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `minimum` and `exclusiveMinimum`."""
    limit = sup.lower
    if limit is None or not sub.types & NUMBERS:
        return Verdict.FITS
    numbers = sub.of_type("integer", "fraction")
    if numbers is not None:
        return said(all(_above(number, limit) for number in numbers))
    own = sub.lower
    return said(own is not None and _within(own, limit, own[0] > limit[0]))


def upper(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `maximum` and `exclusiveMaximum`."""
    limit = sup.upper
    if limit is None or not sub.types & NUMBERS:
        return Verdict.FITS
    numbers = sub.of_type("integer", "fraction")
    if numbers is not None:
        return said(all(number < limit[0] or (number == limit[0] and not limit[1]) for number in numbers))
    own = sub.upper
    return said(own is not None and _within(own, limit, own[0] < limit[0]))


def multiple(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `multipleOf`."""
    if not sup.has("multipleOf") or not sub.types & NUMBERS or sup.multiple is None:
        return Verdict.FITS
    numbers = sub.of_type("integer", "fraction")
    steps = [sub.multiple] if numbers is None else [Fraction(repr(number)) for number in numbers]
    return said(all(step is not None and (step / sup.multiple).denominator == 1 for step in steps))


def shortest(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `minLength`, which counts code points."""
    least = sup.at_least("minLength")
    if "string" not in sub.types or not least:
        return Verdict.FITS
    texts = sub.of_type("string")
    return said(sub.at_least("minLength") >= least if texts is None else all(len(text) >= least for text in texts))


def longest(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `maxLength`."""
    most, own, texts = sup.at_most("maxLength"), sub.at_most("maxLength"), sub.of_type("string")
    if "string" not in sub.types or most is None:
        return Verdict.FITS
    return said(own is not None and own <= most if texts is None else all(len(text) <= most for text in texts))


def pattern(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `pattern`: one that comes to free text fails it; one pattern against another is beyond deciding.

    Expressions are never run: they are the server's, and may be built to take for ever.
    """
    wanted = frozenset(sup.all("pattern")) - _ANYTHING
    if "string" not in sub.types or wanted <= frozenset(sub.all("pattern")):
        return Verdict.FITS
    bound = sub.values is not None or sub.has("format") or frozenset(sub.all("pattern")) - _ANYTHING
    return Verdict.UNKNOWN if bound else Verdict.FAILS


def form(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `format`, which a validator may assert or pass over (2020-12 validation, 7.2): a new one is undecided."""
    if not sub.types & ({"string"} | NUMBERS):
        return Verdict.FITS
    return said(set(sup.all("format")) <= set(sub.all("format")), otherwise=Verdict.UNKNOWN)


def content(prover: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `contentEncoding`, `contentMediaType`, `contentSchema`: another reading of a string is undecided."""
    del prover
    same = all(
        [*map(repr, sub.all(word))] == [*map(repr, sup.all(word))]
        for word in ("contentEncoding", "contentMediaType", "contentSchema")
    )
    return said(same or "string" not in sub.types, otherwise=Verdict.UNKNOWN)


def _above(number: float, limit: Bound) -> bool:
    return number > limit[0] or (number == limit[0] and not limit[1])


def _within(own: Bound, limit: Bound, inside: bool) -> bool:
    return inside or (own[0] == limit[0] and (own[1] or not limit[1]))
