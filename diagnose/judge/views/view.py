"""One view of the list, read: whose tools are whose, what a known rewriting explains, and what is left of a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from diagnose.clients import MODEL_CARRIES, Lens, Reading, gateway_lens
from diagnose.evidence.observation import Observation
from diagnose.judge.views.policy import BUILT_IN, NO_POLICY, Policy
from diagnose.judge.views.rewriting import loosely_equal
from diagnose.judge.words import counted
from diagnose.surface import Change, Relation, Surface, Tool, difference, relation_of

Layer: TypeAlias = Literal["path", "registry", "model"]

#: Of so many tools that both sides have, none shows a member that the live ones have: then the view has no such member.
_FEW = 2
#: So much is told of what a lens explains.
_PARTS = 6


@dataclass(frozen=True, kw_only=True)
class View:
    """What one layer shows of the list that stands before it, under the live names.

    ``held`` are its tools of this server, with the live definition wherever a rewriting explains the shown one;
    ``live`` is the list before it, without what the client's configuration hides on purpose.
    """

    layer: Layer
    seen: Observation
    shown: Surface
    side: str
    """The layer that ``live`` was observed at."""
    live: Surface
    whole: Surface
    """The list before it as it is, hidden tools included."""
    held: Surface
    lens: Lens
    relation: Relation
    changes: tuple[Change, ...] = ()
    why: str | None = None
    rewritten: Mapping[str, str] = field(default_factory=dict)
    """Tools whose definition is rewritten in a way that is known, and not of this client, with how."""
    cut: tuple[str, ...] = ()
    """Tools whose text is cut."""
    collided: tuple[tuple[str, tuple[str, ...]], ...] = ()
    foreign: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    policy: Policy = NO_POLICY
    frames: tuple[str, ...] = ()
    """The evidence of the list before it, where it is a recording."""
    counts: bool = True
    """Whether the verdict stands on this pair: not on one of two authorizations."""
    beyond: View | None = None
    """The same beside what the server has now, where the list before it is what the client was sent."""

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Live tools that it does not show."""
        return tuple(name for name in dict.fromkeys(self.live.names) if name not in self.held.by_name)

    @cached_property
    def extra(self) -> tuple[str, ...]:
        """Tools that it shows and that are not live."""
        return tuple(name for name in dict.fromkeys(self.held.names) if name not in self.live.by_name)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """Live tools that it shows, in the order of the live list."""
        return tuple(name for name in dict.fromkeys(self.live.names) if name in self.held.by_name)

    @property
    def altered(self) -> tuple[str, ...]:
        """Tools that both have, with another definition to a caller or a model, and what the server says beside them."""
        both = (change for change in self.changes if change.kind == "changed" and change.impact != "cosmetic")
        return tuple(change.subject for change in both)

    @property
    def differs(self) -> bool:
        """Whether it shows another list than the one before it."""
        return self.relation == "different" and self.counts

    @property
    def is_subset(self) -> bool:
        """Whether it only lacks tools."""
        return bool(self.missing) and not self.extra and not self.altered


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The tools of a view that are this server's, under their live names, and what was found on the way."""

    tools: tuple[Mapping[str, Any], ...]
    how: tuple[str, ...] = ()
    rewritten: Mapping[str, str] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    unshown: tuple[str, ...] = ()


def read_view(
    layer: Layer,
    seen: Observation,
    live: Surface,
    side: str,
    *,
    lens: Lens,
    prefix: str | None = None,
    policy: Policy = NO_POLICY,
    frames: tuple[str, ...] = (),
) -> View | None:
    """Read one view beside the list that stands before it; None where the layer showed no list."""
    shown = seen.surface if seen.complete else None
    if shown is None:
        return None
    names, foreign, collided, how = _names(layer, shown, live, lens, prefix)
    own = [tool for tool in shown.tools if tool.name in names]
    blind = shown.names_only or _names_alone(own, live)
    taken = (
        _take(own, names, live, lens, layer) if not blind else Taken(tools=tuple({"name": names[t.name]} for t in own))
    )
    held = _held(taken.tools, shown, live, blind=blind)
    wanted = _without(live, policy.hidden, held, shown)
    changes = difference(*((wanted, held) if layer == "path" else (held, wanted)))
    found = relation_of(held, wanted, changes)
    said = (*how, *taken.how, *_said_of_policy(policy), *taken.unshown)
    if found == "unknown":
        said = ("only names are known of a side",) if blind or live.names_only else ("a definition cannot be hashed",)
    elif found == "equal" and said:
        found = "equivalent"
    elif found == "different":
        said = ("a view of names alone",) if blind else ()
    return View(
        layer=layer,
        seen=seen,
        shown=shown,
        side=side,
        live=wanted,
        whole=live,
        held=held,
        lens=lens,
        relation=found,
        changes=changes,
        why="; ".join(dict.fromkeys(said)) or None,
        rewritten=taken.rewritten,
        cut=taken.cut,
        collided=collided,
        foreign=foreign,
        names=names,
        policy=policy,
        frames=frames,
    )


def _names(
    layer: Layer, shown: Surface, live: Surface, lens: Lens, prefix: str | None
) -> tuple[Mapping[str, str], tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]:
    if layer == "path":
        gateway = gateway_lens(live.names, shown.names, prefix)
        names, foreign = gateway.read(shown.names, live.names)
        how = (f"the gateway puts {gateway.prefix!r} before names",) if gateway.prefix else ()
        more = (f"{counted(len(foreign), 'tool')} of other servers taken out",) if foreign else ()
        return names, foreign, (), (*how, *more)
    reading = lens.read(shown.names, live.names)
    reading = _without_strangers(reading, lens, layer)
    mapped = sum(form != name for form, name in reading.names.items())
    how = (f"{lens.client} shows names of its own making",) if mapped else ()
    out = counted(len(reading.foreign), "tool")
    more = (f"{out} of other servers or of the client taken out",) if reading.foreign else ()
    return reading.names, reading.foreign, reading.collided, (*how, *more)


def _without_strangers(reading: Reading, lens: Lens, layer: Layer) -> Reading:
    """Count to the client's own tools what cannot be this server's: its model is offered those under a prefix alone."""
    prefixed = layer == "model" and lens.server_key is not None and not lens.forward("x").startswith("x")
    bare = [name for name in reading.unmatched if not reading.prefix and (prefixed or name in BUILT_IN)]
    if not bare:
        return reading
    names = {form: name for form, name in reading.names.items() if form not in bare}
    unmatched = tuple(name for name in reading.unmatched if name not in bare)
    return replace(reading, names=names, foreign=(*reading.foreign, *bare), unmatched=unmatched)


def _names_alone(own: Sequence[Tool], live: Surface) -> bool:
    """Tell whether a view has no input schemas at all, and so proves nothing of definitions, though it does not say so."""
    bare = bool(own) and not any("inputSchema" in tool.definition or tool.redacted for tool in own)
    both = [tool for name in {tool.name for tool in own} for tool in live.by_name.get(name, ())]
    return bare and (not both or any("inputSchema" in tool.definition for tool in both)) and len(own) > 0


def _take(own: Sequence[Tool], names: Mapping[str, str], live: Surface, lens: Lens, layer: Layer) -> Taken:
    """Put the live definition in the place of each shown one that a rewriting explains."""
    members = _members(own, names, live, layer)
    lens = lens.carrying(members)
    tools: list[Mapping[str, Any]] = []
    how: list[str] = []
    rewritten: dict[str, str] = {}
    cut: list[str] = []
    for tool in own:
        name = names[tool.name]
        renamed = {**tool.definition, "name": name} if tool.name != name else tool.definition
        twins = live.by_name.get(name, ())
        if any(each.identity == tool.identity for each in twins) and renamed is tool.definition:
            tools.append(tool.raw)
            continue
        for each in twins:
            said = lens.explains(each.definition, renamed) if layer != "path" else None
            other = None
            if said is None and layer != "path":
                other = lens.rewrites(each.definition, renamed) or loosely_equal(each.definition, renamed)
            if said is None and other is None:
                continue
            tools.append(each.raw)
            if other is not None:
                rewritten[name] = other
            if "cuts long texts" in (said or other or ""):
                cut.append(name)
            if said != "the definitions are equal":
                how.append(said or other or "")
            break
        else:
            tools.append(renamed)
    said_once = tuple(dict.fromkeys(part for each in how for part in each.split("; ")))
    return Taken(tools=tuple(tools), how=said_once[:_PARTS], rewritten=rewritten, cut=tuple(cut))


def _members(own: Sequence[Tool], names: Mapping[str, str], live: Surface, layer: Layer) -> frozenset[str] | None:
    """Return which members of a definition the view has at all; None for all."""
    if layer == "path":
        return None
    pairs = [(tool, live.by_name[names[tool.name]][0]) for tool in own if names[tool.name] in live.by_name]
    there = {key for tool, _ in pairs for key in tool.definition}
    if layer == "model" and there <= MODEL_CARRIES | {"name"}:
        return MODEL_CARRIES
    asked = {key for _, each in pairs for key in each.definition}
    gone = {key for key in asked - there if sum(key in each.definition for _, each in pairs) >= _FEW}
    return frozenset((asked | there) - gone) if gone else None


def _held(tools: Sequence[Mapping[str, Any]], shown: Surface, live: Surface, *, blind: bool) -> Surface:
    if blind:
        return Surface.of(tools, names_only=True)
    words = shown.instructions if live.instructions is not None else None
    return Surface.recorded(tools, words)


def _without(live: Surface, hidden: Sequence[str], held: Surface, shown: Surface) -> Surface:
    """Return the list before it without what is hidden on purpose, and without words that the view cannot show."""
    gone = {name for name in hidden if name not in held.by_name}
    words = live.instructions if shown.instructions is not None else None
    if not gone and words == live.instructions and live.capabilities is None:
        return live
    kept = [entry for entry in live.raw_entries if not (isinstance(entry, Mapping) and str(entry.get("name")) in gone)]
    if live.names_only:
        return Surface.of(kept, words, names_only=True)
    return Surface.recorded(kept, words, revision=None if gone else live.revision, digest=None if gone else live.digest)


def _said_of_policy(policy: Policy) -> Iterator[str]:
    if policy.hidden:
        are = "is" if len(policy.hidden) == 1 else "are"
        yield f"{counted(len(policy.hidden), 'live tool')} {are} hidden on purpose by the client's configuration"
