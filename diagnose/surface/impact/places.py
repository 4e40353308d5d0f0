"""Where in the two documents a difference is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.surface.impact.values import token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.surface.impact.rules import Subject
    from diagnose.surface.impact.shape import Shape

#: What is read as another keyword, and is found under its own name.
_ALSO = {"additionalProperties": "unevaluatedProperties"}


def subject_places(subject: Subject, old: Shape, new: Shape) -> list[str]:
    """Return where the keywords of a subject stand, each place once."""
    parts = [part for part in old.parts + new.parts if not part.invented]
    places = [part.place(word) for part in parts for word in subject.keywords if word in part.words]
    if subject.name == "values":
        places += [place for side in (old, new) for place in _listed(side)]
    return list(dict.fromkeys(places))


def statements(subject: Subject, shape: Shape) -> list[str]:
    """Return what a schema says on a subject, as texts that can be compared."""
    words = subject.keywords
    return sorted(token([word, part.words[word]]) for part in shape.parts for word in words if word in part.words)


def child_place(shape: Shape, keyword: str, step: str | int) -> str:
    """Return the pointer of a schema that stands below ``keyword``."""
    for part in shape.parts:
        value = part.words.get(keyword, ())
        if step in value if isinstance(value, dict) else isinstance(step, int) and step < len(value):
            return part.child(keyword, step).pointer
    return ""


def keyword_place(old: Shape, new: Shape, keyword: str, otherwise: str) -> str:
    """Return the pointer of ``keyword``, in whichever schema has it."""
    words = (keyword, _ALSO.get(keyword, keyword))
    places = (part.place(word) for side in (new, old) for part in side.parts for word in words if word in part.words)
    return next(places, otherwise)


def _listed(shape: Shape) -> Iterator[str]:
    """Yield the pointers of the unions that only list values."""
    unions = {union.place for union in shape.unions}
    places = (part.place(word) for part in shape.parts for word in ("anyOf", "oneOf") if word in part.words)
    return (place for place in places if place not in unions)
