"""Whether two schemas say the same, word for word, whatever their definitions are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.surface.impact.part import Part, Parts, expand, keys
from diagnose.surface.impact.values import token, tokens
from diagnose.surface.impact.vocabulary import ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS

if TYPE_CHECKING:
    from collections.abc import Iterator

#: More comparisons than this for one question, and the answer is "not shown to be alike".
MAX_STEPS = 5_000
_SETS = frozenset({"enum", "required", "type"})


class Likeness:
    """Remembers what was found alike. Annotations do not count, references count as what they lead to.

    Cycles are followed once: two endless schemas are alike if no walk through both finds a difference.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], bool] = {}

    def alike(self, left: Parts, right: Parts) -> bool:
        """Say whether two conjunctions are the same but for annotations and the names of definitions."""
        pair = (keys(left), keys(right))
        known = self._known.get(pair)
        if known is None:
            found = self._explore(left, right)
            known = self._known[pair] = found is not None
            self._known.update(dict.fromkeys(found or (), True))
        return known

    def _explore(self, left: Parts, right: Parts) -> set[tuple[str, str]] | None:
        """Return every pair that had to be alike, or None if one is not."""
        assumed: set[tuple[str, str]] = set()
        stack = [(left, right)]
        while stack:
            one, other = stack.pop()
            pair = (keys(one), keys(other))
            if pair in assumed or self._known.get(pair):
                continue
            if len(assumed) >= MAX_STEPS or len(one) != len(other) or self._known.get(pair) is False:
                return None
            assumed.add(pair)
            for part, counterpart in zip(one, other, strict=True):
                below = _below(part, counterpart)
                if below is None:
                    return None
                stack.extend(below)
        return assumed


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
