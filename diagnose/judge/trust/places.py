"""What a recording shows of resources, by their addresses: reads, updates, who subscribed, and what is there at all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Session
from diagnose.judge.trust.deeds import Deed, Update, addresses
from diagnose.judge.trust.ledger import Ledger
from diagnose.wire.uri_template import may_fit

#: A frame that no recording has.
NEVER = 1 << 62


@dataclass(frozen=True, kw_only=True)
class Places:
    """The resources of one recording. Not slotted, for what is worked out once is kept."""

    ledger: Ledger
    sessions: tuple[Session, ...]
    _nothing: dict[str, bool] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def reads(self) -> Mapping[str, tuple[Deed, ...]]:
        """The answered reads of each resource, in order."""
        found: dict[str, list[Deed]] = {}
        for deed in self.ledger.deeds:
            if deed.kind == "read" and deed.answered is not None:
                found.setdefault(deed.name, []).append(deed)
        return {uri: tuple(reads) for uri, reads in found.items()}

    @cached_property
    def readings(self) -> tuple[tuple[Deed, ...], ...]:
        """The reads that brought something, those of one address and one caller together, in order."""
        groups: dict[tuple[str | None, str], list[Deed]] = {}
        for reads in self.reads.values():
            for deed in reads:
                if deed.outcome == "ok" and not deed.empty:
                    groups.setdefault((whose(deed.session), deed.name), []).append(deed)
        return tuple(tuple(sorted(group, key=lambda deed: deed.end)) for group in groups.values())

    @cached_property
    def updates(self) -> Mapping[str, tuple[Update, ...]]:
        """The updates of each resource, in order."""
        found: dict[str, list[Update]] = {}
        for update in self.ledger.updates:
            if update.uri is not None:
                found.setdefault(update.uri, []).append(update)
        return {uri: tuple(updates) for uri, updates in found.items()}

    @cached_property
    def misspoken(self) -> frozenset[str]:
        """The addresses of which an update was told against the schema: what was not heard has that for its reason."""
        return frozenset(update.meant for update in self.ledger.updates if update.meant is not None)

    @cached_property
    def _subscribed(self) -> Mapping[tuple[int, str], int]:
        found: dict[tuple[int, str], int] = {}
        for each in self.ledger.subscriptions:
            if each.accepted and each.answered is not None:
                found.setdefault((id(each.session), each.uri), each.answered.frame)
        for session in self.sessions:
            for stream in session.streams:
                granted = stream.acknowledged.frame if stream.acknowledged is not None else NEVER
                for uri in addresses(stream.granted):
                    found[id(session), uri] = min(found.get((id(session), uri), NEVER), granted)
        return found

    def subscribed(self, session: Session, uri: str, at: Moment) -> bool:
        """Tell whether a session was subscribed to a resource at a moment, in either era's way."""
        return self._subscribed.get((id(session), uri), NEVER) < at.frame

    def is_nothing(self, uri: str) -> bool:
        """Tell whether a URI is shown to be of no resource: it was read in vain, or is in neither list of those read."""
        if uri not in self._nothing:
            self._nothing[uri] = self._is_nothing(uri)
        return self._nothing[uri]

    def _is_nothing(self, uri: str) -> bool:
        reads = self.reads.get(uri, ())
        if reads:
            return all(deed.empty or deed.outcome == "refused" for deed in reads)
        # Without the templates, a URI that is not listed may still be one of theirs.
        if not self.ledger.resource_lists >= {"resources/list", "resources/templates/list"}:
            return False
        return uri not in self.ledger.resources and not any(may_fit(template, uri) for template in self._templates)

    @cached_property
    def _templates(self) -> tuple[str, ...]:
        return tuple(known.uri for known in self.ledger.resources.values() if known.template)

    @cached_property
    def _moments(self) -> tuple[Moment, ...]:
        found = [moment for deed in self.ledger.deeds for moment in (deed.asked, deed.answered) if moment is not None]
        return tuple(sorted(found, key=lambda moment: moment.t))

    def moment(self, t: float) -> Moment | None:
        """Return a time, in seconds since the start, with the last frame of a call or a read before it.

        None where nothing comes after it.
        """
        place = bisect_right(self._moments, t, key=lambda moment: moment.t)
        return Moment(frame=self._moments[place - 1].frame, t=t) if 0 < place < len(self._moments) else None


def whose(session: Session) -> str | None:
    """Return who shares the state that a session sees: a process that starts anew may have another, sessions over HTTP not."""
    return session.key if session.transport == "stdio" else session.principal
