"""For each answer that was read: whether it may still be gone by, until when, and what told that it went stale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.trust.deeds import Deed
from diagnose.judge.trust.state import Staleness, State

Basis: TypeAlias = Literal["immutable", "no-store", "none"]
End: TypeAlias = Literal["tag", "notification", "policy", "changed"]


#: A call may rest on so many answers, the latest ones.
MOST_GROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How far one answer reaches. ``until`` is the moment from which it is not to be gone by; None: it holds to the end.

    ``basis`` is what it is held by: a directive, or nothing but that no invalidation named it. A `no-store` answer is
    never kept: ``until`` is the moment it came. ``ended_by`` says what ended it, ``domain`` and ``cause`` of what was
    said; `changed` is that a later answer differed and nothing had said so.
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
    """Return the trust in every answer of a call that reads, in the order in which the answers came."""
    found = [trust for group in state.reads for trust in _of_group(state, group)]
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
    told = _first_told(state, read)
    changed = later.answered if later is not None and later.answer != read.answer else None
    if told is not None and (changed is None or told.at.frame <= changed.frame):
        # What was said while the answer was under way leaves it in doubt from the beginning.
        until = told.at if told.at.frame > since.frame else since
        return Trust(
            read=read,
            basis=basis,
            since=since,
            until=until,
            ended_by=told.kind,
            domain=told.domain,
            cause=told.cause,
        )
    if changed is not None:
        return Trust(read=read, basis=basis, since=since, until=changed, ended_by="changed")
    return Trust(read=read, basis=basis, since=since)


def _basis(state: State, read: Deed) -> Basis:
    directive = state.directive(read)
    return "immutable" if directive == "immutable" else "no-store" if directive == "no-store" else "none"


def _first_told(state: State, read: Deed) -> Staleness | None:
    """Return the first that was told, or is declared, to reach an answer once it had been asked for."""
    return next(state.reaching(read, read.asked.frame), None)


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
            place = trust.read.session.principal, trust.read.call
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
        mine = read.session.principal == deed.session.principal and read.arguments.items() <= deed.arguments.items()
        if not mine or trust.basis == "no-store" or trust.until is None or trust.until.frame >= deed.asked.frame:
            continue
        by = _first_told(state, read)
        sound = by is not None and by.deed is not None and not by.deed.shaped_like_error
        heard = by is not None and by.session is deed.session and by.kind != "policy"
        if sound and heard and any(state.fits(domain, read) for domain in domains):
            return trust
    return None
