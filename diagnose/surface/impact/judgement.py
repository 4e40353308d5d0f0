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
