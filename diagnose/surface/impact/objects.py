"""Rules on objects (2020-12 validation, 6.5; core, 10.3.2), and what this program holds a property to promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.surface.impact.members import member, others, patterns
from diagnose.surface.impact.part import expand, literal
from diagnose.surface.impact.verdict import Verdict, said
from diagnose.surface.impact.vocabulary import ANY_TYPE

if TYPE_CHECKING:
    from diagnose.surface.impact.document import Node
    from diagnose.surface.impact.part import Parts
    from diagnose.surface.impact.shape import Shape
    from diagnose.surface.impact.verdict import Prover, View


def required(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `required`."""
    if "object" not in sub.types:
        return Verdict.FITS
    objects = sub.of_type("object")
    if objects is not None:
        return said(all(sup.required <= one.keys() for one in objects))
    return said(sup.required <= sub.required)


def fewest(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `minProperties`; required properties count."""
    least, objects = sup.at_least("minProperties"), sub.of_type("object")
    if "object" not in sub.types or not least:
        return Verdict.FITS
    own = max(sub.at_least("minProperties"), len(sub.required))
    return said(own >= least if objects is None else all(len(one) >= least for one in objects))


def most(_: Prover, sub: Shape, sup: Shape, __: View) -> Verdict:
    """Judge `maxProperties`; an object that is closed has an end as well."""
    limit, own, objects = sup.at_most("maxProperties"), sub.at_most("maxProperties"), sub.of_type("object")
    if "object" not in sub.types or limit is None:
        return Verdict.FITS
    if closed(sub) and not patterns(sub):
        own = min(len(sub.names), len(sub.names) if own is None else own)
    return said(own is not None and own <= limit if objects is None else all(len(one) <= limit for one in objects))


def properties(prover: Prover, sub: Shape, sup: Shape, view: View) -> Verdict:
    """Judge `properties`, name by name."""
    if "object" not in sub.types:
        return Verdict.FITS
    if sub.values is not None:
        return said(not sup.names or not sub.of_type("object"), otherwise=Verdict.UNKNOWN)
    return max(
        (one_property(prover, sub, sup, view, name) for name in sorted(sub.names | sup.names)), default=Verdict.FITS
    )


def one_property(prover: Prover, sub: Shape, sup: Shape, view: View, name: str) -> Verdict:
    """Judge one property.

    Beyond what validation says: a property that a caller was told of and that is named no more is a broken promise,
    though an open schema would let it pass. A property that an open input gains is none: nobody sends what he was
    not told of.
    """
    old, new = (sup, sub) if view == "output" else (sub, sup)
    told = name in old.names and not shut(member(old, name))
    if view != "plain" and told and name not in prover.declared(new.parts):
        return Verdict.UNKNOWN if patterns(new) else Verdict.FAILS
    gained = name not in sub.names
    if view == "input" and gained and name not in prover.declared(sub.parts) and _open(sub):
        return Verdict.FITS
    if _by_pattern(prover, sub, sup, name):
        return Verdict.UNKNOWN
    return prover.fits(member(sub, name), member(sup, name), view)


def additional(prover: Prover, sub: Shape, sup: Shape, view: View) -> Verdict:
    """Judge `additionalProperties`, for the names that neither side names."""
    if "object" not in sub.types or closed(sub):
        return Verdict.FITS
    if sub.values is not None:
        return said(not others(sup) or not sub.of_type("object"), otherwise=Verdict.UNKNOWN)
    return prover.fits(others(sub), others(sup), view)


def by_pattern(prover: Prover, sub: Shape, sup: Shape, view: View) -> Verdict:
    """Judge `patternProperties`: the same pattern by its schema; a pattern that comes or goes mostly not at all."""
    if "object" not in sub.types:
        return Verdict.FITS
    own, wanted = patterns(sub), patterns(sup)
    if sub.values is not None and wanted:
        return said(not sub.of_type("object"), otherwise=Verdict.UNKNOWN)
    kept = [prover.fits(own[text], wanted[text], view) for text in sorted(own.keys() & wanted.keys())]
    come = [said(not wanted[text], otherwise=Verdict.UNKNOWN) for text in sorted(wanted.keys() - own.keys())]
    gone = [prover.fits(own[text], others(sup), view) for text in sorted(own.keys() - wanted.keys())]
    if wanted.keys() - own.keys():
        gone = [min(verdict, Verdict.UNKNOWN) for verdict in gone]
    return max((*kept, *come, *gone), default=Verdict.FITS)


def names(prover: Prover, sub: Shape, sup: Shape, _: View) -> Verdict:
    """Judge `propertyNames`, by the names themselves where the object is closed."""
    if "object" not in sub.types or not sup.has("propertyNames"):
        return Verdict.FITS
    if sub.values is not None:
        return said(not sub.of_type("object"), otherwise=Verdict.UNKNOWN)
    own = expand(part.child("propertyNames") for part in sub.parts if "propertyNames" in part.words)
    if closed(sub) and not patterns(sub):
        own += literal({"enum": sorted(sub.names)})
    wanted = expand(part.child("propertyNames") for part in sup.parts if "propertyNames" in part.words)
    return prover.fits(own + literal({"type": "string"}), wanted, "plain")


def dependent(prover: Prover, sub: Shape, sup: Shape, _: View) -> Verdict:
    """Judge `dependentRequired`, and `dependentSchemas` where they are not the same."""
    if "object" not in sub.types:
        return Verdict.FITS
    if not _covered(prover, _dependents(sub), _dependents(sup)):
        return Verdict.UNKNOWN
    return max(
        (_needs(sub, name, needed) for one in sup.all("dependentRequired") for name, needed in one.items()),
        default=Verdict.FITS,
    )


def closed(shape: Shape) -> bool:
    """Say whether no property may come that is not named."""
    return shut(others(shape))


def shut(parts: Parts) -> bool:
    """Say whether nothing at all is allowed."""
    return any(part.never for part in parts)


def _open(shape: Shape) -> bool:
    """Say whether a shape describes an object and leaves its other properties alone."""
    describes = bool(shape.names) or shape.types != ANY_TYPE
    return describes and not others(shape)


def _by_pattern(prover: Prover, sub: Shape, sup: Shape, name: str) -> bool:
    """Say whether a pattern that is not the same on both sides may have a say on ``name``."""
    own, wanted = patterns(sub), patterns(sup)
    if not own and not wanted:
        return False
    if name in sub.names and name in sup.names:
        return not _covered(prover, own, wanted)
    return True


def _covered(prover: Prover, own: dict[str, Parts], wanted: dict[str, Parts]) -> bool:
    return all(text in own and prover.alike(own[text], wanted[text]) for text in wanted)


def _dependents(shape: Shape) -> dict[str, Parts]:
    found: dict[str, list[Node]] = {}
    for part in shape.parts:
        for name in part.words.get("dependentSchemas", ()):
            found.setdefault(name, []).append(part.child("dependentSchemas", name))
    return {name: expand(nodes) for name, nodes in found.items()}


def _needs(sub: Shape, name: str, needed: list[str]) -> Verdict:
    own = {key for one in sub.all("dependentRequired") for key in one.get(name, ())}
    if set(needed) <= own | sub.required or shut(member(sub, name)):
        return Verdict.FITS
    return Verdict.FAILS if name in sub.names or name in sub.required else Verdict.UNKNOWN
