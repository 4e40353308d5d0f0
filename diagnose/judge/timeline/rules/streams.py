"""Rules of the channel on which a server speaks first: offered, opened, acknowledged, and kept open."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Moment, Stream
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules.needs import declaration, recording, subscription
from diagnose.judge.timeline.standing import Standing

_LISTEN = "MCP 2026-07-28, basic/patterns/subscriptions"
_GET = "MCP 2025-11-25, basic/transports: listening for messages from the server"
#: A subscription that ends so soon was never one.
_AT_ONCE = 1.0
#: How often a client opens a cut stream again, as its documentation states it (measured behaviour belongs to a playbook).
_BUDGETS = {
    "claude-code": "streams cut within 10 s are opened 3 times more, longer ones 5 times an hour, then not for some 6 hours"
}


@check(
    "capability-false-claim",
    family="streams",
    layer="origin",
    severity="error",
    summary="A server that promises signals has a channel for them.",
    why="Clients wait for a signal that cannot come, and hold the old list.",
    remedy="Offer a stream, or declare no listChanged and give a short ttlMs.",
    source=f"{_GET}; {_LISTEN}",
    message="listChanged is declared, and there is no channel that could carry a signal: {refused}.",
    needs=(declaration,),
)
def capability_false_claim(case: Case) -> Iterable[Seen]:
    """Look for a session whose every try to open a channel was refused, or ended at once."""
    for line in case.timelines:
        for session in line.sessions:
            refusals = _shut_out(session) if session.declares_changes else []
            spoken = session.signals.total or session.strays.total
            if refusals and not spoken and not _let_in_elsewhere(line, session):
                yield Seen(
                    args={"refused": refusals[-1]},
                    evidence=line.frames(
                        *(step.answered for step in session.steps if step.worked),
                        *(stream.asked for stream in _channels(session)[:3]),
                    ),
                    layer=line.layer("server"),
                    session=line.label(session),
                    confidence="likely" if session.answer_streams else "proven",
                )
                break


def _let_in_elsewhere(line: Timeline, session: Session) -> bool:
    """Tell whether another session of the same era had a channel that stayed open: then there is one."""
    others = [other for other in line.sessions if other is not session and other.era == session.era]
    return any(_stayed(stream, line.last) for other in others for stream in _channels(other))


def _stayed(stream: Stream, last: Moment) -> bool:
    begun, ended = stream.acknowledged if stream.purpose == "listen" else stream.opened, stream.closed or last
    return begun is not None and ended.t - begun.t > _AT_ONCE and stream.carries(begun.t, ended.t)


def _channels(session: Session) -> list[Stream]:
    return [each for each in session.streams if each.purpose == "get" or _wants_tools(each)]


def _shut_out(session: Session) -> list[str]:
    """Say how each try to open a channel came to nothing; empty where one did not, or none tells."""
    streams = _channels(session)
    left = [each for each in streams if _left_at_once(each) or _said_goodbye(session, each)]
    rest = [each for each in streams if each not in left]
    refusals = [_refused(stream) for stream in rest]
    # Who was let in, and left by itself, was let in: unless the server is seen to end what it grants.
    let_in = any((each.opened if each.purpose == "get" else each.acknowledged) is not None for each in left)
    if let_in and not any(_ended_at_once(each) for each in rest):
        return []
    return [said for said in refusals if said is not None] if all(refusals) else []


def _left_at_once(stream: Stream) -> bool:
    """Tell whether it was the client that left so soon that nothing shows whether it could have stayed."""
    granted = stream.granted is None or stream.granted.get("toolsListChanged") is True
    lived = stream.lived
    return stream.by == "client" and lived is not None and lived <= _AT_ONCE and granted


def _said_goodbye(session: Session, stream: Stream) -> bool:
    """Tell whether a channel was closed because the client had ended its session: that refuses nobody."""
    ending = session.ending
    return ending is not None and ending.by == "client" and stream.closed is not None and stream.closed.t >= ending.at.t


def _refused(stream: Stream) -> str | None:
    """Say how the server let nobody listen; None where it did, or where it was the client that gave up."""
    refusal, what = stream.refusal, "GET" if stream.purpose == "get" else "subscriptions/listen"
    if refusal is not None:
        if refusal.is_credential or (refusal.status in {400, 404} and stream.purpose == "get"):
            return None  # The credential or the session was refused, not the channel.
        return f"{what} is refused with {refusal.briefly}"
    if _ended_at_once(stream):
        return f"{what} ends at once"
    if stream.purpose == "listen" and stream.granted is not None and _wants_tools(stream):
        return None if stream.granted.get("toolsListChanged") is True else f"{what} grants no toolsListChanged"
    return None


def _ended_at_once(stream: Stream) -> bool:
    lived = stream.lived
    return stream.by != "client" and stream.refusal is None and lived is not None and lived <= _AT_ONCE


def _wants_tools(stream: Stream) -> bool:
    return stream.wanted.get("toolsListChanged") is True


@check(
    "stream-no-ack",
    family="streams",
    layer="origin",
    severity="error",
    summary="A subscription is acknowledged before anything comes on it, and carries what was granted.",
    why="A client must pass over what it was not granted, and so misses the change.",
    remedy="Acknowledge first, with the granted subset, and send nothing outside it.",
    source=_LISTEN,
    message="The server sends {method} where it has no right to come: {why}.",
    needs=(subscription,),
)
def stream_no_ack(case: Case) -> Iterable[Seen]:
    """Look for events that came before the acknowledgement, or outside what it grants."""
    for line in case.timelines:
        for session in line.sessions:
            for stray in list(session.strays)[:3]:
                stream = stray.stream
                yield Seen(
                    args={"method": stray.method, "why": stray.why},
                    evidence=line.frames(stream.asked, stream.acknowledged, stray.at)
                    if stream is not None
                    else line.frames(stray.at),
                    layer=line.layer("server"),
                    session=line.label(session),
                )


def offered(standing: Standing) -> bool:
    """Tell whether signals were declared, and needed a channel that the client has to open."""
    session = standing.session
    return session.declares_changes is True and (session.era == "modern" or session.transport == "http")


@check(
    "stream-not-opened",
    family="streams",
    layer="wire",
    severity="error",
    summary="A client opens the channel on which it would hear of a change.",
    why="Signals go to open channels only: it hears of no change until it reconnects.",
    remedy="Use a client that listens, reconnect after changes, or give the list a short TTL.",
    source=f"{_LISTEN}; {_GET}",
    message="{client} never opened {channel}, on which the change would have been announced, and holds an old list.",
    needs=(declaration,),
)
def stream_not_opened(case: Case) -> Iterable[Seen]:
    """Look for a client that is behind, was offered signals, and never listened."""
    for standing in case.standings:
        if standing.behind and never_listened(standing):
            channel = "subscriptions/listen" if standing.session.era == "modern" else "the GET stream"
            yield Seen(
                args={"client": standing.client.name, "channel": channel},
                evidence=(*standing.frames(_declaration(standing.session)), *standing.proof),
                layer=standing.timeline.layer("client"),
                session=standing.label,
                # Fresh by contract: what it did not hear of, it need not have heard yet.
                severity="note" if standing.inside_ttl else None,
            )


def never_listened(standing: Standing) -> bool:
    """Tell whether a client was offered a channel for signals, and opened none; where the recording would show it."""
    visible = standing.session.era == "modern" or standing.timeline.sees_http
    tried = any(session.streams or session.signals.total for session in standing.client.sessions)
    return offered(standing) and visible and not tried


def _declaration(session: Session) -> int | None:
    return next((step.answered.frame for step in session.steps if step.worked and step.answered is not None), None)


@check(
    "stream-dropped",
    family="streams",
    layer="wire",
    severity="error",
    summary="A channel that was cut is opened again.",
    why="Nothing tells the client that it has gone deaf: it keeps its last list.",
    remedy="Reconnect the client; keep streams alive with comments.",
    source=f"{_LISTEN}, Graceful Closure; {_GET}",
    message="The channel of {client} was cut {times} and not opened again{budget}.",
    needs=(recording,),
)
def stream_dropped(case: Case) -> Iterable[Seen]:
    """Look for a client whose last channel ended, not by its own doing, and who did not open another one."""
    for standing in case.standings:
        last = deaf_since(standing)
        if last is not None and standing.silence(last.t) is not None:
            yield _dropped(standing, last)


def deaf_since(standing: Standing) -> Moment | None:
    """Return when the last channel of a client was cut, if it opened no other one and its session went on."""
    last = next(reversed(_ran(standing)), None)
    if last is None or last.closed is None or last.by == "client" or standing.session.losses:
        return None
    ending = standing.session.ending
    return None if ending is not None and ending.at.t - last.closed.t < standing.wait else last.closed


def _ran(standing: Standing) -> list[Stream]:
    """Return the channels of a client that were open at some time."""
    streams = [stream for session in standing.client.sessions for stream in session.streams]
    return [stream for stream in streams if stream.opened is not None or stream.acknowledged is not None]


def _dropped(standing: Standing, since: Moment) -> Seen:
    ran = _ran(standing)
    cuts = [stream for stream in ran if stream.closed is not None and stream.by != "client" and not stream.clean]
    changed = standing.behind and not standing.inside_ttl
    lives = [round(lived, 1) for stream in cuts[-6:] if (lived := stream.lived) is not None]
    return Seen(
        args={"client": standing.client.name, "cuts": len(cuts), "lives": lives},
        words={"times": "once" if len(cuts) <= 1 else f"{len(cuts)} times", "budget": _budget(standing.client.name)},
        evidence=(*standing.frames(*(stream.closed for stream in ran[-6:])), *standing.proof),
        layer=standing.timeline.layer("client"),
        session=standing.label,
        severity=None if changed else "warning" if not standing.current else "note",
        confidence="proven" if standing.silence(since.t) == "proven" else "likely",
    )


def _budget(client: str) -> str:
    said = [text for name, text in _BUDGETS.items() if client.startswith(name)]
    return f" (by its documentation, {said[0]})" if said else ""
