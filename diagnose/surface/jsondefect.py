"""What RFC 8259 or I-JSON (RFC 7493) forbids in a JSON text, and where it stands in the value that was read all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from math import isfinite
from typing import Any, Literal, TypeAlias

from diagnose.record import record
from diagnose.surface.walk import Tokens, places, pointer

DefectKind: TypeAlias = Literal["duplicate-key", "non-finite-number", "lone-surrogate", "invalid-utf8", "bom"]

#: Half a character of UTF-16. Two that belong together are one character in Python, so that any that is seen is alone.
SURROGATE = "[\ud800-\udfff]"

#: Defects told of one text: a hostile one could hold millions, and nobody reads beyond the first.
MAX_DEFECTS = 100
#: Places of a value in which defects are looked for, and characters of a pointer that is told, or of a detail.
_MAX_PLACES, _MAX_POINTER, _AROUND = 1_000_000, 1_000, 20


@record
class JsonDefect:
    """Something that a strict reader would have refused.

    ``pointer`` is the JSON Pointer of the place, None where it concerns the text as a whole, where the value was
    replaced by that of a duplicate key, or where the place cannot be told in short. ``detail`` says what stood there.
    """

    kind: DefectKind
    pointer: str | None
    detail: str


class Noticed:
    """What a reader noticed on its way, before it could know the place.

    ``repeated`` are objects with the keys that came more than once; ``kinds`` are the kinds of the other defects.
    """

    def __init__(self) -> None:
        self.repeated: list[tuple[dict[str, Any], tuple[str, ...]]] = []
        self.kinds: set[DefectKind] = set()


def located(value: Any, noticed: Noticed) -> tuple[JsonDefect, ...]:
    """Return the defects of a value that was read, at most `MAX_DEFECTS`; without any noticed, it is not walked through.

    Each kind that was noticed is told once at least, if need be without its place.
    """
    if not (noticed.repeated or noticed.kinds):
        return ()
    found = tuple(islice(_at_their_places(value, noticed), MAX_DEFECTS))
    missing = noticed.kinds - {defect.kind for defect in found}
    return found + tuple(JsonDefect(kind=kind, pointer=None, detail="") for kind in sorted(missing))


def _at_their_places(value: Any, noticed: Noticed) -> Iterator[JsonDefect]:
    repeated = {id(holder): keys for holder, keys in noticed.repeated}
    half: DefectKind = "invalid-utf8" if "invalid-utf8" in noticed.kinds else "lone-surrogate"
    for tokens, node in islice(places(value), _MAX_PLACES):
        for key in repeated.pop(id(node), ()):
            yield _defect("duplicate-key", (*tokens, key), key)
        if isinstance(node, float) and not isfinite(node):
            yield _defect("non-finite-number", tokens, str(node))
        for text in (tokens[-1] if tokens else "", node):
            if isinstance(text, str) and (match := re.search(SURROGATE, text)):
                around = text[max(match.start() - _AROUND, 0) : match.end() + _AROUND]
                yield _defect(half, tokens, ascii(around))
    for keys in repeated.values():
        yield from (JsonDefect(kind="duplicate-key", pointer=None, detail=_cut(key)) for key in keys)


def _defect(kind: DefectKind, tokens: Tokens, detail: str) -> JsonDefect:
    short = sum(len(str(token)) for token in tokens) <= _MAX_POINTER
    return JsonDefect(kind=kind, pointer=pointer(tokens) if short else None, detail=_cut(detail))


def _cut(detail: str) -> str:
    return detail[:80]
