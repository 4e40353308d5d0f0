"""The three answers to "does everything that this schema allows fit that one?"."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from diagnose.surface.impact.part import Parts
    from diagnose.surface.impact.shape import Shape


class Verdict(IntEnum):
    """Worst last, so that the verdict on several things is their maximum."""

    FITS = 0
    UNKNOWN = 1
    FAILS = 2


#: Which side the caller holds. `input`: what fits is the old schema. `output`: what must be fitted is the old one.
#: `plain`: nobody holds either; sets of instances are compared and nothing else.
View: TypeAlias = Literal["input", "output", "plain"]


class Prover(Protocol):
    """What a rule may ask while it looks at one keyword."""

    def fits(self, sub: Parts, sup: Parts, view: View) -> Verdict:
        """Say whether every instance of ``sub`` is one of ``sup``."""
        ...

    def alike(self, left: Parts, right: Parts) -> bool:
        """Say whether two conjunctions assert the same, word for word."""
        ...

    def declared(self, parts: Parts) -> frozenset[str]:
        """Return the properties that are named anywhere in a conjunction, branches and conditions included."""
        ...


#: A rule looks at one subject of two shapes, and says whether what ``sub`` allows passes that subject in ``sup``.
Rule: TypeAlias = "Callable[[Prover, Shape, Shape, View], Verdict]"


def said(holds: bool, *, otherwise: Verdict = Verdict.FAILS) -> Verdict:
    """Turn a decided question into a verdict."""
    return Verdict.FITS if holds else otherwise
