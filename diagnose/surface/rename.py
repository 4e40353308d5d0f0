"""Which of the tools that went came back under another name.

*Proven* is a rename where a removed and an added tool, and no third one, have the same definition but for the name, and
one that says something. *Possible* is one where several have it, or where it says nothing (no words, no properties), or
where two definitions are nearly the same: at least three of four of the words of both descriptions are in both, and
three of four of the facts that both schemas state.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from diagnose.surface.canonical import lenient
from diagnose.surface.walk import places, pointer

if TYPE_CHECKING:
    from diagnose.surface.tool import Tool

#: Of all features that two definitions have, the share that both must have, in the words and in the schema.
NEAR = 0.75
#: Removed times added tools beyond which near-same ones are not looked for, and features looked at of one tool.
MAX_PAIRS, MAX_FEATURES = 10_000, 1_000

_WORD = re.compile(r"\w+")
_Features: TypeAlias = tuple[Counter[str], Counter[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """A tool under its old and its new name; ``same`` if nothing but the name differs."""

    old: Tool
    new: Tool
    same: bool
    confidence: Literal["proven", "possible"]


def renames(removed: Sequence[Tool], added: Sequence[Tool]) -> tuple[Rename, ...]:
    """Pair removed and added tools, each at most once: the same definitions first, then the nearest."""
    if not removed or not added:
        return ()
    same = tuple(_same(removed, added))
    taken = {id(tool) for rename in same for tool in (rename.old, rename.new)}
    old = [tool for tool in removed if id(tool) not in taken]
    new = [tool for tool in added if id(tool) not in taken]
    return same + (tuple(_near(old, new)) if len(old) * len(new) <= MAX_PAIRS else ())


def _same(removed: Sequence[Tool], added: Sequence[Tool]) -> Iterator[Rename]:
    groups: defaultdict[bytes, tuple[list[Tool], list[Tool]]] = defaultdict(lambda: ([], []))
    for side, tools in enumerate((removed, added)):
        for tool in tools:
            # A redacted definition is not all there, and one without any field proves nothing.
            if not tool.redacted and len(tool.raw) > 1:
                groups[sha256(lenient(_nameless(tool))).digest()][side].append(tool)
    for old, new in groups.values():
        proven = len(old) == len(new) == 1 and _says_something(old[0])
        for was, now in zip(old, new, strict=False):
            yield Rename(old=was, new=now, same=True, confidence="proven" if proven else "possible")


def _near(removed: Sequence[Tool], added: Sequence[Tool]) -> Iterator[Rename]:
    old, new = [_features(tool) for tool in removed], [_features(tool) for tool in added]
    scored = [
        (-score, i, j)
        for i, was in enumerate(old)
        for j, now in enumerate(new)
        if (score := _nearness(was, now)) >= NEAR
    ]
    taken: set[tuple[str, int]] = set()
    for _, i, j in sorted(scored):
        if taken.isdisjoint({("old", i), ("new", j)}):
            taken |= {("old", i), ("new", j)}
            yield Rename(old=removed[i], new=added[j], same=False, confidence="possible")


def _nearness(old: _Features, new: _Features) -> float:
    """Return the smaller one of the shares that the words and the schemas have in common; 0 where nothing is said."""
    if not any(old[0].keys() | old[1].keys()) or not any(new[0].keys() | new[1].keys()):
        return 0.0
    return min(_share(was, now) for was, now in zip(old, new, strict=True))


def _share(old: Counter[str], new: Counter[str]) -> float:
    every = (old | new).total()
    return (old & new).total() / every if every else 1.0


def _features(tool: Tool) -> _Features:
    """Return the words of a definition, and the facts of the rest: every scalar with its place."""
    definition = _nameless(tool)
    texts = [str(definition.pop(key, None) or "") for key in ("title", "description")]
    words = (match[0].casefold() for text in texts for match in _WORD.finditer(text))
    facts = (
        pointer(tokens) + "=" + lenient(node).decode()
        for tokens, node in places(definition)
        if not isinstance(node, (Mapping, list))
    )
    return Counter(islice(words, MAX_FEATURES)), Counter(islice(facts, MAX_FEATURES))


def _says_something(tool: Tool) -> bool:
    schema = tool.definition.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return bool(tool.definition.get("description") or properties)


def _nameless(tool: Tool) -> dict[str, Any]:
    return {key: value for key, value in tool.definition.items() if key != "name"}
