"""The impact of a changed input or output schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.surface.impact.document import Document
from diagnose.surface.impact.judgement import Judgement
from diagnose.surface.impact.part import expand, literal
from diagnose.surface.impact.vocabulary import dialect, is_schema
from diagnose.surface.impact.walk import Direction, Spot, Walk
from diagnose.surface.impact.words import compare_words, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.surface.change import Impact


def input_judgements(old: Any, new: Any, pointer: str) -> Iterator[Judgement]:
    """Judge two differing input schemas. MCP requires one, and it must be a schema."""
    if not is_schema(new):
        yield Judgement(pointer=pointer, impact="breaking", why="no input schema that a client could use")
    elif not is_schema(old):
        yield Judgement(pointer=pointer, impact="unclear", why="there was no input schema to hold on to")
    else:
        yield from _judgements(old, new, pointer, "input")


def output_judgements(old: Any, new: Any, pointer: str) -> Iterator[Judgement]:
    """Judge two differing output schemas; one that is missing or null promises nothing."""
    if old is None and new is None:
        yield Judgement(pointer=pointer, impact="cosmetic", why="no output is promised either way")
    elif new is None:
        yield Judgement(pointer=pointer, impact="breaking", why="structured output is promised no more")
    elif old is None:
        yield Judgement(pointer=pointer, impact="compatible", why="structured output is now promised")
    elif not is_schema(old) or not is_schema(new):
        yield Judgement(pointer=pointer, impact="unclear", why="no schema at all on one side")
    else:
        yield from _judgements(old, new, pointer, "output")


def _judgements(old: Any, new: Any, pointer: str, direction: Direction) -> Iterator[Judgement]:
    before, after = Document(old, pointer, "old:"), Document(new, pointer, "new:")
    if dialect(old) != dialect(new):
        yield Judgement(pointer=f"{pointer}/$schema", impact="unclear", why="another dialect of JSON Schema")
    # Arguments are always an object (MCP 2026-07-28, schema of Tool), whether or not the root says so.
    root = literal({"type": "object"}) if direction == "input" else ()
    found = [
        *Walk(direction).compare(expand((before.node,)) + root, expand((after.node,)) + root, Spot(at=pointer)),
        *compare_words(before, after, headers=direction == "input"),
    ]
    yield from found
    if all(judgement.impact == "cosmetic" for judgement in found):
        yield from _moved(before, after, pointer)


def _moved(old: Document, new: Document, pointer: str) -> Iterator[Judgement]:
    """Judge words that the walk could not lay side by side, in a schema that otherwise means the same."""
    impacts: tuple[Impact, ...] = ("behaviour", "routing")
    for impact in impacts:
        if words(old, impact) != words(new, impact):
            yield Judgement(pointer=pointer, impact=impact, why="annotations came, went or changed their place")
            return
    yield Judgement(pointer=pointer, impact="cosmetic", why="the schema means the same")
