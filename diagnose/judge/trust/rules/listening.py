"""The rule of listening for updates: what was granted, or taken, is told of (L1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Moment, Stream
from diagnose.judge.timeline.model import Session
from diagnose.judge.trust.deeds import Deed, addresses
from diagnose.judge.trust.needs import states, subscribed
from diagnose.judge.trust.rules.updates import FAMILY, SUBSCRIPTIONS
from diagnose.judge.trust.state import State

#: Seconds for which a subscription is open before its end is taken for more than a refusal.
_LIVED = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hearing:
    """A resource that a client is told of, from one moment to another; None: to the end."""

    uri: str
    session: Session
    since: Moment
    until: Moment | None = None


@check(
    "listen-inert",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="Who listens, or has subscribed, is granted something, stays connected, and hears of a change of it (L1).",
    why="A client that listens stops asking; of an inert subscription it hears nothing for ever.",
    remedy="Declare the capabilities that subscriptions are granted by, keep the stream open, and send the changes.",
    source=SUBSCRIPTIONS,
    message="The subscription {subscription} {what}.",
    needs=(subscribed,),
)
def listen_inert(case: Case) -> Iterable[Seen]:
    """Look at what was granted, how long it lived, and at changes that were not heard."""
    for line, state in states(case):
        told: set[tuple[int, str]] = set()
        for session, stream in _listening(state):
            what, more = _inert(state, session, stream)
            # A client that is turned away asks again, and is told the same.
            if what and (id(session), what) not in told:
                told.add((id(session), what))
                promised = state.speaks or _promised(session, stream)
                yield Seen(
                    args={"subscription": stream.subscription, "what": what},
                    evidence=line.frames(stream.asked, stream.acknowledged, stream.closed, *more),
                    severity=None if promised else "warning",
                )
        for each in state.ledger.subscriptions:
            if each.accepted and each.answered is not None and not state.places.is_nothing(each.uri):
                until = state.ledger.unsubscribed(each)
                hearing = _Hearing(uri=each.uri, session=each.session, since=each.answered, until=until)
                unheard = tuple(_unheard(state, hearing))
                if unheard:
                    what = "was taken, and a change that it was to tell of was not told"
                    yield Seen(
                        args={"subscription": each.uri, "what": what},
                        evidence=line.frames(each.asked, each.answered, *unheard),
                    )


def _listening(state: State) -> Iterator[tuple[Session, Stream]]:
    """Yield the subscriptions that were not refused and ask for something that a server may have."""
    for session in state.sessions:
        for stream in session.streams:
            asked = any(value is True for value in stream.wanted.values())
            there = asked or any(not state.places.is_nothing(uri) for uri in addresses(stream.wanted))
            ended = stream.closed is not None and stream.by == "server" and stream.refusal is None
            if stream.purpose == "listen" and (stream.acknowledged is not None or ended) and there:
                yield session, stream


def _promised(session: Session, stream: Stream) -> bool:
    """Tell whether the server declares to tell of anything that was asked for."""
    declared = session.capabilities or {}
    flags = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}
    asked = [(flags[name], "listChanged") for name in stream.wanted.keys() & flags.keys()]
    asked += [("resources", "subscribe")] if addresses(stream.wanted) else []
    return any(
        isinstance(part := declared.get(capability), Mapping) and part.get(what) is True for capability, what in asked
    )


def _inert(state: State, session: Session, stream: Stream) -> tuple[str | None, tuple[Moment, ...]]:
    # What ended at once, or was not granted, should have told of all that changed since it was asked for.
    wished = [_Hearing(uri=uri, session=session, since=stream.asked) for uri in addresses(stream.wanted)]
    unheard = tuple(moment for each in wished for moment in _unheard(state, each))
    heard = "" if not unheard else "; what it was to tell of changed unheard"
    if stream.acknowledged is None:
        return f"was never acknowledged, and was ended by the server{heard}", unheard
    if not any((stream.granted or {}).values()):
        ended = ", and was ended at once" if stream.closed is not None and stream.by == "server" else ""
        return f"was granted nothing of what it asked for{ended}{heard}", unheard
    if stream.by == "server" and stream.lived is not None and stream.lived < _LIVED:
        return f"was granted and ended at once{heard}", unheard
    since = stream.acknowledged
    ears = [_Hearing(uri=uri, session=session, since=since, until=stream.closed) for uri in addresses(stream.granted)]
    missed = tuple(moment for each in ears for moment in _unheard(state, each))
    return ("was granted, and a change that it was to tell of was not told", missed) if missed else (None, ())


def _unheard(state: State, hearing: _Hearing) -> Iterator[Moment]:
    """Yield the answers of a resource that changed while somebody was to be told, without an update of it having come."""
    since, until = hearing.since.frame, hearing.until.frame if hearing.until is not None else 1 << 62
    reads = [
        deed
        for deed in state.places.reads.get(hearing.uri, ())
        if deed.outcome == "ok" and deed.session is hearing.session
    ]
    for first, second in pairwise(reads):
        if first.answer == second.answer or not since < second.asked.frame or not second.end < until:
            continue
        inside = first.end > since or _changed_between(state, since, second)
        updates = state.places.updates.get(hearing.uri, ())
        told = hearing.uri in state.places.misspoken or (
            bool(updates) and updates[-1].at.frame > max(since, first.asked.frame)
        )
        if inside and not told and _could_hear(hearing, first, second):
            yield from (moment for moment in (first.answered, second.answered) if moment is not None)
            return


def _changed_between(state: State, since: int, read: Deed) -> bool:
    place = bisect_right(state.changes, since, key=lambda deed: deed.asked.frame)
    return place < len(state.changes) and state.changes[place].asked.frame < read.asked.frame


def _could_hear(hearing: _Hearing, first: Deed, second: Deed) -> bool:
    """Tell whether there was a channel: a pipe always is one, a handshake session over HTTP needs its GET stream."""
    if hearing.session.transport == "stdio" or hearing.session.era == "modern":
        return True
    if first.answered is None or second.answered is None:
        return False
    start, end = first.answered.t, second.answered.t
    return any(stream.purpose == "get" and stream.carries(start, end) for stream in hearing.session.streams)
