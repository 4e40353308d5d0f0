"""When a client is shown to have held a list that was old already: what a picture of its session hatches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnose.judge.clock import seconds_after
from diagnose.judge.timeline.catalogues import pairs_of
from diagnose.judge.timeline.deeds import Exposure, Moment, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.standing import Standing


def stale_spans(
    standing: Standing, session: Session, verdict: Mapping[str, Any], others: Sequence[Timeline] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the times: before each new list since it was announced or sent to somebody else, and up to the end.

    ``others`` are recordings of other hops: what changed there has changed for this session, too.
    """
    exposures = list(session.exposures)
    for older, newer in pairs_of(exposures, dropped=session.exposures.dropped):
        if older is None or newer.walk.answered is None:
            continue
        announced, elsewhere = _announced(session, older, newer), _elsewhere(standing, session, older, newer)
        since = min(filter(None, (announced, elsewhere)), key=lambda moment: moment.frame, default=None)
        if since is not None:
            why = "announced" if since is announced else "sent to another session"
            yield _span(since, newer.walk.answered, why)
    if verdict["state"] == "stale" and session is standing.session:
        yield from _to_the_end(standing, session, verdict["cause"], others)


def _announced(session: Session, older: Exposure, newer: Exposure) -> Moment | None:
    """Return the first signal between the last answer with one catalogue and the request that brought the next."""
    between = (each.at for each in session.signals if older.last.frame < each.at.frame < newer.walk.asked.frame)
    return next(between, None)


def _elsewhere(standing: Standing, session: Session, older: Exposure, newer: Exposure) -> Moment | None:
    """Return when the next catalogue was first sent to another session of the same authorization."""
    found = [
        each.walk.answered
        for other in standing.timeline.sessions
        if other is not session and other.principal == session.principal
        for each in other.exposures
        if each.surface is newer.surface and each.walk.answered is not None
    ]
    end = newer.walk.asked.frame
    return min(
        (moment for moment in found if older.last.frame < moment.frame < end), key=lambda at: at.frame, default=None
    )


def _to_the_end(
    standing: Standing, session: Session, cause: str, others: Sequence[Timeline]
) -> Iterator[dict[str, Any]]:
    """Yield the time from when it is shown that the list is old, or that it is only a part, to the end of the session."""
    ending, signal, walk = session.ending, standing.unheeded, session.held or session.walks.newest
    end = ending.at if ending is not None else standing.timeline.last
    told = [proof.t for proof in standing.proofs if proof.t is not None]
    if signal is not None:
        yield _span(signal.at, end, cause)
    elif walk is not None:
        answered = walk.answered or walk.asked
        since = min(told or _on_other_hops(standing, walk, answered.t, others), default=answered.t)
        yield {"from": {"frame": None, "t": max(since, answered.t)}, "to": _at(end), "why": cause}


def _on_other_hops(standing: Standing, walk: Walk, t: float, others: Sequence[Timeline]) -> Iterator[float]:
    """Yield when, by the clock of this recording, the list changed on another hop after this session read it."""
    for line in others:
        shift = seconds_after(standing.timeline.header.started_at, line.header.started_at)
        if shift is None or walk.surface is None or line is standing.timeline:
            continue
        for session in line.sessions:
            changed = [each.walk.answered for each in session.exposures if each.surface.digest != walk.surface.digest]
            for at in (*(signal.at for signal in session.signals), *changed):
                if at is not None and at.t + shift > t:
                    yield at.t + shift


def _span(since: Moment, until: Moment, why: str) -> dict[str, Any]:
    return {"from": _at(since), "to": _at(until), "why": why}


def _at(moment: Moment) -> dict[str, Any]:
    return {"frame": moment.frame, "t": moment.t}
