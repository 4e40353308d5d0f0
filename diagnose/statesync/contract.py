"""What a server shows of a group of tools, held to the lock file: each change with our class of it, and MCP Fusion's.

Ours is what the change does to a caller who still holds the old definition (`diagnose.surface.Impact`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from diagnose.statesync.fusion_digest import in_order, schema_digest, tool_digest
from diagnose.statesync.lock import LockedTool, bare
from diagnose.surface import Impact
from diagnose.surface.canonical import Unhashable

#: How MCP Fusion classes a change, worst first; None is one that it does not look at.
FusionClass: TypeAlias = Literal["BREAKING", "RISKY", "SAFE", "COSMETIC"]

#: For each kind of change: our class, theirs, and why the two differ, where they do.
CLASSES: Final[Mapping[str, tuple[Impact, FusionClass | None, str | None]]] = {
    "tool-removed": ("breaking", None, "a contract is compared with that of the same tool alone"),
    "tool-added": ("compatible", None, "a contract is compared with that of the same tool alone"),
    "action-removed": ("breaking", "BREAKING", None),
    "action-added": ("compatible", "SAFE", None),
    "description": ("routing", "COSMETIC", "a model chooses and obeys by a description"),
    "schema": ("unclear", "BREAKING", "only a digest is locked, and an optional parameter more changes it, too"),
    "tags": ("cosmetic", "COSMETIC", None),
    "destructive": ("behaviour", "BREAKING", "calls go on, and do something else"),
    "read-only": ("behaviour", "BREAKING", "calls go on, and do something else"),
    "digest": ("unclear", None, "what changed is held in the digest alone"),
    "loosened": ("behaviour", None, "the cache policy is not in the contract, and an agent keeps what it must not"),
    "tightened": ("compatible", None, "the cache policy is not in the contract"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChange:
    """One change of a group of tools or of one of its actions. ``what`` says it in a few words, after the name."""

    name: str
    kind: str
    what: str

    @property
    def impact(self) -> Impact:
        """What it does to a caller."""
        return CLASSES[self.kind][0]

    @property
    def theirs(self) -> FusionClass | None:
        """How MCP Fusion classes it."""
        return CLASSES[self.kind][1]

    @property
    def because(self) -> str | None:
        """Why the two classes differ; None where they do not."""
        return CLASSES[self.kind][2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractLook:
    """A group of tools beside its entry. ``altered`` says that the digest is of what is shown, and not of the entry."""

    changes: tuple[ContractChange, ...] = ()
    altered: bool = False


def look_at_contract(locked: LockedTool, shown: Mapping[str, Any]) -> ContractLook:
    """Hold what a manifest shows of a group of tools to its entry in the lock file."""
    seen = tuple(_changes(locked, shown))
    computed = _digest(locked, shown)
    if computed is None:
        return ContractLook(changes=seen)
    if computed == locked.digest:
        return ContractLook(changes=seen, altered=bool(seen))
    # The file spells out neither what actions require nor what they return, nor whether a call may be repeated.
    hidden = ContractChange(name=locked.name, kind="digest", what="has another contract than the digest that is locked")
    return ContractLook(changes=seen or (hidden,))


def _digest(locked: LockedTool, shown: Mapping[str, Any]) -> str | None:
    try:
        return tool_digest(locked.name, locked.entry, shown)
    except Unhashable:
        return None


def _changes(locked: LockedTool, shown: Mapping[str, Any]) -> Iterator[ContractChange]:
    surface = locked.entry.get("surface")
    known = surface if isinstance(surface, Mapping) else {}
    yield from _of_actions(locked, shown)
    if "description" in known and known["description"] != shown.get("description"):
        yield ContractChange(name=locked.name, kind="description", what="is described otherwise")
    digest = bare(known.get("inputSchemaDigest"))
    if digest is not None and digest != _schema(shown):
        yield ContractChange(name=locked.name, kind="schema", what="takes other arguments")
    tags = known.get("tags")
    if isinstance(tags, list) and in_order(_texts(tags)) != in_order(_texts(shown.get("tags"))):
        yield ContractChange(name=locked.name, kind="tags", what="has other tags")


def _of_actions(locked: LockedTool, shown: Mapping[str, Any]) -> Iterator[ContractChange]:
    actions = shown.get("actions")
    actions = actions if isinstance(actions, Mapping) else {}
    for action in locked.actions:
        name = f"{locked.name}.{action}"
        body = actions.get(action)
        if not isinstance(body, Mapping):
            yield ContractChange(name=name, kind="action-removed", what="is in the lock file, and is not shown")
            continue
        if bool(body.get("destructive")) is not (action in locked.destructive):
            yield ContractChange(name=name, kind="destructive", what=_effect(body.get("destructive"), "destroys"))
        if bool(body.get("readOnly")) is not (action in locked.read_only):
            yield ContractChange(name=name, kind="read-only", what=_effect(body.get("readOnly"), "only reads"))
    for action in actions:
        if action not in locked.actions:
            name = f"{locked.name}.{action}"
            yield ContractChange(name=name, kind="action-added", what="is shown, and is not in the lock file")


def _effect(now: Any, what: str) -> str:
    return f"{what}, and does not by the lock file" if now else f"{what} by the lock file, and no longer"


def _schema(shown: Mapping[str, Any]) -> str | None:
    try:
        return schema_digest(shown.get("input_schema"))
    except Unhashable:
        return None


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
