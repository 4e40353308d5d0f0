"""For each answer that was read: whether it may still be gone by, until when, and what told that it went stale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.trust.deeds import Deed, Staleness
from diagnose.judge.trust.places import whose
from diagnose.judge.trust.state import State

Basis: TypeAlias = Literal["immutable", "no-store", "ttl", "none"]
End: TypeAlias = Literal["tag", "notification", "policy", "changed", "expired"]


#: A call may rest on so many answers, the latest ones.
MOST_GROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How far one answer reaches. ``until`` is the moment from which it is not to be gone by; None: it holds to the end.

    ``basis`` is what it is held by: a directive, of a resource the TTL of its answer, or nothing but that no invalidation
    named it. A `no-store` answer is never kept: ``until`` is the moment it came. ``ended_by`` says what ended it,
    ``domain`` and ``cause`` of what was said; `changed` is that a later answer differed and nothing had said so.
    """

    read: Deed
    basis: Basis
    since: Moment
    until: Moment | None = None
    ended_by: End | None = None
    domain: str | None = None
    cause: str | None = None

    def holds(self, frame: int) -> bool:
        """Tell whether the answer may be gone by when a frame has crossed."""
        return self.since.frame <= frame and (self.until is None or frame < self.until.frame)


@dataclass(frozen=True, slots=True, kw_only=True)
class Misuse:
    """A call that changed state on the ground of an answer that was stale by then. ``again`` is an equal call before it."""

    deed: Deed
    trust: Trust
    again: Deed | None = None


def trusts(state: State) -> tuple[Trust, ...]:
    """Return the trust in every answer of a call that reads, and of a resource, in the order in which the answers came."""
    found = [trust for group in (*state.reads, *state.places.readings) for trust in _of_group(state, group)]
    return tuple(sorted(found, key=lambda trust: trust.since.frame))


def _of_group(state: State, group: tuple[Deed, ...]) -> Iterator[Trust]:
    for place, read in enumerate(group):
        later = group[place + 1] if place + 1 < len(group) else None
        yield _trust(state, read, later)


def _trust(state: State, read: Deed, later: Deed | None) -> Trust:
    assert read.answered is not None
    basis, since = _basis(state, read), read.answered
    if basis == "no-store":
        return Trust(read=read, basis=basis, since=since, until=since)
    ends = [each for each in (_told(state, read), _expired(state, read), _changed(read, later)) if each is not None]
    if not ends:
        return Trust(read=read, basis=basis, since=since)
    end = min(ends, key=lambda each: each.at.frame)
    # What was said while the answer was under way leaves it in doubt from the beginning.
    until = end.at if end.at.frame > since.frame else since
    return Trust(read=read, basis=basis, since=since, until=until, ended_by=end.by, domain=end.domain, cause=end.cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ending:
    at: Moment
    by: End
    domain: str | None = None
    cause: str | None = None


def _basis(state: State, read: Deed) -> Basis:
    if read.kind == "read":
        return "none" if read.ttl is None else "ttl" if read.ttl else "no-store"
    directive = state.directive(read)
    return "immutable" if directive == "immutable" else "no-store" if directive == "no-store" else "none"


def _told(state: State, read: Deed) -> _Ending | None:
    """Return the first that was told, or is declared, to reach an answer once it had been asked for."""
    first = _first_told(state, read)
    known = _Ending(at=first.at, by=first.kind, domain=first.domain, cause=first.cause) if first is not None else None
    for update in state.places.updates.get(read.name, ()) if read.kind == "read" else ():
        if update.at.frame > read.asked.frame:
            sooner = known is None or update.at.frame < known.at.frame
            return _Ending(at=update.at, by="notification", domain=update.uri) if sooner else known
    return known


def _first_told(state: State, read: Deed) -> Staleness | None:
    return next(state.reaching(read, read.asked.frame), None)


def _expired(state: State, read: Deed) -> _Ending | None:
    """Return the moment at which the TTL of a resource was over, if the recording goes on for so long."""
    if read.answered is None or not read.ttl:
        return None
    over = state.places.moment(read.answered.t + read.ttl / 1000)
    return None if over is None else _Ending(at=over, by="expired")


def _changed(read: Deed, later: Deed | None) -> _Ending | None:
    if later is None or later.answered is None or later.answer == read.answer:
        return None
    return _Ending(at=later.answered, by="changed")


def misuses(state: State, known: tuple[Trust, ...]) -> Iterator[Misuse]:
    """Yield the calls that changed what an answer shows, made on its ground when it was stale, and not read again.

    An answer is the ground of a call if the call has all of its arguments, and makes it stale in its turn.
    """
    newest: dict[tuple[object, ...], Trust] = {}
    waiting = list(reversed(known))
    before: list[Deed] = []
    for deed in state.calls:
        while waiting and waiting[-1].since.frame < deed.asked.frame:
            trust = waiting.pop()
            if trust.read.kind == "read":
                continue  # An address says nothing of what a call is about.
            place = whose(trust.read.session), trust.read.call
            newest.pop(place, None)
            newest[place] = trust
            if len(newest) > MOST_GROUNDS:
                newest.pop(next(iter(newest)))
        if state.nature(deed) != "mutation":
            continue
        ground = _ground(state, deed, newest)
        if ground is not None:
            again = next((one for one in reversed(before) if one.call == deed.call and _took(one)), None)
            yield Misuse(deed=deed, trust=ground, again=again)
        before.append(deed)


def _took(deed: Deed) -> bool:
    return deed.outcome == "ok"


def _reach(state: State, deed: Deed) -> tuple[str, ...]:
    """Return what a call makes stale: by its own tag, by its policy, or by the tags of other calls of the tool."""
    told, resolution = state.genuine(deed), state.declared(deed)
    if told is not None or (resolution is not None and resolution.invalidates):
        return told.domains if told is not None else (resolution.invalidates if resolution is not None else ())
    others = (state.genuine(each) for each in state.calls if each.name == deed.name)
    return next((each.domains for each in others if each is not None), ())


def _ground(state: State, deed: Deed, newest: dict[tuple[object, ...], Trust]) -> Trust | None:
    domains = _reach(state, deed)
    for trust in newest.values():
        read = trust.read
        mine = whose(read.session) == whose(deed.session) and read.arguments.items() <= deed.arguments.items()
        if not mine or trust.basis == "no-store" or trust.until is None or trust.until.frame >= deed.asked.frame:
            continue
        by = _first_told(state, read)
        sound = by is not None and by.deed is not None and not by.deed.shaped_like_error
        heard = by is not None and by.session is deed.session and by.kind != "policy"
        if sound and heard and any(state.fits(domain, read) for domain in domains):
            return trust
    return None
