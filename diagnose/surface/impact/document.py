"""A schema document, and the places in it. References are followed inside the document and never fetched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from diagnose.surface.impact.judgement import escape
from diagnose.surface.impact.values import token
from diagnose.surface.impact.vocabulary import ASSERTIONS, REFERENCE_ALONE, REFERENCES, dialect, is_names, is_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.surface.impact.part import Parts

#: Keywords whose value is data, in which something that looks like a keyword is none.
_DATA = frozenset({"const", "default", "enum", "example", "examples"})

_EVALUATES_ITEMS = frozenset({*REFERENCES, "allOf", "anyOf", "contains", "dependentSchemas", "if", "not", "oneOf"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one schema object asserts. ``words`` are well-formed keywords in the spelling of 2020-12.

    ``spelling`` names the original keyword where it is another one; ``malformed`` holds what no validator can read.
    """

    words: dict[str, Any]
    spelling: dict[str, str]
    malformed: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """A schema at its place. ``pointer`` counts from the root of the tool definition."""

    document: Document
    schema: Any
    pointer: str
    _below: dict[tuple[str | int, ...], Node] = field(default_factory=dict, repr=False)
    """What was asked for below this one; the same places are asked for many times."""

    @property
    def key(self) -> str:
        """What tells two places apart, across both documents."""
        return f"{self.document.side}{self.pointer}"

    def child(self, *path: str | int) -> Node:
        """Return the schema below this one."""
        known = self._below.get(path)
        if known is None:
            value, pointer = self.schema, self.pointer
            for step in path:
                value, pointer = value[step], f"{pointer}/{escape(str(step))}"
            known = self._below[path] = Node(document=self.document, schema=value, pointer=pointer)
        return known


@dataclass(slots=True, eq=False)
class Document:
    """One input or output schema. ``side`` tells the old one from the new one."""

    root: Any
    pointer: str
    side: str
    #: What `part.expand` made of single schemas, by pointer.
    expanded: dict[str, Parts] = field(default_factory=dict)
    _anchors: dict[str, str | None] | None = None
    _embedded: bool = False
    _readings: dict[str, Reading] = field(default_factory=dict)

    @property
    def node(self) -> Node:
        """The root."""
        return Node(document=self, schema=self.root, pointer=self.pointer)

    def resolve(self, reference: str) -> Node | None:
        """Return the schema that a reference names, or None if it is elsewhere or nowhere (RFC 6901, section 6)."""
        base, _, fragment = reference.partition("#")
        own = self.root.get("$id") if isinstance(self.root, dict) else None
        anchors = self._index()
        if self._embedded or (base and base != str(own).removesuffix("#")):
            return None
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            place = anchors.get(fragment)
            return None if place is None else self._walk(place)
        return self._walk(fragment)

    def elsewhere(self, reference: str) -> str:
        """Return what tells a reference that was not followed from another one.

        Where schemas inside the document have an `$id` of their own, a reference may lead to any of them: it is the same
        on both sides only if the whole documents are.
        """
        return f"{reference} in {token(self.root)}" if self._embedded else reference

    def read(self, node: Node) -> Reading:
        """Return what the schema object at ``node`` asserts."""
        known = self._readings.get(node.pointer)
        if known is None:
            known = self._readings[node.pointer] = _read(node.schema, alone=dialect(self.root) in REFERENCE_ALONE)
        return known

    def _walk(self, fragment: str) -> Node | None:
        value, pointer = self.root, self.pointer
        for step in fragment.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isascii() and name.isdigit() and int(name[:9]) < len(value):
                value = value[int(name[:9])]
            else:
                return None
            pointer = f"{pointer}/{escape(name)}"
        return Node(document=self, schema=value, pointer=pointer) if is_schema(value) else None

    def _index(self) -> dict[str, str | None]:
        """Find the anchors, once. A name that occurs twice stands for nothing that we could tell."""
        if self._anchors is None:
            self._anchors = {}
            for pointer, schema in _objects(self.root):
                self._embedded |= bool(pointer) and isinstance(schema.get("$id"), str)
                for keyword in ("$anchor", "$dynamicAnchor"):
                    name = schema.get(keyword)
                    if isinstance(name, str):
                        known = self._anchors.setdefault(name, pointer)
                        self._anchors[name] = pointer if known == pointer else None
        return self._anchors


def _objects(root: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object of a document that is no plain data, with its pointer."""
    stack = [("", root)]
    while stack:
        pointer, value = stack.pop()
        if isinstance(value, dict):
            yield pointer, value
            stack.extend((f"{pointer}/{escape(str(key))}", child) for key, child in value.items() if key not in _DATA)
        elif isinstance(value, list):
            stack.extend((f"{pointer}/{index}", child) for index, child in enumerate(value))


def _read(schema: dict[str, Any], *, alone: bool) -> Reading:
    words: dict[str, Any] = {}
    spelling: dict[str, str] = {}
    malformed = set()
    for keyword, name, value in _spelled(schema):
        if alone and "$ref" in schema and keyword != "$ref":
            continue
        if not ASSERTIONS[keyword](value):
            malformed.add((keyword, token(value)))
            continue
        words[keyword] = value
        if name != keyword:
            spelling[keyword] = name
    _settle_items(words, spelling)
    if "$recursiveRef" in words and words["$recursiveRef"] != "#":
        malformed.add(("$recursiveRef", token(words.pop("$recursiveRef"))))
    return Reading(words=words, spelling=spelling, malformed=frozenset(malformed))


def _settle_items(words: dict[str, Any], spelling: dict[str, str]) -> None:
    """Read `unevaluatedItems` as `items` where nothing else could have evaluated an item, and not at all beside it."""
    if "items" in words:
        words.pop("unevaluatedItems", None)
    elif "unevaluatedItems" in words and not _EVALUATES_ITEMS & words.keys():
        words["items"] = words.pop("unevaluatedItems")
        spelling["items"] = "unevaluatedItems"


def _spelled(schema: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield (keyword of 2020-12, keyword as sent, value) for everything that asserts."""
    tuples = isinstance(schema.get("items"), list)
    for name, value in schema.items():
        if name == "items" and tuples:
            if value:
                yield "prefixItems", name, value
        elif name == "additionalItems":
            if tuples:
                yield "items", name, value
        elif name == "dependencies" and isinstance(value, dict):
            needed = {key: names for key, names in value.items() if is_names(names)}
            yield "dependentRequired", name, needed
            yield "dependentSchemas", name, {key: one for key, one in value.items() if key not in needed}
        elif name in ASSERTIONS:
            yield name, name, value


def references(words: dict[str, Any]) -> list[str]:
    """Return the references of a schema object."""
    return [words[keyword] for keyword in REFERENCES if keyword in words]
