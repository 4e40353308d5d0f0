"""Rules of the announcement of a change: declared, sent, in time, and only when there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from diagnose.evidence.probes import is_trigger_start
from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Signal, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules.needs import change_seen, declaration, heard_or_held, signal, two_lists
from diagnose.judge.timeline.rules.reasons import reasons
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.walks import same_list

_TOOLS = "MCP 2026-07-28, server/tools, List Changed Notification"
#: A client that happens to list between a change and its signal is in luck, and the server not at fault.
_GRACE = 2.0
#: A change so long after its signal is no longer the one that was announced.
_SOON = 60.0
#: From so many needless signals on they are a storm.
_ROUNDS, _NEEDLESS = 3, 10


def neighbours(session: Session) -> Iterator[tuple[Walk, Walk]]:
    """Yield each two lists of a session that one authorization read one after the other; another may see another list."""
    last: dict[str | None, Walk] = {}
    for walk in session.walks:
        if walk.whole and walk.cursor is None:
            if walk.principal in last:
                yield last[walk.principal], walk
            last[walk.principal] = walk


def differ(older: Walk, newer: Walk) -> bool:
    """Tell whether two walks brought two lists."""
    left, right = older.surface, newer.surface
    return left is not None and right is not None and left is not right and not same_list(left, right)


def channel_open(session: Session, start: float, end: float) -> bool:
    """Tell whether the server could have signalled at any time between two moments."""
    if session.era != "modern" and session.transport == "stdio":
        return True
    return any(stream.carries(start, end) for stream in session.streams)


def listened(session: Session, start: float, end: float) -> bool:
    """Tell the same of a session that opened its channel at once after a list: a client lists first and listens then."""
    return channel_open(session, min(start + _GRACE, end), end)


@check(
    "server-no-signal",
    family="signals",
    layer="origin",
    severity="error",
    summary="A change of the list is announced where that was promised.",
    why="A client that keeps to the protocol holds the old list for as long as its session lives.",
    remedy="Send notifications/tools/list_changed once the new list is in place, to every open session or subscription.",
    source=f"{_TOOLS}: a server that declares listChanged should announce changes",
    message="The list changed within a session that was open for signals, listChanged was declared, and no signal came.",
    needs=(declaration, change_seen),
)
def server_no_signal(case: Case) -> Iterable[Seen]:
    """Look for two lists of one session that differ, with a channel open and no signal in between."""
    for line, session in _declaring(case):
        if line.own and case.walks.pattern in {"skew", "connection"} and provoked_after(line, 0.0) is None:
            continue  # Whoever asks gets another list, and that has a rule of its own: none of them is a change.
        for older, newer in neighbours(session):
            if older.answered is None or newer.answered is None or not differ(older, newer):
                continue
            around = newer.signals_after - older.signals_before
            late = _signalled_within(line, session, newer, case.bundle.wait) or released(line, session, older, newer)
            early = _announced(session, older) is not None
            if line.own and early:
                continue  # The change was provoked, once: the signal that came first was that of this change.
            if around or late or not listened(session, older.answered.t, newer.asked.t):
                continue
            throughout = channel_open(session, older.answered.t, newer.asked.t)
            yield Seen(
                args={"before": len(older.pages[0].page.names), "after": len(newer.pages[0].page.names)},
                evidence=line.frames(_declared_at(session), older.answered, newer.answered),
                layer=line.layer("server"),
                session=line.label(session),
                # An empty signal just before fits as well (then this one was early), and a change just before the channel.
                confidence="possible" if early else "proven" if throughout else "likely",
            )
            break
    for standing in case.standings:
        yield from _silent_change(standing)


def silent_change(standing: Standing) -> float | None:
    """Return when an own session saw another list, while the client's was open for signals and was sent none.

    None where that was not so, or the client had a reason of its own to list again.
    """
    session, held = standing.session, standing.held
    outside = [pair for pair in standing.pairs if pair.layer is not None and pair.relation == "different"]
    t = min((pair.t for pair in outside if pair.t is not None and pair.why is None), default=None)
    if t is None or held is None or held.answered is None or session.held is not held:
        return None
    due = (
        session.declares_changes is True and not session.signals.total and held.answered.t < t < standing.until - _GRACE
    )
    heard = due and listened(session, held.answered.t, t)
    return t if heard and not any(True for _ in reasons(standing)) else None


def _silent_change(standing: Standing) -> Iterator[Seen]:
    if silent_change(standing) is not None and standing.held is not None:
        yield Seen(
            args={"client": standing.client.name},
            evidence=(*standing.frames(_declared_at(standing.session), standing.held.answered), *standing.proof),
            layer=standing.timeline.layer("server"),
            session=standing.label,
            confidence="likely",
            says="The list changed while the session of {client} was open for signals, and none came though "
            "listChanged was declared.",
        )


def _declaring(case: Case) -> Iterator[tuple[Timeline, Session]]:
    for line in case.timelines:
        for session in line.sessions:
            if session.declares_changes:
                yield line, session


def _declared_at(session: Session) -> int | None:
    worked = [step.answered.frame for step in session.steps if step.worked and step.answered is not None]
    return worked[-1] if worked else None


def _signalled_within(line: Timeline, session: Session, walk: Walk, wait: float) -> bool:
    """Tell whether a signal came behind a list that was new already; where it came late, that is another rule's matter.

    What comes once another change was provoked may be about that one.
    """
    end = walk.answered.t if walk.answered is not None else 0.0
    until = min(end + wait, provoked_after(line, end) or end + wait)
    return any(walk.asked.t <= each.at.t <= until for each in session.signals)


def provoked_after(line: Timeline, t: float) -> float | None:
    """Return when the next change was provoked after a moment, in a recording of our own."""
    return next((act.at.t for act in line.actions if line.own and act.at.t > t and is_trigger_start(act.text)), None)


def released(line: Timeline, session: Session, older: Walk, newer: Walk) -> Signal | None:
    """Return the signal of a change that came only when another change was provoked; None where it shows no such thing.

    A stream that was opened in between, and was told of the second change at once, shows that nothing is held back: then
    the first signal was never sent.
    """
    if older.answered is None or newer.answered is None:
        return None
    again = provoked_after(line, newer.answered.t)
    stream = next((each for each in session.streams if each.carries(older.answered.t, newer.asked.t)), None)
    if again is None or stream is None or line.header.transport != "http":
        return None
    own = [each for each in session.signals if each.channel == stream.channel and each.at.t >= newer.asked.t]
    later = (other for each in line.sessions for other in each.streams if other.asked.t > newer.answered.t)
    if not own or own[0].at.t < again or any(other.signals for other in later):
        return None
    return own[0]


def _announced(session: Session, walk: Walk) -> Signal | None:
    """Return the signal that a list may have been the answer to: the newest before it, if it is not long past."""
    before = [
        each for each in session.signals if each.at.frame < walk.asked.frame and walk.asked.t - each.at.t <= _SOON
    ]
    return before[-1] if before else None


@check(
    "server-signal-early",
    family="signals",
    layer="origin",
    severity="error",
    summary="A signal comes after the change that it announces.",
    why="A client that lists at once gets the old list, and has no reason to ask again.",
    remedy="Send the signal after the change is committed.",
    source=_TOOLS,
    message="A signal came, the list that was asked for at once was still the old one, and {seconds} s later, without another signal, it was new.",
    needs=(signal, two_lists),
)
def server_signal_early(case: Case) -> Iterable[Seen]:
    """Look for an old list right after a signal, and a new one soon after without another."""
    for standing in case.standings:
        for session in standing.client.sessions:
            read = _without_repeats([walk for walk in session.walks if walk.whole])
            for first, second, third in zip(read, read[1:], read[2:], strict=False):
                came = _announced(session, second)
                if len({first.principal, second.principal, third.principal}) > 1:
                    continue
                if came is None or came.at.frame < first.asked.frame or second.asked.t - came.at.t > standing.wait:
                    continue
                quiet = third.signals_after == second.signals_before
                if quiet and third.asked.t - came.at.t <= _SOON and differ(second, third) and not differ(first, second):
                    yield _early(standing, session, (first, second, third), came)
                    break


def _without_repeats(walks: Sequence[Walk]) -> list[Walk]:
    """Return walks without those that only brought the list of the one before again, with no signal between the two."""
    kept: list[Walk] = []
    for walk in walks:
        if not kept or differ(kept[-1], walk) or walk.signals_after != kept[-1].signals_after:
            kept.append(walk)
    return kept


def _early(standing: Standing, session: Session, read: Sequence[Walk], came: Signal) -> Seen:
    first, second, third = read
    return Seen(
        args={"seconds": round(third.asked.t - came.at.t, 1)},
        evidence=standing.frames(first.answered, came.at, second.answered, third.answered),
        layer=standing.timeline.layer("server"),
        session=standing.timeline.label(session),
        # The frames do not tell when the list changed: a needless signal and an unannounced change look the same.
        confidence="likely",
    )


@check(
    "server-signal-storm",
    family="signals",
    layer="origin",
    severity="error",
    summary="Signals come when the list has changed, and only then.",
    why="Every client lists again for nothing; where listing itself signals, the two never stop.",
    remedy="Signal only when the list differs from the last one, never from the list handler.",
    source=_TOOLS,
    message="{came} between {lists} lists that are all the same.",
    needs=(heard_or_held,),
)
def server_signal_storm(case: Case) -> Iterable[Seen]:
    """Count the signals that stand between equal lists."""
    for line in case.timelines:
        for session in line.sessions:
            rounds = [
                (older, newer, newer.signals_before - older.signals_before)
                for older, newer in neighbours(session)
                if newer.signals_before > older.signals_before and not differ(older, newer)
            ]
            needless = sum(number for _, _, number in rounds)
            if rounds:
                storm = len(rounds) >= _ROUNDS or needless >= _NEEDLESS
                yield Seen(
                    args={"signals": needless, "lists": len(rounds) + 1},
                    words={"came": "A signal came" if needless == 1 else f"{needless} signals came"},
                    evidence=line.frames(*(walk.answered for older, newer, _ in rounds[:3] for walk in (older, newer))),
                    layer=line.layer("server"),
                    session=line.label(session),
                    severity=None if storm else "note",
                )


@check(
    "capability-undeclared",
    family="signals",
    layer="origin",
    severity="error",
    summary="What a server does, it declares: that it has tools, and that it announces changes.",
    why="A client may pass over a signal that was not promised, and ask for no list where there are no tools.",
    remedy="Declare tools.listChanged in the handshake, at every hop.",
    source=f"{_TOOLS}; server/tools, Capabilities: servers with tools must declare them",
    message="The server announces a change to {client} though it never declared listChanged{heard}.",
    needs=(declaration,),
)
def capability_undeclared(case: Case) -> Iterable[Seen]:
    """Look for signals, or tools, that were not declared."""
    for standing in case.standings:
        yield from _undeclared_signal(standing)
        if case.bundle.probes is None:
            # Where the server was tried out, a check of its own tells that.
            yield from _undeclared_tools(standing)


def _undeclared_signal(standing: Standing) -> Iterator[Seen]:
    for session in standing.client.sessions:
        came = [each for each in session.signals if each.declared is False]
        if not came:
            continue
        after = [walk for walk in session.walks if walk.whole and walk.asked.frame > came[-1].at.frame]
        before = [walk for walk in session.walks if walk.whole and walk.asked.frame < came[-1].at.frame]
        needless = bool(after and before) and not differ(before[-1], after[-1])
        stale = standing.behind and session.lists_asked == came[-1].lists_before
        heard = "; it did not list again, and holds an old list" if stale else "; it did not list again"
        yield Seen(
            args={"client": standing.client.name, "signals": len(came), "stale": stale},
            words={"heard": "" if session.lists_asked > came[-1].lists_before else heard},
            evidence=(*standing.frames(_declared_at(session), came[0].at), *standing.proof),
            layer=standing.timeline.layer("server"),
            session=standing.timeline.label(session),
            severity="warning" if needless else None,
            state="stale" if stale else None,
        )


def _undeclared_tools(standing: Standing) -> Iterator[Seen]:
    session = standing.session
    if session.declares_tools is not False or standing.timeline.own:
        return  # In a session of our own it needs no client to be seen: `tools-capability-missing`.
    walk = next((walk for walk in standing.client.walks if walk.surface is not None and walk.surface.tools), None)
    listed = walk.surface if walk is not None else standing.outside
    if listed is None or not listed.tools:
        return
    asked = "and lists them when it is asked" if walk is not None else "{client} asked for no list, and there is one"
    yield Seen(
        args={"client": standing.client.name, "tools": len(listed.tools)},
        evidence=standing.frames(_declared_at(session), walk.answered if walk is not None else None),
        layer=standing.timeline.layer("server"),
        session=standing.label,
        says=f"The server declares no tools, has {{tools}}, {asked}.",
    )
