"""What a recording shows of the state behind a server, beside what its author declared of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Session
from diagnose.judge.trust import nature
from diagnose.judge.trust.deeds import Deed, Staleness, Update
from diagnose.judge.trust.ledger import Ledger
from diagnose.judge.trust.nature import Nature
from diagnose.judge.trust.places import Places, whose
from diagnose.statesync import (
    Declaration,
    FusionLock,
    Invalidation,
    PolicyEngine,
    Reading,
    Resolution,
    SegmentLimitError,
    find_directives,
    matches,
    parse_stale_uri,
    readings,
    resolve_wire_name,
)
from diagnose.surface import Surface

#: What may join namespace and action on the wire, where nobody declared it.
SEPARATORS = ("_", ".", "-", "/", "__")


#: So many calls may be under way at one time.
AT_ONCE = 100


@dataclass(frozen=True, kw_only=True)
class State:
    """One recording's ledger with all that it is judged by. Not slotted, for what is worked out once is kept."""

    ledger: Ledger
    sessions: tuple[Session, ...]
    policy: Declaration | None = None
    lock: FusionLock | None = None
    """The lock file of MCP Fusion that the author keeps, where it was given."""
    agreed: Surface | None = None
    """The list of a lock file of our own, where that was given."""
    _names: dict[tuple[str, str | None], tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    _reaching: dict[tuple[str, str | None], tuple[Staleness, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _natures: dict[tuple[str, str | None], Nature] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def engine(self) -> PolicyEngine | None:
        """The engine of the declared policy."""
        return self.policy.engine() if self.policy is not None else None

    @cached_property
    def places(self) -> Places:
        """What is known of resources, by their addresses."""
        return Places(ledger=self.ledger, sessions=self.sessions)

    @property
    def separators(self) -> tuple[str, ...]:
        """What joins namespace and action on the wire."""
        return (self.policy.separator,) if self.policy is not None else SEPARATORS

    @cached_property
    def surfaces(self) -> tuple[tuple[Session, Moment, Surface], ...]:
        """Every list of tools that was read to its end, oldest first."""
        found = [
            (session, walk.answered, walk.surface)
            for session in self.sessions
            for walk in session.walks
            if walk.surface is not None and walk.answered is not None
        ]
        return tuple(sorted(found, key=lambda each: each[1].frame))

    @cached_property
    def tools(self) -> Mapping[str, Mapping[str, Any]]:
        """The newest definition of each tool that was listed."""
        return {tool.name: tool.raw for _, _, surface in self.surfaces for tool in surface.tools}

    @cached_property
    def definitions(self) -> tuple[tuple[Mapping[str, Any], Moment], ...]:
        """Every description that a tool had, each with the newest list that it stood in."""
        found = {
            (tool.name, _text(tool.raw, "description")): (tool.raw, at)
            for _, at, surface in self.surfaces
            for tool in surface.tools
        }
        return tuple(found.values())

    @cached_property
    def calls(self) -> tuple[Deed, ...]:
        """Every call, in the order in which they were made."""
        return tuple(deed for deed in self.ledger.deeds if deed.kind == "call")

    @cached_property
    def speaks(self) -> bool:
        """Whether the server says anything at all of its state: a directive, a tag, a stale URI."""
        return (
            any(find_directives(_text(tool, "description")) for tool in self.tools.values())
            or any(tag.invalidation for deed in self.calls for tag in deed.tags)
            or any(update.uri is not None and parse_stale_uri(update.uri) for update in self.ledger.updates)
        )

    def action(self, deed: Deed) -> str | None:
        """Return the action that a call of a grouped tool chose."""
        name, _ = nature.chooser(self.tools.get(deed.name))
        return deed.choices.get(name)

    def names(self, tool: str, action: str | None = None) -> tuple[str, ...]:
        """Return the canonical names that a tool, or one action of it, may go by."""
        known = self._names.get((tool, action))
        if known is None:
            own = [f"{tool}.{action}"] if action is not None else []
            told = [name for separator in self.separators for name in readings(tool, separator)]
            known = self._names[tool, action] = tuple(dict.fromkeys([*own, *told]))
        return known

    def resolve(self, tool: str, action: str | None = None) -> Reading | None:
        """Return what the policy declares for a tool, or for one action of it; None without a policy."""
        if self.engine is None or self.policy is None:
            return None
        try:
            if action is not None and self.engine.deciding(f"{tool}.{action}") is not None:
                return Reading(name=f"{tool}.{action}", resolution=self.engine.resolve(f"{tool}.{action}"))
            return resolve_wire_name(self.engine, tool, self.policy.separator)
        except SegmentLimitError:
            return None

    def declared(self, deed: Deed) -> Resolution | None:
        """Return what the policy declares for a call."""
        reading = self.resolve(deed.name, self.action(deed))
        return reading.resolution if reading is not None else None

    def nature(self, deed: Deed) -> Nature:
        """Return whether a call reads or changes state."""
        place = deed.name, self.action(deed)
        if place not in self._natures:
            self._natures[place] = self._nature(*place)
        return self._natures[place]

    def only_reads(self, tool: str) -> bool:
        """Tell whether a listed tool reads, as far as is known."""
        place = tool, None
        if place not in self._natures:
            self._natures[place] = self._nature(*place)
        return self._natures[place] == "read"

    def _nature(self, name: str, action: str | None) -> Nature:
        tool = self.tools.get(name)
        noted = nature.annotated(tool)
        reading = self.resolve(name, action)
        told = nature.declared(reading.resolution if reading is not None else None)
        if noted == "read":
            return noted
        if action is not None:
            return nature.first_known([nature.action_nature(tool, action), told, nature.described(tool, action), noted])
        return nature.first_known([told, noted, nature.by_words(name)])

    def directive(self, deed: Deed) -> str | None:
        """Return how long an answer may be kept: as the policy declares it, else as the list says."""
        resolution = self.declared(deed)
        told = resolution.cache_control if resolution is not None else None
        return told or deed.directive

    def fits(self, domain: str, deed: Deed) -> bool:
        """Tell whether a domain reaches the answer of a call, or of a read of a resource."""
        return reaches(domain, self.names_of(deed))

    def names_of(self, deed: Deed) -> tuple[str, ...]:
        """Return the canonical names of a call; of a read, the address and the name that its resource was listed by."""
        if deed.kind != "read":
            return self.names(deed.name, self.action(deed))
        known = self.ledger.resources.get(deed.name)
        return (deed.name,) if known is None else (deed.name, known.name)

    def genuine(self, deed: Deed) -> Invalidation | None:
        """Return the invalidation of a call that is the server's own: in front, of this very call, of no mere read.

        Any tool may return such a text as its content; one whose tool only reads, or that names another cause, is not
        to be believed.
        """
        first = next((tag for tag in deed.tags if tag.index == 0), None)
        if first is None or deed.outcome != "ok" or nature.annotated(self.tools.get(deed.name)) == "read":
            return None
        told, resolution = first.invalidation, self.declared(deed)
        undeclared = self.engine is not None and (resolution is None or not resolution.invalidates)
        own = bool(told.cause) and told.cause in self.names(deed.name, self.action(deed))
        return told if own and not undeclared else None

    @cached_property
    def _updates(self) -> tuple[Update, ...]:
        return tuple(self.ledger.updates)

    def updates(self, after: int, before: int) -> list[Update]:
        """Return the updates of resources that came between two frames."""
        start = bisect_right(self._updates, after, key=lambda update: update.at.frame)
        end = bisect_right(self._updates, before - 1, key=lambda update: update.at.frame)
        return list(self._updates[start:end])

    def alone(self, deed: Deed) -> bool:
        """Tell whether no other call was under way together with one."""
        begun = bisect_right(self.calls, min(deed.end, 1 << 61), key=_asked)
        near = self.calls[max(0, begun - AT_ONCE) : begun]
        return all(other is deed or other.end < deed.asked.frame for other in near)

    @cached_property
    def staleness(self) -> tuple[Staleness, ...]:
        """Everything that was said, or is declared, to have become stale, in order."""
        found = [*self._told_by_tags(), *self._told_by_updates()]
        return tuple(sorted(found, key=lambda each: each.at.frame))

    def _told_by_tags(self) -> Iterator[Staleness]:
        for deed in self.calls:
            if deed.answered is None:
                continue
            told = self.genuine(deed)
            resolution = self.declared(deed)
            meant = resolution.invalidates if resolution is not None and self._took_effect(deed) else ()
            if told is not None:
                for domain in told.domains:
                    yield self._stale(deed, deed.answered, domain, "tag", told.cause)
            elif self.nature(deed) == "mutation":
                for domain in meant:
                    yield self._stale(deed, deed.answered, domain, "policy", None)

    def _took_effect(self, deed: Deed) -> bool:
        return deed.outcome == "ok" and not deed.shaped_like_error

    def _stale(
        self, deed: Deed, at: Moment, domain: str, kind: Literal["tag", "policy"], cause: str | None
    ) -> Staleness:
        return Staleness(at=at, session=deed.session, domain=domain, cause=cause or deed.name, kind=kind, deed=deed)

    def _told_by_updates(self) -> Iterator[Staleness]:
        for update in self.ledger.updates:
            stale = parse_stale_uri(update.uri) if update.uri is not None else None
            if stale is not None:
                deed = self._announcing(update, stale.pattern)
                told = self.genuine(deed) if deed is not None else None
                yield Staleness(
                    at=update.at,
                    session=update.session,
                    domain=stale.pattern,
                    cause=told.cause if told is not None else None,
                    kind="notification",
                    deed=deed,
                )

    def _announcing(self, update: Update, domain: str) -> Deed | None:
        """Return the call under way whose tag names the domain of an update: what comes before its answer is of it."""
        begun = bisect_right(self.calls, update.at.frame, key=_asked)
        return next(
            (
                deed
                for deed in self.calls[max(0, begun - AT_ONCE) : begun]
                if deed.asked.frame < update.at.frame < deed.end
                and (told := self.genuine(deed)) is not None
                and domain in told.domains
            ),
            None,
        )

    def said_stale(self, deed: Deed, after: int, until: int) -> Staleness | None:
        """Return what told, between two frames, that the answer of a call is stale; nothing that is only declared."""
        return next((each for each in self.reaching(deed, after, until) if each.kind != "policy"), None)

    def reaching(self, deed: Deed, after: int, until: int = 1 << 62) -> Iterator[Staleness]:
        """Yield what made the answer of a call stale, between two frames, but for what that call itself said."""
        place = deed.name, deed.kind if deed.kind == "read" else self.action(deed)
        known = self._reaching.get(place)
        if known is None:
            fitting = {domain for domain in {each.domain for each in self.staleness} if self.fits(domain, deed)}
            known = self._reaching[place] = tuple(each for each in self.staleness if each.domain in fitting)
        for index in range(bisect_right(known, after, key=_frame), len(known)):
            if known[index].at.frame > until:
                return
            if known[index].deed is not deed:
                yield known[index]

    @cached_property
    def reads(self) -> tuple[tuple[Deed, ...], ...]:
        """The calls that read and were answered, those of one question and one caller together, in order."""
        groups: dict[tuple[Any, ...], list[Deed]] = {}
        for deed in self.calls:
            if deed.outcome == "ok" and not deed.shaped_like_error and self._reads(deed):
                groups.setdefault((whose(deed.session), deed.call), []).append(deed)
        return tuple(tuple(sorted(group, key=lambda deed: deed.end)) for group in groups.values())

    def _reads(self, deed: Deed) -> bool:
        known = self.nature(deed)
        if known != "unknown":
            return known == "read"
        tool = self.tools.get(deed.name)
        seems = not deed.tags and nature.described(tool, self.action(deed)) == "read"
        return seems or self.directive(deed) == "immutable"

    @cached_property
    def changes(self) -> tuple[Deed, ...]:
        """Every call that may have changed state, and every prompt, in the order in which they were made."""
        return tuple(
            deed
            for deed in self.ledger.deeds
            if deed.kind == "prompt" or (deed.kind == "call" and self.nature(deed) != "read")
        )

    def between(self, first: Deed, second: Deed) -> list[Deed]:
        """Return what may have changed state while, or after, one read was made and before another's answer."""
        begun = bisect_right(self.changes, first.asked.frame, key=_asked)
        last = bisect_right(self.changes, second.end - 1, key=_asked)
        near = self.changes[max(0, begun - AT_ONCE) : last]
        return [deed for deed in near if deed.end > first.asked.frame]


def _asked(deed: Deed) -> int:
    return deed.asked.frame


def _frame(each: Staleness) -> int:
    return each.at.frame


def reaches(domain: str, names: Iterable[str]) -> bool:
    """Tell whether a pattern fits any of some names; one of too many segments fits none."""
    try:
        return any(matches(domain, name) for name in names)
    except SegmentLimitError:
        return False


def _text(tool: Mapping[str, Any], name: str) -> str:
    value = tool.get(name)
    return value if isinstance(value, str) else ""
