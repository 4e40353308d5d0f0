"""`[Cache-Control: immutable]` at the end of a tool's description: read, write, strip. All in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from diagnose.statesync.policy import CACHE_CONTROLS, CacheControl, check_cache_control

FlawKind: TypeAlias = Literal["several", "not-at-end", "unknown-value", "spelling", "spacing"]

# Whatever a model might take for a directive. The white space in front is not part of it: a pattern that begins with
# white space takes quadratic time on a long run of it.
_DIRECTIVE: Final = re.compile(r"\[cache-control\s*:\s*(\w[^\[\]]*)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """What stands at ``start`` to ``end`` of a description and looks like a directive, whether it is a good one or not."""

    written: str
    value: str
    start: int
    end: int

    @property
    def exact(self) -> bool:
        """Whether it is one of the two directives, as `write_directive` writes it."""
        return self.value in CACHE_CONTROLS and self.written == _tag(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectiveFlaw:
    """What is wrong with a directive: one kind of flaw each."""

    kind: FlawKind
    directive: Directive


def find_directives(description: str | None) -> tuple[Directive, ...]:
    """Return all that looks like a directive, in any spelling and anywhere, in its order."""
    return tuple(
        Directive(written=found[0], value=found[1].rstrip(), start=found.start(), end=found.end())
        for found in _DIRECTIVE.finditer(description or "")
    )


def read_directive(description: str | None) -> CacheControl | None:
    """Return the directive at the end of a description; None unless it is one of the two, exactly as it is written."""
    found = find_directives(description)
    if not found or not found[-1].exact or (description or "")[found[-1].end :].strip():
        return None
    return next(value for value in CACHE_CONTROLS if value == found[-1].value)


def write_directive(description: str | None, value: CacheControl) -> str:
    """Return a description with one directive at its end, in place of those that stood there; twice is as good as once.

    A description of nothing but white space becomes the directive alone. What stands before other text is left: it may
    be the author's prose (`directive_flaws` tells of it). Raises PolicyError for any other value than the two.
    """
    check_cache_control(value)
    text = strip_directives(description).rstrip()
    return f"{text} {_tag(value)}" if text else _tag(value)


def strip_directives(description: str | None) -> str:
    """Return a description without the directives at its end and the white space before them; else unchanged."""
    text = description or ""
    end = len(text)
    for directive in reversed(find_directives(text)):
        if text[directive.end : end].strip():
            break
        end = directive.start
    return text if end == len(text) else text[:end].rstrip()


def directive_flaws(description: str | None) -> tuple[DirectiveFlaw, ...]:
    """Return what is wrong with the directives of a description; a description without any is right."""
    found = find_directives(description)
    return tuple(
        DirectiveFlaw(kind=kind, directive=directive)
        for index, directive in enumerate(found)
        for kind in _flaws(description or "", found, index)
    )


def _flaws(text: str, found: Sequence[Directive], index: int) -> Iterator[FlawKind]:
    directive = found[index]
    before = text[found[index - 1].end if index else 0 : directive.start]
    last = index + 1 == len(found)
    after = text[directive.end :] if last else text[directive.end : found[index + 1].start].strip()
    if index:
        yield "several"
    if after:
        yield "not-at-end"
    if directive.value not in CACHE_CONTROLS:
        yield "unknown-value"
    elif not directive.exact:
        yield "spelling"
    if directive.start and (not before.endswith(" ") or before[:-1] != before[:-1].rstrip()):
        yield "spacing"


def _tag(value: str) -> str:
    return f"[Cache-Control: {value}]"
