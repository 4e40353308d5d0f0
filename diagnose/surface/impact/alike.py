"""Whether two schemas say the same, word for word, whatever their definitions are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from diagnose.surface.impact.part import Part, Parts, expand, keys
from diagnose.surface.impact.values import token, tokens
from diagnose.surface.impact.vocabulary import ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS

if TYPE_CHECKING:
    from collections.abc import Iterator

#: More comparisons than this for one question, and the answer is "not shown to be alike".
MAX_STEPS = 5_000
#: Characters that are compared as text, before schemas are compared keyword by keyword.
MAX_TEXT = 1_000_000
Pair: TypeAlias = tuple[str, str]
_SETS = frozenset({"enum", "required", "type"})


class Likeness:
    """Remembers what was found alike. Annotations do not count, references count as what they lead to.

    Cycles are followed once: two endless schemas are alike if no walk through both finds a difference.
    """

    def __init__(self) -> None:
        self._known: dict[Pair, bool] = {}
        self._text_left = MAX_TEXT

    def alike(self, left: Parts, right: Parts) -> bool:
        """Say whether two conjunctions are the same but for annotations and the names of definitions."""
        pair = (keys(left), keys(right))
        if pair not in self._known:
            if self._verbatim(left, right):
                self._known[pair] = True
            else:
                self._explore(left, right)
        return self._known[pair]

    def _verbatim(self, left: Parts, right: Parts) -> bool:
        """Say quickly of most schemas that are alike that they are: one text, that refers to nothing around it."""
        if self._text_left <= 0 or [part.dropped for part in left] != [part.dropped for part in right]:
            return False
        texts = [[repr(part.node.schema) for part in parts] for parts in (left, right)]
        self._text_left -= sum(map(len, texts[0]))
        return texts[0] == texts[1] and not any("$" in text for text in texts[0])

    def _explore(self, left: Parts, right: Parts) -> None:
        """Settle a pair, and with it every pair that was on the way: to a difference, or else all of them."""
        parents: dict[Pair, Pair | None] = {}
        stack: list[tuple[Parts, Parts, Pair | None]] = [(left, right, None)]
        while stack:
            one, other, parent = stack.pop()
            pair = (keys(one), keys(other))
            if pair in parents or self._known.get(pair):
                continue
            parents[pair] = parent
            below = None if self._known.get(pair) is False or len(parents) > MAX_STEPS else _between(one, other)
            if below is None:
                self._refute(pair, parents)
                return
            stack.extend((part, counterpart, pair) for part, counterpart in below)
        self._known.update(dict.fromkeys(parents, True))

    def _refute(self, pair: Pair | None, parents: dict[Pair, Pair | None]) -> None:
        while pair is not None:
            self._known[pair] = False
            pair = parents[pair]


def _between(left: Parts, right: Parts) -> list[tuple[Parts, Parts]] | None:
    """Return the pairs of subschemas that must be alike, or None if the conjunctions differ in themselves."""
    if len(left) != len(right):
        return None
    pairs = []
    for part, counterpart in zip(left, right, strict=True):
        below = _below(part, counterpart)
        if below is None:
            return None
        pairs += below
    return pairs


def _below(left: Part, right: Part) -> list[tuple[Parts, Parts]] | None:
    """Return the pairs of subschemas that must be alike, or None if the parts differ in themselves."""
    facts = [(part.never, part.sealed, part.remote, part.malformed, part.words.keys()) for part in (left, right)]
    if facts[0] != facts[1]:
        return None
    pairs = []
    for word, value in left.words.items():
        if word in ONE_SCHEMA or word in SCHEMA_LISTS or word in SCHEMA_MAPS:
            paths = [_paths(word, value), _paths(word, right.words[word])]
            if paths[0] != paths[1]:
                return None
            pairs += [(_at(left, word, path), _at(right, word, path)) for path in paths[0]]
        elif not _equal(word, value, right.words[word]):
            return None
    return pairs


def _paths(word: str, value: Any) -> list[tuple[str | int, ...]]:
    if word in ONE_SCHEMA:
        return [()]
    return [(index,) for index in range(len(value))] if word in SCHEMA_LISTS else [(name,) for name in sorted(value)]


def _at(part: Part, word: str, path: tuple[str | int, ...]) -> Parts:
    return expand((part.child(word, *path),))


def _equal(word: str, left: Any, right: Any) -> bool:
    if word in _SETS:
        return tokens(_listed(left)) == tokens(_listed(right))
    if word == "dependentRequired":
        return left.keys() == right.keys() and all(set(left[name]) == set(right[name]) for name in left)
    return token(left) == token(right)


def _listed(value: Any) -> Iterator[Any] | list[Any]:
    return value if isinstance(value, list) else [value]
