"""Rules over two recordings, one of each side of a gateway (or one beside it): what it held back, and for how long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.clock import seconds_after
from diagnose.judge.timeline.deeds import Signal, Stream, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules.needs import two_hops
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.walks import same_list
from diagnose.surface import Surface

#: A signal that is so much later behind a gateway was held back, in seconds.
_LATE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hops:
    """The server's side and the client's side of one gateway; ``shift`` is added to a time of the former."""

    upstream: Timeline
    downstream: Timeline
    shift: float

    @property
    def server_lists(self) -> tuple[Walk, ...]:
        """Every whole list of the server's side, oldest first."""
        return _whole(self.upstream)

    @property
    def newest(self) -> Surface | None:
        """The newest list of the server's side."""
        read = self.server_lists
        return read[-1].surface if read else None

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Every signal of the server's side."""
        return tuple(each for session in self.upstream.sessions for each in session.signals)


def hops(case: Case) -> Iterator[Hops]:
    """Pair each recording behind a gateway with one before it, or one that went around it."""
    for downstream in case.timelines:
        if downstream.header.hop != "client-gateway":
            continue
        for upstream in case.timelines:
            if upstream.header.hop != "client-gateway":
                shift = seconds_after(downstream.header.started_at, upstream.header.started_at)
                yield Hops(upstream=upstream, downstream=downstream, shift=shift or 0.0)


def _whole(line: Timeline) -> tuple[Walk, ...]:
    read = [walk for session in line.sessions for walk in session.walks if walk.whole and walk.answered is not None]
    return tuple(sorted(read, key=lambda walk: walk.answered.frame if walk.answered is not None else 0))


def _behind(both: Hops, standing: Standing) -> bool:
    """Tell whether a client behind the gateway holds another list than the server's side has by now."""
    held, newest = standing.held.surface if standing.held is not None else None, both.newest
    differs = held is not None and newest is not None and not same_list(held, newest)
    return standing.behind or differs


def _clients(case: Case, both: Hops) -> Iterator[Standing]:
    return (standing for standing in case.standings if standing.timeline is both.downstream)


def _arrived(session: Session, at: float) -> Signal | None:
    """Return the first signal that came behind the gateway after it was sent before it."""
    return next((each for each in session.signals if each.at.t >= at - 1.0), None)


def _cut(session: Session, at: float) -> Stream | None:
    """Return a stream behind the gateway that was cut, or that never brought a byte, before a signal could come on it."""
    for stream in session.streams:
        withheld = stream.opened is None and stream.asked.t <= at
        cut = stream.closed is not None and stream.by != "client" and stream.closed.t <= at
        if stream.asked.t <= at and (withheld or cut) and not any(other.carries(at, at) for other in session.streams):
            return stream
    return None


@check(
    "proxy-drops-signal",
    family="hops",
    layer="path",
    severity="error",
    summary="A gateway passes on that the list has changed.",
    why="New sessions see the new tools, and the ones that are open never hear of them.",
    remedy="Reconnect the client; upgrade the gateway to one that forwards list changes.",
    source="catalogue of causes, proxy-drops-signal",
    message="The server's list changed before the gateway{how}, and {client} behind it was never told.",
    needs=(two_hops,),
)
def proxy_drops_signal(case: Case) -> Iterable[Seen]:
    """Look for a change before the gateway of which an open session behind it heard nothing."""
    for both in hops(case):
        changed = _change(both)
        if changed is None:
            continue
        t, frames, how = changed
        for standing in _clients(case, both):
            session = standing.session
            if _arrived(session, t) is not None or _cut(session, t) is not None or _listed_since(standing, t):
                continue
            if standing.until < t or standing.silence(t) is None:
                continue
            behind = _behind(both, standing)
            yield Seen(
                args={"client": standing.client.name},
                words={"how": how},
                evidence=(*frames, *both.downstream.frames(standing.held.answered if standing.held else None)),
                layer="path",
                session=standing.label,
                severity=None if behind else "warning",
                confidence="proven" if standing.silence(t) == "proven" else "likely",
            )


def _change(both: Hops) -> tuple[float, tuple[str, ...], str] | None:
    """Return when the list changed before the gateway, on the clock behind it: by a signal, or by two lists."""
    if both.signals:
        last = both.signals[-1]
        return last.at.t + both.shift, both.upstream.frames(last.at), " and it was signalled there"
    read = both.server_lists
    for older, newer in pairwise(read):
        if older.surface and newer.surface and newer.answered and not same_list(older.surface, newer.surface):
            return newer.answered.t + both.shift, both.upstream.frames(older.answered, newer.answered), ""
    return None


def _listed_since(standing: Standing, t: float) -> bool:
    return any(walk.whole and walk.asked.t > t for walk in standing.client.walks)


@check(
    "proxy-buffers",
    family="hops",
    layer="path",
    severity="error",
    summary="A gateway passes events on as they come, and keeps idle streams open.",
    why="Clients hear of a change a minute late, or never, though each side by itself looks well.",
    remedy="Turn buffering off for event streams, allow long reads, and send a comment every 15 to 25 seconds.",
    source="catalogue of causes, proxy-buffers",
    message="A signal that the server sent {what} behind the gateway for {client}.",
    needs=(two_hops,),
)
def proxy_buffers(case: Case) -> Iterable[Seen]:
    """Compare when a signal was sent and when it came; and look for streams that were cut or withheld meanwhile."""
    for both in hops(case):
        for sent in both.signals[-1:]:
            t = sent.at.t + both.shift
            for standing in _clients(case, both):
                came, cut = _arrived(standing.session, t), _cut(standing.session, t)
                late = came is not None and came.at.t - t > _LATE
                if not late and (came is not None or cut is None):
                    continue
                what = f"came {came.at.t - t:.0f} s late" if came is not None else _how_cut(cut)
                moment = came.at if came is not None else (cut.closed or cut.asked) if cut is not None else None
                behind = _behind(both, standing) and not _listed_since(standing, came.at.t if came else t)
                yield Seen(
                    args={"client": standing.client.name, "what": what},
                    evidence=(*both.upstream.frames(sent.at), *both.downstream.frames(moment)),
                    layer="path",
                    session=standing.label,
                    severity=None if behind else "warning",
                )


def _how_cut(stream: Stream | None) -> str:
    withheld = stream is not None and stream.opened is None
    return "never came: the stream was withheld" if withheld else "never came: the stream had been cut"


@check(
    "proxy-frozen",
    family="hops",
    layer="path",
    severity="error",
    summary="A gateway answers new sessions with the list that the server has.",
    why="Every client behind it sees the old tools, however often it reconnects.",
    remedy="Have the gateway read its servers again: its refresh call, its interval, or a restart.",
    source="catalogue of causes, proxy-frozen",
    message="Behind the gateway {client} was sent an old list, after the server had sent a newer one before it.",
    needs=(two_hops,),
)
def proxy_frozen(case: Case) -> Iterable[Seen]:
    """Look for a list behind the gateway that is an earlier one of the server's side, and was read after a newer."""
    for both in hops(case):
        read = both.server_lists
        newest = read[-1] if read else None
        if newest is None or newest.surface is None or newest.answered is None:
            continue
        for standing in _clients(case, both):
            held = standing.held
            if held is None or held.surface is None or held.asked.t <= newest.answered.t + both.shift:
                continue
            older = [walk for walk in read if walk.surface is not None and same_list(walk.surface, held.surface)]
            if older and not same_list(held.surface, newest.surface):
                yield Seen(
                    args={"client": standing.client.name},
                    evidence=(*both.upstream.frames(newest.answered), *both.downstream.frames(held.answered)),
                    layer="path",
                    session=standing.label,
                )


@also("page-truncated", needs=(two_hops,))
def cut_by_a_gateway(case: Case) -> Iterable[Seen]:
    """Look for a list behind the gateway that is how the server's begins: a filter need not be one, an older list is none."""
    for both in hops(case):
        for standing in _clients(case, both):
            held, whole = standing.held, _in_force(both, standing.held)
            if held is None or held.surface is None or whole is None or whole.surface is None:
                continue
            names, listed = held.surface.names, whole.surface.names
            older = any(
                walk.surface is not None and same_list(walk.surface, held.surface) for walk in both.server_lists
            )
            if names and len(names) < len(listed) and tuple(listed[: len(names)]) == tuple(names) and not older:
                at_a_page = len(names) in _page_ends(whole)
                yield Seen(
                    args={"client": standing.client.name, "names": len(names), "of": len(listed)},
                    evidence=(*both.upstream.frames(whole.answered), *both.downstream.frames(held.answered)),
                    layer="path",
                    session=standing.label,
                    severity=None if at_a_page else "warning",
                    confidence="likely" if at_a_page else "possible",
                    says="The gateway sends {client} the first {names} of the {of} tools of the server's list, and no more.",
                )


def _in_force(both: Hops, held: Walk | None) -> Walk | None:
    """Return the newest list that the gateway had been sent when its client was."""
    if held is None or held.answered is None:
        return None
    before = [each for each in both.server_lists if each.answered and each.answered.t + both.shift <= held.answered.t]
    return before[-1] if before else None


def _page_ends(walk: Walk) -> set[int]:
    """Return how many tools had come at the end of each page."""
    return set(accumulate(len(page.page.names) for page in walk.pages))


@also("scope-leak", needs=(two_hops,))
def shared_by_a_gateway(case: Case) -> Iterable[Seen]:
    """Look for a list that the server gave one authorization, and that a gateway passed on to another one."""
    for both in hops(case):
        behind = {walk.principal for walk in _whole(both.downstream)}
        before = [walk for walk in both.server_lists if walk.principal in behind and walk.principal is not None]
        for standing in _clients(case, both):
            for walk in standing.client.walks:
                leak = _meant_for_another(walk, before)
                if leak is not None:
                    yield _leaked(both, standing, walk, leak)
                    break


def _meant_for_another(walk: Walk, before: Sequence[Walk]) -> Walk | None:
    """Return the list of another authorization that a walk brought; only where the server would not have sent it so.

    That is where it gives this authorization another list, or marks it as private and was not asked for this one.
    """
    if walk.surface is None or walk.principal is None:
        return None
    same = [each for each in before if each.surface is not None and same_list(each.surface, walk.surface)]
    own = any(each.principal == walk.principal for each in before)
    if any(each.principal == walk.principal for each in same):
        return None
    private = [each for each in same if any(page.page.cache_scope == "private" for page in each.pages)]
    return next(iter(same if own else private), None)


def _leaked(both: Hops, standing: Standing, walk: Walk, meant: Walk) -> Seen:
    own = any(each.principal == walk.principal for each in both.server_lists)
    return Seen(
        args={"client": standing.client.name},
        evidence=(*both.upstream.frames(meant.answered), *both.downstream.frames(walk.asked, walk.answered)),
        layer="path",
        session=standing.label,
        confidence="proven" if own else "likely",
        says="The gateway sends {client} a list that the server gave to another authorization.",
    )
