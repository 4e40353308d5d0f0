"""Dot globs over tool names: `*` is one segment, `**` any number of them, any other segment is itself to the letter.

A segment is what stands between two dots, and may be empty in a name. There is no wildcard within a segment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from diagnose.errors import InputError

ONE: Final = "*"
MANY: Final = "**"

#: Longer patterns and names are refused. Real names have two or three segments; the bound keeps one match below about a
#: million comparisons, for a name is whatever a server says.
MAX_SEGMENTS: Final = 2048

_LEGAL: Final = re.compile(r"\*\*?|[A-Za-z0-9_-]+")
_LONGEST_SHOWN: Final = 80


class PatternError(InputError):
    """A text is no legal pattern; `diagnostics()` has one that works. Args: ``pattern``, ``segment``."""


class SegmentLimitError(InputError):
    """A pattern or a name has more than `MAX_SEGMENTS` segments, or a question about patterns takes too many steps."""


def segments_of(text: str) -> list[str]:
    """Return the segments of a pattern or a name, at least one.

    Raises SegmentLimitError beyond `MAX_SEGMENTS`: no answer is better than a wrong one.
    """
    count = text.count(".") + 1
    if count > MAX_SEGMENTS:
        raise SegmentLimitError(f"expected at most {MAX_SEGMENTS} segments, got {count}", segments=count)
    return text.split(".")


def matches(pattern: str, name: str) -> bool:
    """Tell whether a name fits a pattern, exactly and in linear space.

    Any text is taken as a pattern, and an illegal segment as a literal (see `check_pattern`). Raises SegmentLimitError.
    """
    head, *others = _runs(segments_of(pattern))
    given = segments_of(name)
    if not others:
        return len(head) == len(given) and _fits(head, given, 0)
    *inner, tail = others
    start, end = len(head), len(given) - len(tail)
    if start > end or not _fits(head, given, 0) or not _fits(tail, given, end):
        return False
    for run in inner:
        # The leftmost place leaves the most to the runs that follow, so no other one need be tried.
        place = next((at for at in range(start, end - len(run) + 1) if _fits(run, given, at)), None)
        if place is None:
            return False
        start = place + len(run)
    return True


def _runs(pattern: Sequence[str]) -> list[list[str]]:
    """Cut a pattern at each `**`; what lies between two of them has a fixed length, and may be empty."""
    runs: list[list[str]] = [[]]
    for segment in pattern:
        if segment == MANY:
            runs.append([])
        else:
            runs[-1].append(segment)
    return runs


def _fits(run: Sequence[str], given: Sequence[str], at: int) -> bool:
    return all(want in (ONE, have) for want, have in zip(run, given[at : at + len(run)], strict=True))


def is_pattern(text: str) -> bool:
    """Tell whether a text is a legal pattern: every segment wholly `*`, `**`, or ASCII letters, digits, `_` and `-`."""
    return all(map(_LEGAL.fullmatch, text.split(".")))


def check_pattern(text: str) -> None:
    """Raise PatternError, with the advice that works, if a text is no legal pattern."""
    segments = text.split(".")
    wrong = next((segment for segment in segments if not _LEGAL.fullmatch(segment)), None)
    if wrong is not None:
        shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
        raise PatternError(
            f"expected segments that are `*`, `**` or a plain word, got {wrong[:_LONGEST_SHOWN]!r} in {shown!r}",
            advice=_advice(segments, wrong),
            pattern=text,
            segment=wrong,
        )


def _advice(segments: Sequence[str], wrong: str) -> str:
    if not wrong:
        return "A pattern has no empty segment: write a word, `*` or `**` between two dots, and none at either end."
    if ONE not in wrong:
        return "A segment is made of the ASCII letters, digits, `_` and `-`; a dot stands between namespace and action."
    instead = ".".join(_mended(segment) for segment in segments)
    word = wrong.strip(ONE).strip("_-")
    if not instead.strip(f".{ONE}") and _LEGAL.fullmatch(word):
        # A namespace as it looks on the wire: the bare wildcard would take in everything.
        return f"`*` is a whole segment, and patterns go by dotted names: write `{word}.*`, or name each tool."
    return f"`*` is a whole segment: write `{instead}`, or name each tool in a pattern of its own."


def _mended(segment: str) -> str:
    """Return a segment that is partly wild as one that is wholly so."""
    if ONE not in segment:
        return segment
    longest = max(len(list(run)) for char, run in groupby(segment) if char == ONE)
    return ONE if longest == 1 else MANY
