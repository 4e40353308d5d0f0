"""What one place of a changed definition means to a caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnose.surface.change import Impact, worst

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One decision. ``pointer`` is a JSON Pointer (RFC 6901) into the definition; ``why`` is a short reason.

    A judgement speaks for everything below its pointer that has no judgement of its own.
    """

    pointer: str
    impact: Impact
    why: str


def escape(token: str) -> str:
    """Return one reference token of a JSON Pointer (RFC 6901, section 3)."""
    return token.replace("~", "~0").replace("/", "~1")


def overall(judgements: Iterable[Judgement]) -> Impact:
    """Return the impact of a whole definition: the worst of its judgements, `cosmetic` when there is none."""
    return worst([judgement.impact for judgement in judgements])


def impact_at(judgements: Iterable[Judgement], pointer: str) -> Impact:
    """Return the impact of the difference at ``pointer``.

    The deepest judgement above it decides; else the worst of those below it; else nothing was found to matter.
    """
    found = tuple(judgements)
    above = [one for one in found if _holds(one.pointer, pointer)]
    if above:
        depth = max(len(one.pointer) for one in above)
        return overall(one for one in above if len(one.pointer) == depth)
    return overall(one for one in found if _holds(pointer, one.pointer))


def _holds(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith(outer + "/")
