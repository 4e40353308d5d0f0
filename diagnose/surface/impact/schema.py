"""The impact of a changed input or output schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.surface.impact.judgement import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator


def input_judgements(old: Any, new: Any, pointer: str) -> Iterator[Judgement]:
    """Judge two differing input schemas."""
    del old, new
    yield Judgement(pointer=pointer, impact="unclear", why="the schemas differ")


def output_judgements(old: Any, new: Any, pointer: str) -> Iterator[Judgement]:
    """Judge two differing output schemas; a schema that is missing or null promises nothing."""
    if old is None or new is None:
        impact, why = _presence(old, new)
        yield Judgement(pointer=pointer, impact=impact, why=why)
        return
    yield Judgement(pointer=pointer, impact="unclear", why="the schemas differ")


def _presence(old: Any, new: Any) -> tuple[Any, str]:
    if old is None and new is None:
        return "cosmetic", "no output is promised either way"
    if new is None:
        return "breaking", "structured output is no longer promised"
    return "compatible", "structured output is now promised"
