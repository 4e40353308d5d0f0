"""Schemas taken apart: references followed and `allOf` laid flat, so that what applies together lies side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from diagnose.surface.impact.document import Document, Node, Reading, references
from diagnose.surface.impact.values import token

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Keywords that let an instance have evaluated members which the parts beside them do not show.
_HIDING = frozenset({"additionalProperties", "anyOf", "dependentSchemas", "if", "not", "oneOf", "patternProperties"})
_GONE = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf"})
_NOTHING = Reading(words={}, spelling={}, malformed=frozenset())
#: No validator agrees with another beyond this many schemas in one conjunction, and we need not either.
MAX_PARTS = 500
_INVENTED = "="


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """One schema object without its references and its `allOf`, or the schema `false` (``never``).

    ``remote`` are the references that lead out of the document, or nowhere. ``sealed`` are the names that
    `unevaluatedProperties` finds evaluated beside itself; None where it is not used, or where that cannot be told.
    """

    node: Node
    words: dict[str, Any]
    spelling: dict[str, str]
    malformed: frozenset[tuple[str, str]] = frozenset()
    remote: frozenset[str] = frozenset()
    never: bool = False
    sealed: frozenset[str] | None = None
    dropped: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """What tells two parts apart, across both documents."""
        return f"{self.node.key}-{'-'.join(sorted(self.dropped))}" if self.dropped else self.node.key

    @property
    def invented(self) -> bool:
        """Whether this is a part of no document, but one of ours."""
        return self.node.key.startswith(_INVENTED)

    def child(self, keyword: str, *path: str | int) -> Node:
        """Return the schema under ``keyword``."""
        return self.node.child(self.spelling.get(keyword, keyword), *path)

    def place(self, keyword: str) -> str:
        """Return the pointer of ``keyword``."""
        return f"{self.node.pointer}/{self.spelling.get(keyword, keyword)}"

    def without(self, keyword: str) -> Part:
        """Return the same part, not counting one keyword."""
        return Part(
            node=self.node,
            words={name: value for name, value in self.words.items() if name != keyword},
            spelling=self.spelling,
            malformed=self.malformed,
            remote=self.remote,
            never=self.never,
            sealed=self.sealed,
            dropped=self.dropped | {keyword},
        )


#: What applies together. No parts at all is the schema `true`.
Parts: TypeAlias = tuple[Part, ...]


def keys(parts: Parts) -> str:
    """Return what tells two conjunctions apart."""
    return parts[0].key if len(parts) == 1 else " ".join([part.key for part in parts])


def literal(schema: Any) -> Parts:
    """Return a schema of our own making, for splitting somebody's into cases."""
    return expand((Document(schema, "", f"{_INVENTED}{token(schema)}").node,))


def expand(nodes: Iterable[Node]) -> Parts:
    """Lay several schemas flat. A reference that leads back into the same conjunction adds nothing to it."""
    given = tuple(nodes)
    if len(given) != 1:
        return _expand(given) if given else ()
    known = given[0].document.expanded
    if given[0].pointer not in known:
        known[given[0].pointer] = _expand(given)
    return known[given[0].pointer]


def _expand(nodes: tuple[Node, ...]) -> Parts:
    found: dict[str, Part] = {}
    stack = list(reversed(nodes))
    seen: set[str] = set()
    while stack and len(seen) <= MAX_PARTS:
        node = stack.pop()
        if node.key in seen or node.schema is True:
            continue
        seen.add(node.key)
        if node.schema is False:
            found[node.key] = Part(node=node, words={}, spelling={}, never=True)
            continue
        part, further = _take(node)
        stack.extend(reversed(further))
        if part.words or part.malformed or part.remote:
            found[node.key] = part
    if stack:
        return (*found.values(), _too_many(stack[0]))
    return tuple(found.values())


def _take(node: Node) -> tuple[Part, list[Node]]:
    reading = node.document.read(node)
    further, remote = [], set()
    for reference in references(reading.words):
        target = node.document.resolve(reference)
        if target is None:
            remote.add(node.document.elsewhere(reference))
        else:
            further.append(target)
    further += [node.child("allOf", index) for index in range(len(reading.words.get("allOf", ())))]
    part = Part(
        node=node,
        words={name: value for name, value in reading.words.items() if name not in _GONE},
        spelling=reading.spelling,
        malformed=reading.malformed,
        remote=frozenset(remote),
        sealed=_sealed(reading, further),
    )
    return part, further


def _sealed(reading: Reading, further: list[Node]) -> frozenset[str] | None:
    if "unevaluatedProperties" not in reading.words:
        return None
    beside = (reading.words, *(part.words for part in expand(further)))
    nested = any("unevaluatedProperties" in words for words in beside[1:])
    if nested or any(_HIDING & words.keys() for words in beside):
        return None
    return frozenset(name for words in beside for name in words.get("properties", ()))


def _too_many(node: Node) -> Part:
    return Part(node=node, words={}, spelling={}, malformed=frozenset({("allOf", node.key)}))
