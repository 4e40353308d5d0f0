"""Whether what a client shows of a definition is what its rewritings make of the live one: forward, place by place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnose.clients.lens.rules import NEVER_MISSED, Rewriting
from diagnose.clients.lens.words import in_normal_form, is_cut, without_invisible
from diagnose.surface.impact.values import same, tokens
from diagnose.surface.walk import MAX_DEPTH, at, parse_pointer

#: How many places of one definition are looked at; beyond that nothing is explained.
BUDGET = 20_000
_SCHEMAS = frozenset({"inputSchema", "outputSchema"})
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SINGLE = frozenset(
    {
        "items",
        "additionalProperties",
        "additionalItems",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
    }
)
_TEXTS = frozenset({"description", "title"})
_SETS = frozenset({"required", "enum", "type"})
_DEFINITIONS = frozenset({"$defs", "definitions"})
_HINTS = {"readOnly": "readOnlyHint", "destructive": "destructiveHint", "openWorld": "openWorldHint"}


def explain(live: Mapping[str, Any], shown: Mapping[str, Any], rules: Rewriting) -> tuple[str, ...] | None:
    """Return what was done to a live definition so that it is the shown one; empty if nothing; None if no rule does it.

    The names of the two are not compared: who pairs them has mapped them. A definition that was redacted is equal to
    one of the same digest and explained by nothing else.
    """
    if live.get("$redacted") is True or shown.get("$redacted") is True:
        return () if live.get("$digest") == shown.get("$digest") is not None else None
    reading = _Reading(rules)
    return tuple(sorted(reading.done)) if reading.definition(live, shown) else None


class _Reading:
    """One comparison: the rules, what of them was needed, and how much of the budget is left."""

    def __init__(self, rules: Rewriting) -> None:
        self.rules = rules
        self.done: set[str] = set()
        self._left = BUDGET
        self._live_root: Any = None
        self._shown_root: Any = None

    def definition(self, live: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
        carries = self.rules.carries
        for member in sorted((live.keys() | shown.keys()) - {"name"}):
            if carries is not None and member not in carries:
                if member in live:
                    self.done.add(f"the view does not show {member}")
                continue
            if not self._member(member, live.get(member), shown.get(member)):
                return False
        return True

    def _member(self, member: str, live: Any, shown: Any) -> bool:
        if same(live, shown) or (member in _TEXTS and not live and not shown):
            return True
        if member in NEVER_MISSED and shown is None:
            self.done.add(f"leaves out {member}")
            return True
        if member in _TEXTS:
            return self._text(live, shown)
        if member == "annotations" and isinstance(live, Mapping) and isinstance(shown, Mapping):
            return self._annotations(live, shown)
        return member in _SCHEMAS and self._whole(live, shown, is_input=member == "inputSchema")

    def _whole(self, live: Any, shown: Any, *, is_input: bool) -> bool:
        """Compare a whole schema: with what this client writes in its place, else place by place."""
        if is_input and isinstance(live, Mapping) and any(same(form(live), shown) for form in self.rules.forms):
            self.done.add("keeps a part of each schema and writes out types")
            return True
        self._live_root, self._shown_root = live, shown
        # Without an input schema any object goes in; some clients then write one.
        return self._schema({} if is_input and live is None else live, {} if shown is None else shown, root=is_input)

    def _annotations(self, live: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
        """Accept the three hints under the names of a status view, and nothing beside them."""
        if not shown or shown.keys() - _HINTS.keys():
            return False
        self.done.add("shows the hints under shorter names")
        return all(live.get(_HINTS[name]) is value for name, value in shown.items())

    def _text(self, live: Any, shown: Any) -> bool:
        if not isinstance(live, str) or not isinstance(shown, str):
            return False
        rules = self.rules
        if (rules.cuts and is_cut(live, shown)) or (rules.text_limit and is_cut(live, shown, limit=rules.text_limit)):
            self.done.add("cuts long texts")
            return True
        if rules.normal_form and in_normal_form(live) == in_normal_form(shown):
            self.done.add("puts text into normal form")
            return True
        if rules.visible_only and _bare(live) == _bare(shown):
            self.done.add("takes out invisible characters")
            return True
        return False

    def _schema(self, live: Any, shown: Any, *, root: bool = False, depth: int = 0) -> bool:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            return False
        if not isinstance(live, Mapping) or not isinstance(shown, Mapping):
            return self._equal(live, shown)
        return any(
            self._tried(variant, shown, how, root=root, depth=depth) for how, variant in self._variants(live, shown)
        )

    def _tried(self, live: Mapping[str, Any], shown: Mapping[str, Any], how: str, *, root: bool, depth: int) -> bool:
        before = set(self.done)
        if how:
            self.done.add(how)
        if self._keywords(live, shown, root=root, depth=depth + 1):
            return True
        self.done = before
        return False

    def _variants(self, live: Mapping[str, Any], shown: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what the live schema may have become: itself, its target, its other type."""
        yield "", live
        if self.rules.inlines and "$ref" not in shown and isinstance(target := self._target(live), Mapping):
            rest = {word: value for word, value in live.items() if word != "$ref"}
            yield "puts definitions where they are referred to", {**target, **rest}
        if self.rules.nullable and shown.get("nullable") is True and "nullable" not in live:
            for one in _without_null(live):
                yield "writes a union with null as nullable", {**one, "nullable": True}

    def _target(self, live: Mapping[str, Any]) -> Any:
        reference = live.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        return at(self._live_root, parse_pointer(reference[1:])) if reference != "#" else None

    def _keywords(self, live: Mapping[str, Any], shown: Mapping[str, Any], *, root: bool, depth: int) -> bool:
        if root:
            shown = self._without_own(live, shown)
        for word in live.keys() - shown.keys():
            if not self._may_lack(word, live[word]):
                return False
        for word in shown.keys() - live.keys():
            if not (root and word in self.rules.adds and same(self.rules.adds[word], shown[word])):
                return False
            self.done.add(f"adds {word}")
        return all(self._keyword(word, live[word], shown[word], depth) for word in live.keys() & shown.keys())

    def _without_own(self, live: Mapping[str, Any], shown: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the shown root without the parameters that the client put there for itself."""
        properties, known = shown.get("properties"), live.get("properties")
        own = self.rules.parameters - set(known if isinstance(known, Mapping) else ())
        if not isinstance(properties, Mapping) or not own & properties.keys():
            return shown
        self.done.add("adds parameters of its own")
        rest = {name: value for name, value in properties.items() if name not in own}
        return {**shown, "properties": rest}

    def _may_lack(self, word: str, value: Any) -> bool:
        if word in self.rules.drops:
            self.done.add(f"drops {word}")
            return True
        if word in _DEFINITIONS and (self.rules.inlines or self.rules.loses_definitions):
            kept = _refers(self._shown_root)
            if kept and not self.rules.loses_definitions:
                return False
            self.done.add("drops the definitions that are still referred to" if kept else "drops definitions")
            return True
        return word == "required" and value == []

    def _keyword(self, word: str, live: Any, shown: Any, depth: int) -> bool:
        if word in _SETS and isinstance(live, list) and isinstance(shown, list):
            self._left -= len(live)
            return len(live) == len(shown) and tokens(live) == tokens(shown)
        if word in _TEXTS and isinstance(live, str):
            return live == shown or self._text(live, shown)
        if word in _MAPS and isinstance(live, Mapping) and isinstance(shown, Mapping):
            return live.keys() == shown.keys() and all(
                self._schema(live[name], shown[name], depth=depth) for name in live
            )
        if word in _LISTS and isinstance(live, Sequence) and isinstance(shown, Sequence):
            return len(live) == len(shown) and all(
                self._schema(one, other, depth=depth) for one, other in zip(live, shown, strict=True)
            )
        if word in _SINGLE:
            return self._schema(live, shown, depth=depth)
        return self._equal(live, shown)

    def _equal(self, live: Any, shown: Any) -> bool:
        """Compare plain data; the budget is for the work, so a long value costs more of it."""
        self._left -= 1 + (len(live) if isinstance(live, list | Mapping) else 0)
        return self._left >= 0 and same(live, shown)


def _without_null(live: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the schema as it is without null, where it is a union of null and one other type or branch."""
    types = live.get("type")
    if isinstance(types, list) and len(types) == 2 and "null" in types:
        yield {**live, "type": next((each for each in types if each != "null"), "null")}
    for word in ("anyOf", "oneOf"):
        branches = live.get(word)
        if isinstance(branches, list) and len(branches) == 2:
            others = [each for each in branches if not (isinstance(each, Mapping) and each.get("type") == "null")]
            if len(others) == 1 and isinstance(others[0], Mapping):
                yield {**{name: value for name, value in live.items() if name != word}, **others[0]}


def _refers(schema: Any) -> bool:
    """Tell whether a local reference is left anywhere in a schema."""
    open_nodes = [schema]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, Mapping):
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith("#"):
                return True
            open_nodes.extend(node.values())
        elif isinstance(node, list):
            open_nodes.extend(node)
    return False


def _bare(text: str) -> str:
    return in_normal_form(without_invisible(text))
