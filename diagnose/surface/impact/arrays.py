"""Rules on arrays (2020-12 validation, 6.4; core, 10.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.surface.impact.members import item, prefix
from diagnose.surface.impact.part import expand
from diagnose.surface.impact.values import token
from diagnose.surface.impact.verdict import Verdict, said

if TYPE_CHECKING:
    from diagnose.surface.impact.part import Parts
    from diagnose.surface.impact.shape import Shape
    from diagnose.surface.impact.verdict import Prover, View


def fewest(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `minItems`."""
    least, lists = sup.at_least("minItems"), sub.of_type("array")
    if "array" not in sub.types or not least:
        return Verdict.FITS
    return said(sub.at_least("minItems") >= least if lists is None else all(len(one) >= least for one in lists))


def most(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `maxItems`; a closed tuple has an end as well."""
    limit, own, lists = sup.at_most("maxItems"), longest(sub), sub.of_type("array")
    if "array" not in sub.types or limit is None:
        return Verdict.FITS
    return said(own is not None and own <= limit if lists is None else all(len(one) <= limit for one in lists))


def unique(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `uniqueItems`."""
    if "array" not in sub.types or not any(sup.all("uniqueItems")):
        return Verdict.FITS
    lists = sub.of_type("array")
    if lists is not None:
        return said(all(_distinct(one) for one in lists))
    own = longest(sub)
    return said(any(sub.all("uniqueItems")) or (own is not None and own < 2))


def items(prover: Prover, sub: Shape, sup: Shape, view: View) -> Verdict:
    """Judge `items` and `prefixItems`, place by place as far as arrays can reach."""
    if "array" not in sub.types or not sup.has("items", "prefixItems"):
        return Verdict.FITS
    if sub.values is not None:
        return said(not sub.of_type("array"), otherwise=Verdict.UNKNOWN)
    reach, verdict = longest(sub), Verdict.FITS
    for index in range(max(prefix(sub), prefix(sup)) + 1):
        if reach is not None and index >= reach:
            break
        verdict = max(verdict, prover.fits(item(sub, index), item(sup, index), view))
    return verdict


def contains(prover: Prover, sub: Shape, sup: Shape, _: View) -> Verdict:
    """Judge `contains` with its bounds.

    The empty array holds nothing that could be looked for. Beyond that, what is looked for must be the same on both
    sides, else it is undecided.
    """
    idle = not _least_contained(sup) and sup.at_most("maxContains") is None
    if "array" not in sub.types or not sup.has("contains") or idle:
        return Verdict.FITS
    if sub.values is None and _takes_empty(sub) and _least_contained(sup):
        return Verdict.FAILS
    if len(sub.parts) > 1 or len(sup.parts) > 1 or not sub.has("contains"):
        return said(prover.alike(sub.parts, sup.parts), otherwise=Verdict.UNKNOWN)
    own, other = _contained(sub), _contained(sup)
    if not prover.alike(own[0], other[0]):
        return Verdict.UNKNOWN
    ends = other[2] is None or (own[2] is not None and own[2] <= other[2])
    return said(own[1] >= other[1] and ends)


def longest(shape: Shape) -> int | None:
    """Return how long an array may be, None if there is no end."""
    closed = [index for index in range(prefix(shape) + 1) if any(part.never for part in item(shape, index))]
    limit = shape.at_most("maxItems")
    bounds = closed[:1] if limit is None else [limit, *closed[:1]]
    return min(bounds, default=None)


def _takes_empty(shape: Shape) -> bool:
    return not shape.at_least("minItems") and not _least_contained(shape)


def _least_contained(shape: Shape) -> int:
    return max((int(part.words.get("minContains", 1)) for part in shape.parts if "contains" in part.words), default=0)


def _contained(shape: Shape) -> tuple[Parts, int, int | None]:
    (part,) = (part for part in shape.parts if "contains" in part.words)
    return expand((part.child("contains"),)), _least_contained(shape), shape.at_most("maxContains")


def _distinct(values: list[Any]) -> bool:
    return len({token(value) for value in values}) == len(values)
