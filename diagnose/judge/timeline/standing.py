"""How each client of a recording stands: what it holds, what the server has by now, and what shows that these differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from diagnose.evidence.bundle import WAIT, Bundle
from diagnose.evidence.observation import LayerName, Observation
from diagnose.judge.clock import seconds_after
from diagnose.judge.diagnosis import Confidence
from diagnose.judge.timeline.deeds import Call, Moment, Signal, Walk
from diagnose.judge.timeline.elsewhere import Sight, can_do_the_same, sights
from diagnose.judge.timeline.model import Client, Session, Timeline
from diagnose.judge.walks import surface_of
from diagnose.surface import Change, Relation, Surface, difference, relation, relation_of

Silence: TypeAlias = Confidence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Something that shows that the list moved after the client had read it.

    ``t`` is when that was so at the latest, on the recording's clock; None where it is not known.
    """

    words: str
    evidence: tuple[str, ...]
    t: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The client's list beside a newer one: that of another layer, or the newest of the recording itself."""

    side: str
    """`origin`, `path`, or a frame of the recording."""
    layer: LayerName | None
    relation: Relation
    changes: tuple[Change, ...] = ()
    t: float | None = None
    why: str | None = None
    """Why a difference says nothing about this client; None where it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One client of one recording, with all that its list is judged by."""

    timeline: Timeline
    client: Client
    pairs: tuple[Pair, ...] = ()
    proofs: tuple[Proof, ...] = ()
    outside: Surface | None = None
    """The list of the neighbouring layer that was observed by a session of our own."""
    wait: float = WAIT

    @property
    def held(self) -> Walk | None:
        """The list that the client last read to its end."""
        return self.client.held

    @property
    def session(self) -> Session:
        """Its newest session."""
        return self.client.session

    @property
    def behind(self) -> bool:
        """Whether it is shown to hold an old list."""
        return bool(self.proofs)

    @property
    def current(self) -> bool:
        """Whether it is shown to hold the newest list; what it read itself shows nothing once a signal came after it."""
        heard = self.unheeded.at.t if self.unheeded is not None else None
        told = [
            pair
            for pair in self.pairs
            if pair.why is None
            and pair.relation != "unknown"
            and not (pair.layer is None and heard is not None and pair.t is not None and heard > pair.t)
        ]
        return not self.proofs and bool(told) and all(pair.relation in {"equal", "equivalent"} for pair in told)

    @property
    def until(self) -> float:
        """How long the client was watched: to the end of its session, or of the recording."""
        ending = self.session.ending
        return ending.at.t if ending is not None else self.timeline.last.t

    @property
    def over(self) -> bool:
        """Whether its session ended, so that nothing of it is missing from the recording."""
        return self.session.ending is not None or self.timeline.ended == "closed"

    @property
    def now(self) -> float:
        """The latest time that the evidence speaks of."""
        return max([self.timeline.last.t, *(pair.t for pair in self.pairs if pair.t is not None)])

    def silence(self, since: float) -> Silence:
        """Return how sure it is that nothing more would have come after a moment (`causes.md`, rule 2).

        *proven* once the wait is over, *likely* if the session ended before, None if the recording stopped sooner.
        """
        if self.until - since >= self.wait:
            return "proven"
        return "likely" if self.over else None

    @property
    def fresh_until(self) -> float | None:
        """Until when its list is fresh by contract; None without a TTL above 0 (MCP 2026-07-28, server/utilities/caching)."""
        held = self.held
        if held is None or held.answered is None or held.era != "modern":
            return None
        ttl = held.ttl_ms
        valid = isinstance(ttl, int) and not isinstance(ttl, bool) and ttl > 0
        # Every page has a clock of its own; the first that runs out ends it for the whole.
        return min(page.answered.t for page in held.pages) + ttl / 1000 if valid else None

    @property
    def inside_ttl(self) -> bool:
        """Whether its list is fresh by contract to the end of the evidence, and no signal ended that."""
        until, held = self.fresh_until, self.held
        signalled = held is not None and any(
            signal.declared is not False and signal.at.frame > held.asked.frame for signal in self.session.signals
        )
        return until is not None and until > self.now and not signalled

    @property
    def unheeded(self) -> Signal | None:
        """The last signal, where no list was asked for after it; one that was not declared may be passed over."""
        for session in reversed(self.client.sessions):
            signal = session.signals.newest
            if signal is not None and signal.declared is not False:
                later = session.lists_asked > signal.lists_before or any(
                    other.lists_asked for other in self.client.sessions if other.first.frame > signal.at.frame
                )
                return None if later else signal
            if session.lists_asked:
                return None
        return None

    @property
    def pending(self) -> str | None:
        """What was still open when the recording stopped, in words; None where nothing was."""
        signal, walk = self.unheeded, self.session.walks.newest
        if signal is not None and self.silence(signal.at.t) is None:
            return "a signal came, and the recording stopped before the client could react"
        if walk is not None and walk.state in {"asking", "open"} and walk.given_up is None:
            since = walk.answered or walk.asked
            if self.silence(since.t) is None:
                return "a list was being read when the recording stopped"
        return None

    @property
    def label(self) -> str:
        """What findings about this client's newest session are filed under."""
        return self.timeline.label(self.session)

    def frames(self, *moments: Moment | int | None) -> tuple[str, ...]:
        """Return moments as evidence, see `Timeline.frames`."""
        return self.timeline.frames(*moments)

    @property
    def proof(self) -> tuple[str, ...]:
        """The evidence of all proofs."""
        return tuple(dict.fromkeys(each for proof in self.proofs for each in proof.evidence))


def standings(bundle: Bundle, timelines: Sequence[Timeline]) -> tuple[Standing, ...]:
    """Return how each client of each recording stands."""
    return tuple(
        _standing(bundle, timeline, client, timelines) for timeline in timelines for client in timeline.clients
    )


def _standing(bundle: Bundle, timeline: Timeline, client: Client, timelines: Sequence[Timeline]) -> Standing:
    bare = Standing(timeline=timeline, client=client, wait=bundle.wait)
    layer = _neighbour(bundle, timeline)
    seen = _of_its_kind(bundle.path if layer == "path" else bundle.origin, bare.session)
    bare = replace(bare, outside=surface_of(seen))
    held = client.held
    surface = held.surface if held is not None else None
    if held is None or surface is None:
        return bare
    outside = tuple(_outside(bare, surface, seen, layer)) or tuple(_beside(bare, held, surface, timelines))
    inside = tuple(_inside(bare, held, surface))
    # That a list is equal to itself says nothing beside what an own session saw.
    pairs = (*outside, *(pair for pair in inside if not outside or pair.relation != "equal"))
    shown = tuple(
        Proof(words=f"{pair.side} has another list", evidence=(pair.side, *bare.frames(held.answered)), t=pair.t)
        for pair in pairs
        if pair.relation == "different" and pair.why is None
    )
    return replace(bare, pairs=pairs, proofs=(*shown, *_by_calls(bare, surface)))


def _neighbour(bundle: Bundle, timeline: Timeline) -> LayerName:
    """Return the layer next to the wire that was observed: the path at a client's hop, else the origin."""
    return "path" if bundle.path is not None and timeline.header.hop != "gateway-server" else "origin"


def _outside(standing: Standing, held: Surface, seen: Observation | None, layer: LayerName) -> Iterator[Pair]:
    """Compare with the neighbour on the ladder."""
    surface = surface_of(seen)
    if seen is None or surface is None:
        return
    changes = difference(held, surface)
    t = seconds_after(standing.timeline.header.started_at, seen.at)
    found = relation_of(held, surface, changes)
    why = _elsewhen(standing, t) if found == "different" else None
    yield Pair(side=layer, layer=layer, relation=found, changes=changes, t=t, why=why)


def _beside(standing: Standing, held: Walk, surface: Surface, lines: Sequence[Timeline]) -> Iterator[Pair]:
    """Compare with the newest list that another recording of the same server holds, where it is newer and another one."""
    others = [line for line in lines if line is not standing.timeline]
    seen = list(sights(standing.timeline, standing.session, others))
    timed = [(each.t, each) for each in seen if each.t is not None]
    if not timed:
        yield from _untimed(surface, seen)
        return
    t, newest = max(timed, key=lambda pair: pair[0])
    if held.answered is None or _elsewhen(standing, t) is not None or t <= held.answered.t:
        return
    changes = difference(surface, newest.surface)
    found = relation_of(surface, newest.surface, changes)
    if found == "different":
        yield Pair(side=newest.frames[0], layer=None, relation=found, changes=changes, t=t)


def _untimed(surface: Surface, seen: Sequence[Sight]) -> Iterator[Pair]:
    """Yield that another recording holds another list, and nobody can tell which of the two is the newer one."""
    for each in seen:
        if relation(surface, each.surface) == "different":
            why = "the recordings do not say when they began, so that neither list is known to be the newer one"
            yield Pair(side=each.frames[0], layer=None, relation="unknown", why=why)
            return


def _elsewhen(standing: Standing, t: float | None) -> str | None:
    """Say why a list that was read at another time shows nothing; a time that is not stated is taken for the end."""
    held = standing.held
    if t is None or held is None or held.answered is None:
        return None
    if t < held.asked.t:
        return "it was read before the client read its own"
    ending = standing.session.ending
    if ending is not None and t > ending.at.t + standing.wait:
        return "the client's session had ended before it was read"
    return None


def _of_its_kind(seen: Observation | None, session: Session) -> Observation | None:
    """Return the newest complete walk of the client's own authorization and era, as far as these are told."""
    if seen is None:
        return None
    walks = [walk for walk in (seen.samples or (seen,)) if surface_of(walk) is not None]
    for kind in (
        [walk for walk in walks if walk.principal is not None and walk.principal == session.principal],
        [walk for walk in walks if walk.era is not None and walk.era == session.era],
    ):
        walks = kind or walks
    return walks[-1] if walks else None


def _inside(standing: Standing, held: Walk, surface: Surface) -> Iterator[Pair]:
    """Compare with the newest list that the server sent in this recording to anybody of the same authorization and abilities."""
    sessions = standing.timeline.sessions
    walks = [
        walk
        for session in sessions
        if can_do_the_same(standing.session, session)
        for walk in session.walks
        if walk.whole and walk.answered is not None and walk.principal in {held.principal, None}
    ]
    total = sum(1 for _ in walks)
    if total < 2 or held.answered is None:
        return
    newest = max(walks, key=lambda walk: walk.answered.frame if walk.answered is not None else 0)
    if newest.surface is None or newest.answered is None:
        return
    side = standing.timeline.frames(newest.answered)[0]
    # An answer that was overtaken is older than it came: what was asked for later tells what is newest.
    if newest.answered.frame <= held.answered.frame or newest.asked.frame < held.asked.frame:
        # The same again may be from before a signal that came meanwhile: it is as old as its request.
        t = held.asked.t if any(walk.surface is surface and walk is not held for walk in walks) else held.answered.t
        yield Pair(side=standing.timeline.frames(held.answered)[0], layer=None, relation="equal", t=t)
        return
    ending = standing.session.ending
    if ending is not None and ending.at.frame < newest.asked.frame:
        return  # A client that had gone holds nothing any more.
    changes = difference(surface, newest.surface)
    found = relation_of(surface, newest.surface, changes)
    yield Pair(side=side, layer=None, relation=found, changes=changes, t=newest.answered.t)


def _by_calls(standing: Standing, surface: Surface) -> Iterator[Proof]:
    """Yield calls that show it: a tool that was never listed and works, or one that was listed and is gone."""
    for session in standing.client.sessions:
        for call in session.calls:
            frames = standing.frames(call.asked, call.answered)
            holds = call.tool in surface.by_name
            unlisted = call.standing == "unlisted" or _unlisted_before(standing.client, session, call)
            if unlisted and call.outcome == "ok" and not holds:
                words = f"{call.tool} was in no list that it was sent, and works"
            elif call.standing == "listed" and call.unknown_tool and holds:
                words = f"{call.tool} is in its list, and the server knows it no more"
            else:
                continue
            yield Proof(words=words, evidence=frames, t=call.asked.t)


def _unlisted_before(client: Client, session: Session, call: Call) -> bool:
    """Tell whether a call, in a session that has asked for no list, is of a tool in no list of the sessions before."""
    read = [walk for walk in client.walks if walk.asked.frame < call.asked.frame]
    return (
        call.standing == "unknown"
        and not any(walk.asked.frame < call.asked.frame for walk in session.walks)
        and bool(read)
        and all(walk.surface is not None and call.tool not in walk.surface.by_name for walk in read)
    )
