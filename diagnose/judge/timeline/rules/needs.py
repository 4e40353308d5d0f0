"""What the rules of the wire need, each with the words for a report that has to say it was not there."""

from __future__ import annotations

from itertools import pairwise

from diagnose.judge.case import Case
from diagnose.judge.timeline.deeds import Stream, Walk
from diagnose.judge.walks import same_list

#: So long, in seconds, a quiet stream is watched before its silence says anything: SDKs send something every 15 seconds,
#: and hops cut what was silent for 30 and more.
KEEP_ALIVE = 20.0


def recording(case: Case) -> str | None:
    """Require a recording."""
    return None if case.timelines else case.bundle.unobserved.get("wire", "no recording was given")


def client_list(case: Case) -> str | None:
    """Require that a client was seen to ask for the list."""
    asked = any(session.lists_asked for line in case.timelines for session in line.sessions)
    return recording(case) or (None if asked else "no list was asked for in the recording")


def whole_list(case: Case) -> str | None:
    """Require that a client was seen to read a list to its end."""
    whole = any(walk.whole for line in case.timelines for session in line.sessions for walk in session.walks)
    return client_list(case) or (None if whole else "no list was read to its end in the recording")


def two_lists(case: Case) -> str | None:
    """Require that one session read two lists to their end."""
    many = any(sum(walk.whole for walk in each.walks) > 1 for line in case.timelines for each in line.sessions)
    return whole_list(case) or (None if many else "no session read two lists to their end")


def handshake(case: Case) -> str | None:
    """Require that a probe or handshake was recorded."""
    seen = any(session.steps for line in case.timelines for session in line.sessions)
    return recording(case) or (None if seen else "the recording holds no probe and no handshake")


def declaration(case: Case) -> str | None:
    """Require that the recording holds what the server declares."""
    told = any(session.capabilities is not None for line in case.timelines for session in line.sessions)
    return handshake(case) or (None if told else "the server's declaration is not in the recording")


def signal(case: Case) -> str | None:
    """Require that the server announced a change."""
    came = any(session.signals.total for line in case.timelines for session in line.sessions)
    return recording(case) or (None if came else "no change was announced in the recording")


def change_seen(case: Case) -> str | None:
    """Require that the list was seen to change, where nothing but sessions of our own were recorded; else a whole list.

    It may have been seen from outside: another session of ours was sent another list.
    """
    outside = (pair for standing in case.standings for pair in standing.pairs if pair.layer is not None)
    if any(not line.own for line in case.timelines) or any(pair.relation == "different" for pair in outside):
        return whole_list(case)
    sessions = (session for line in case.timelines for session in line.sessions)
    changed = any(_differ(*pair) for session in sessions for pair in pairwise(w for w in session.walks if w.whole))
    return two_lists(case) or (None if changed else "the list did not change while it was listened for signals")


def _differ(older: Walk, newer: Walk) -> bool:
    left, right = older.surface, newer.surface
    return left is not None and right is not None and not same_list(left, right)


def notice(case: Case) -> str | None:
    """Require that the server told something unasked."""
    sessions = [session for line in case.timelines for session in line.sessions]
    told = any(each.signals.total or each.malformed.total or each.strays.total for each in sessions)
    granted = any(stream.acknowledged is not None for each in sessions for stream in each.streams)
    return recording(case) or (None if told or granted else "the server sent no notification")


def heard_or_held(case: Case) -> str | None:
    """Require that the server announced a change, or that a session of our own was open for it between two lists."""
    held = any(len(session.walks) > 1 for line in case.timelines if line.own for session in line.sessions)
    return two_lists(case) or (None if held else signal(case))


def own_streams(case: Case) -> list[Stream]:
    """Return the streams for signals of our own sessions that were opened."""
    lines = (line for line in case.timelines if line.own)
    return [stream for line in lines for session in line.sessions for stream in session.streams if stream.opened]


def own_stream(case: Case) -> str | None:
    """Require that a session of our own was held with a stream for signals."""
    return recording(case) or (None if own_streams(case) else "no session of ours was held on a stream")


def watched_stream(case: Case) -> str | None:
    """Require a stream of our own on which something came that keeps it alive, or that was watched for long enough."""
    missing = own_stream(case)
    if missing is not None:
        return missing
    ends = [(stream, line.last) for line in case.timelines if line.own for stream in own_streams(case)]
    watched = max((stream.closed or last).t - (stream.opened or stream.asked).t for stream, last in ends)
    if watched >= KEEP_ALIVE or any(stream.kept_alive for stream, _ in ends):
        return None
    return (
        f"nothing came on a quiet stream in {watched:.0f} s, and once in {KEEP_ALIVE:g} s is often enough; "
        f"watch it for longer with --wait {KEEP_ALIVE + 10:g}"
    )


def call(case: Case) -> str | None:
    """Require that a tool was called."""
    made = any(session.calls or session.tallies for line in case.timelines for session in line.sessions)
    return recording(case) or (None if made else "no tool was called in the recording")


def http(case: Case) -> str | None:
    """Require a recording of a session over HTTP."""
    found = any(line.header.transport == "http" for line in case.timelines)
    return recording(case) or (None if found else "no session over HTTP was recorded")


def modern_list(case: Case) -> str | None:
    """Require a list of the modern era."""
    found = any(walk.era == "modern" for line in case.timelines for each in line.sessions for walk in each.walks)
    return client_list(case) or (None if found else "no list of the modern era was recorded")


def subscription(case: Case) -> str | None:
    """Require that somebody listened, or was told what it had not listened to."""
    found = any(
        each.strays or any(stream.purpose == "listen" for stream in each.streams)
        for line in case.timelines
        for each in line.sessions
    )
    return recording(case) or (None if found else "nobody listened in the recording")


def stdio(case: Case) -> str | None:
    """Require a recording of a process."""
    found = any(line.header.transport == "stdio" for line in case.timelines)
    return recording(case) or (None if found else "no process was recorded")


def two_principals(case: Case) -> str | None:
    """Require that two authorizations were used on one recording."""
    found = any(
        len({each.principal for each in line.sessions if each.principal is not None}) > 1 for line in case.timelines
    )
    return recording(case) or (None if found else "one authorization at most was seen")


def two_hops(case: Case) -> str | None:
    """Require recordings of both sides of a gateway, or of one way through it and one around it."""
    hops = {line.header.hop for line in case.timelines}
    return recording(case) or (None if len(hops) > 1 else "one hop was recorded")
