"""Rules of the stream itself, whatever is subscribed to on it: that it is there, stays open, and brings things in time.

Who is held to them is the server, and whatever stands before it; most of them need a session of our own to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.timeline.deeds import Signal, Stream, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules import needs
from diagnose.judge.timeline.rules.needs import change_seen, http, own_stream, watched_stream
from diagnose.judge.timeline.rules.signals import differ, neighbours, provoked_after, released
from diagnose.judge.timeline.rules.subscriptions import seen_at

_GET = "MCP 2025-11-25, basic/transports, Listening for Messages from the Server"
#: Answers to a GET that are about something else than the stream: the credential, the session, the load.
_OTHER_REASONS = frozenset({400, 401, 403, 404, 405, 409, 429})
_SERVER_ERROR = 500
#: A signal so long after its change was seen, in seconds, was held back somewhere.
_LATE = 0.5
_SENT_LATE = "The list had changed for {seconds} s at least before the signal came: it is sent late, or held back."
_ONLY_WITH_NEXT = (
    "No signal came of a change, and one came as soon as another change was provoked, after {seconds} s: an event "
    "comes only with the next one."
)


@check(
    "stream-missing",
    family="streams",
    layer="origin",
    severity="error",
    summary="A legacy server answers GET with an event stream, or with 405.",
    why="Clients take any other answer for a broken server: some reconnect for ever, some give up.",
    remedy="Answer GET with text/event-stream, or with 405 Method Not Allowed where there is no stream.",
    source=f"{_GET}: the server MUST either return text/event-stream or HTTP 405",
    message="GET on the endpoint is answered with HTTP {status}, which is neither an event stream nor 405.",
    needs=(http,),
)
def stream_missing(case: Case) -> Iterable[Seen]:
    """Look at what GET was answered with."""
    for line in case.timelines:
        for session in line.sessions:
            for stream in session.streams:
                status = stream.answered_with
                wrong = status is not None and status not in _OTHER_REASONS and status < _SERVER_ERROR
                if stream.purpose == "get" and wrong:
                    yield seen_at(line, session, stream.asked, stream.opened, args={"status": status})
                    break


@also("stream-dropped", needs=(own_stream,))
def cut_off(case: Case) -> Iterable[Seen]:
    """Look for streams of our own sessions that broke off: nobody but the server, or a hop before it, can have cut them."""
    for line in case.timelines:
        for session in line.sessions if line.own else ():
            cuts = [stream for stream in session.streams if _broke_off(stream)]
            if cuts:
                lives = [round(stream.lived or 0.0, 1) for stream in cuts[:6]]
                yield seen_at(
                    line,
                    session,
                    *(stream.closed for stream in cuts[:6]),
                    args={"cuts": len(cuts), "lives": lives},
                    words={"times": "once" if len(cuts) == 1 else f"{len(cuts)} times", "first": f"{lives[0]:g} s"},
                    says="The channel for signals was cut {times}, the first time after {first}, though nobody had left it.",
                    severity="warning",
                )


def _broke_off(stream: Stream) -> bool:
    granted = stream.purpose == "get" or stream.acknowledged is not None
    return (
        granted
        and stream.opened is not None
        and stream.closed is not None
        and stream.by == "server"
        and not stream.clean
    )


@check(
    "keep-alive-missing",
    family="streams",
    layer="origin",
    severity="note",
    summary="Something comes on a quiet stream now and then.",
    why="Hops and clients take a silent connection for dead and cut it; what is signalled then is lost.",
    remedy="Send a comment line on every open event stream every 15 to 25 seconds.",
    source="MCP 2026-07-28, basic/transports/streamable-http, Receiving Messages: servers are encouraged to",
    message="Nothing at all came on a quiet stream for {seconds} s, not even a comment.",
    needs=(watched_stream,),
)
def keep_alive_missing(case: Case) -> Iterable[Seen]:
    """Look for the longest silence on a stream of our own: no shorter one than is held out everywhere says anything."""
    for line in case.timelines:
        for session in line.sessions if line.own else ():
            silences = [(_silence(stream, line), stream) for stream in session.streams if stream.opened is not None]
            longest, stream = max(silences, key=lambda pair: pair[0], default=(0.0, None))
            if stream is not None and longest >= needs.KEEP_ALIVE:
                yield seen_at(line, session, stream.opened, stream.last, args={"seconds": round(longest, 1)})


def _silence(stream: Stream, line: Timeline) -> float:
    since = stream.last or stream.opened or stream.asked
    return max(stream.silence, (stream.closed or line.last).t - since.t)


@also("proxy-buffers", needs=(own_stream, change_seen))
def signal_held_back(case: Case) -> Iterable[Seen]:
    """Look for a signal that came to us long after its change could be seen: something between holds events back."""
    for line in case.timelines:
        for session in line.sessions if line.own and line.header.transport == "http" else ():
            for older, newer in neighbours(session):
                if newer.answered is None or not differ(older, newer) or newer.signals_after > older.signals_before:
                    continue
                held = released(line, session, older, newer)
                late = held or _late(line, session, newer.answered.t)
                if late is not None:
                    yield _held_back(line, session, (older, newer), late, says=_ONLY_WITH_NEXT if held else _SENT_LATE)
                break


def _late(line: Timeline, session: Session, since: float) -> Signal | None:
    """Return the signal of a change that could be seen by then, if it came long after and without a further change."""
    came = next((each for each in session.signals if each.at.t >= since), None)
    again = provoked_after(line, since)
    return came if came and came.at.t - since >= _LATE and (again is None or came.at.t < again) else None


def _held_back(line: Timeline, session: Session, lists: tuple[Walk, Walk], came: Signal, says: str) -> Seen:
    older, newer = lists
    since = newer.answered.t if newer.answered is not None else newer.asked.t
    return seen_at(
        line,
        session,
        older.answered,
        newer.answered,
        came.at,
        args={"seconds": round(came.at.t - since, 1)},
        says=says,
        severity="warning",
    )
