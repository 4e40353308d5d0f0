"""Rules on what is compared word for word, because more cannot be said: conditions, negations, what is elsewhere.

Each answers `FITS` where ``sup`` does not use the keyword, or uses it exactly as ``sub`` does, and else `UNKNOWN`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.surface.impact.part import expand
from diagnose.surface.impact.verdict import Verdict, said

if TYPE_CHECKING:
    from diagnose.surface.impact.part import Part, Parts
    from diagnose.surface.impact.shape import Shape
    from diagnose.surface.impact.verdict import Prover, View


def condition(prover: Prover, sub: Shape, sup: Shape, _: View) -> Verdict:
    """Judge `if`, `then` and `else`, which only count together."""
    own, wanted = ([_condition(part) for part in side.parts if _conditional(part)] for side in (sub, sup))
    known = all(any(_alike(prover, one, other) for other in own) for one in wanted)
    return said(known, otherwise=Verdict.UNKNOWN)


def negation(prover: Prover, sub: Shape, sup: Shape, _: View) -> Verdict:
    """Judge `not`."""
    own, wanted = ([expand((part.child("not"),)) for part in side.parts if "not" in part.words] for side in (sub, sup))
    known = all(any(prover.alike(one, other) for other in own) for one in wanted)
    return said(known, otherwise=Verdict.UNKNOWN)


def unevaluated(prover: Prover, sub: Shape, sup: Shape, _: View) -> Verdict:
    """Judge `unevaluatedProperties` and `unevaluatedItems` where what they see depends on the instance."""
    hidden = any(_hidden(part) for part in sup.parts)
    return said(not hidden or prover.alike(sub.parts, sup.parts), otherwise=Verdict.UNKNOWN)


def nullable(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `nullable`, OpenAPI's word: JSON Schema passes it over, a server built on OpenAPI does not."""
    lost = any(sub.all("nullable")) and not any(sup.all("nullable")) and "null" not in sup.types
    return said(not lost, otherwise=Verdict.UNKNOWN)


def elsewhere(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge references out of the document, which are never fetched, and those that lead nowhere."""
    own, wanted = (frozenset[str]().union(*(part.remote for part in side.parts)) for side in (sub, sup))
    return said(wanted <= own, otherwise=Verdict.UNKNOWN)


def malformed(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge keywords whose value is not what the keyword takes."""
    own, wanted = (frozenset[tuple[str, str]]().union(*(p.malformed for p in side.parts)) for side in (sub, sup))
    return said(own == wanted, otherwise=Verdict.UNKNOWN)


def _hidden(part: Part) -> bool:
    properties = "unevaluatedProperties" in part.words and "additionalProperties" not in part.words
    return (properties and part.sealed is None) or "unevaluatedItems" in part.words


def _conditional(part: Part) -> bool:
    return "if" in part.words and bool({"then", "else"} & part.words.keys())


def _condition(part: Part) -> dict[str, Parts]:
    return {word: expand((part.child(word),)) for word in ("if", "then", "else") if word in part.words}


def _alike(prover: Prover, left: dict[str, Parts], right: dict[str, Parts]) -> bool:
    return left.keys() == right.keys() and all(prover.alike(left[word], right[word]) for word in left)
