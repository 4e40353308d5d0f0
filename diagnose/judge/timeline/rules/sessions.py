"""Rules of sessions and headers: a session that is gone, and requests that say two things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.clock import seconds_after, told_after
from diagnose.judge.timeline.asking import is_lost
from diagnose.judge.timeline.deeds import Loss, Moment
from diagnose.judge.timeline.model import Session
from diagnose.judge.timeline.rules.needs import http
from diagnose.judge.timeline.standing import Standing
from diagnose.wire.eras import HEADER_MISMATCH

_SESSIONS = "MCP 2025-11-25, basic/transports, Session Management"
#: So many handshakes, each after a refused GET, are no accident.
_ROUNDS = 3
_SOME_REFUSED = (
    "Of the requests of {client} with one session id some are taken and {refusals} are refused with HTTP {status}: "
    "not every instance knows the session."
)
_ONE_REFUSED = (
    "A request of {client} was refused with HTTP {status} as if its session were gone, and a later one taken."
)


@check(
    "session-lost",
    family="sessions",
    layer="wire",
    severity="error",
    summary="A client whose session is gone begins a new one.",
    why="Every list and call fails, the client still says connected, and it keeps its last list.",
    remedy="Restart the client; a server without session state, or with a shared one, survives restarts and balancers.",
    source=f"{_SESSIONS}: on 404 the client must start a new session",
    message="{client} lost its session (HTTP {status} for {refused} with one id) and goes on without a new handshake that it uses.",
    needs=(http,),
)
def session_lost(case: Case) -> Iterable[Seen]:
    """Look for each way in which a session is lost and not replaced; the surest of them is told."""
    for standing in case.standings:
        started = _started(case, standing)
        ways = (
            _refused_id(standing, started),
            _never_sent(standing),
            _taken_for_lost(standing),
            _restarted(standing, started),
        )
        found = next((seen for way in ways for seen in way), None)
        if found is not None:
            yield found


def _started(case: Case, standing: Standing) -> float | None:
    """Return when the server started, on the recording's clock, if that was after the client's handshake."""
    build = case.bundle.deployed.observed if case.bundle.deployed is not None else None
    t = seconds_after(standing.timeline.header.started_at, build.started_at if build is not None else None)
    shaken = _shaken(standing.session)
    return t if t is not None and shaken is not None and shaken.t < t else None


def _shaken(session: Session) -> Moment | None:
    shaken = [step.answered for step in session.steps if step.worked and step.answered is not None]
    return shaken[-1] if shaken else None


def _refused_id(standing: Standing, started: float | None) -> Iterator[Seen]:
    losses = [loss for session in standing.client.sessions for loss in session.losses if is_lost(loss)]
    if not losses or _begun_anew(standing, losses[-1].refusal.at):
        return
    first, last = losses[0], losses[-1]
    came_back = any(
        session.accepted is not None and session.accepted.frame > first.refusal.at.frame
        for session in standing.client.sessions
        if session.id == first.session_id
    )
    if came_back and all(loss.method == "GET" for loss in losses):
        return  # Everything else is taken with that id: it is the stream that there is not.
    silence = standing.silence(last.refusal.at.t)
    undecided = len(losses) == 1 and silence is None and started is None
    yield Seen(
        args={"client": standing.client.name, "status": last.refusal.status, "refusals": len(losses)},
        words={"refused": f"{len(losses)} requests" if len(losses) > 1 else "a request"},
        evidence=standing.frames(*(loss.refusal.at for loss in losses[-4:])),
        layer=standing.timeline.layer("client"),
        session=standing.label,
        severity="note" if undecided else "warning" if came_back and len(losses) == 1 else None,
        confidence="possible" if undecided else "proven" if len(losses) > 1 or silence == "proven" else "likely",
        says=(_SOME_REFUSED if len(losses) > 1 else _ONE_REFUSED) if came_back else None,
    )


def _begun_anew(standing: Standing, lost: Moment) -> bool:
    """Tell whether a handshake followed that was then used."""
    for session in standing.client.sessions:
        shaken = _shaken(session)
        if shaken is not None and shaken.frame > lost.frame and session.accepted is not None:
            used = session.accepted.frame > shaken.frame and (session.sent_id or not session.issued_id)
            if used:
                return True
    return False


def _never_sent(standing: Standing) -> Iterator[Seen]:
    """Look for an id that was issued, and requests without it that are refused (a browser may not be shown the header)."""
    session = standing.session
    refused = [loss for loss in session.losses if loss.session_id is None and loss.refusal.status in {400, 404}]
    if session.issued_id and not session.sent_id and refused:
        yield Seen(
            args={"client": standing.client.name, "status": refused[-1].refusal.status, "refusals": len(refused)},
            evidence=standing.frames(session.first, *(loss.refusal.at for loss in refused[-3:])),
            layer=standing.timeline.layer("client"),
            session=standing.label,
            says="{client} never sends the session id that it was given, and is refused with HTTP {status} "
            "(in a browser, the server must expose the header Mcp-Session-Id).",
        )


def _taken_for_lost(standing: Standing) -> Iterator[Seen]:
    """Look for a client that takes a refused GET, which only says that there is no stream, for the end of its session."""
    rounds = [session for session in standing.client.sessions if _get_refused(session) is not None]
    if len(rounds) >= _ROUNDS and len(rounds) >= len(standing.client.sessions) - 1:
        yield Seen(
            args={"client": standing.client.name, "handshakes": len(standing.client.sessions)},
            evidence=standing.frames(*(_get_refused(session) for session in rounds[:5])),
            layer=standing.timeline.layer("client"),
            session=standing.label,
            says="{client} takes the refused GET stream for the end of its session and begins again, {handshakes} times: "
            "405 only says that there is no such stream.",
        )


def _get_refused(session: Session) -> Moment | None:
    refusals = [stream.refusal for stream in session.streams if stream.purpose == "get"]
    return next((refusal.at for refusal in refusals if refusal is not None and refusal.status == 405), None)


def _restarted(standing: Standing, started: float | None) -> Iterator[Seen]:
    """Look for a server that started after the handshake, and a client that has sent nothing since."""
    session = standing.session
    if started is None or session.era == "modern" or session.transport == "stdio" or session.ending is not None:
        return
    if session.last.t < started:
        yield Seen(
            args={
                "client": standing.client.name,
                "startedAt": told_after(standing.timeline.header.started_at, started),
            },
            evidence=("deployed startedAt", *standing.frames(_shaken(session), session.last)),
            layer=standing.timeline.layer("client"),
            session=standing.label,
            confidence="likely",
            says="The server started at {startedAt}, after the handshake of {client}, which has sent nothing since: "
            "its session went with the former process.",
        )


@also("header-mismatch", needs=(http,))
def header_mismatch(case: Case) -> Iterable[Seen]:
    """Look for requests that were refused for their headers, and for headers that disagree with the body."""
    for standing in case.standings:
        for session in standing.client.sessions:
            yield from _mismatched(standing, session, list(session.losses))


def _mismatched(standing: Standing, session: Session, losses: Sequence[Loss]) -> Iterator[Seen]:
    wrong = {mismatch.asked.frame: mismatch for mismatch in session.mismatches}
    refused = [
        loss
        for loss in losses
        if loss.refusal.code == HEADER_MISMATCH or (loss.refusal.status == 400 and loss.asked.frame in wrong)
    ]
    line = standing.timeline
    if refused:
        last = refused[-1]
        first = wrong.get(last.asked.frame)
        settled = session.accepted is not None and session.accepted.frame > last.refusal.at.frame
        yield Seen(
            args={
                "client": standing.client.name,
                "header": first.header if first else "headers",
                "said": first.said if first else last.version,
                "body": first.body if first else session.version,
                "status": last.refusal.status,
            },
            evidence=line.frames(last.asked, last.refusal.at),
            layer=line.layer("client"),
            session=line.label(session),
            severity="note" if settled else None,
            says=None if first else "{client} is refused because headers and body of its request disagree.",
        )
    elif wrong:
        first = next(iter(wrong.values()))
        yield Seen(
            args={"client": standing.client.name, "header": first.header, "said": first.said, "body": first.body},
            evidence=line.frames(first.asked),
            layer=line.layer("client"),
            session=line.label(session),
            severity="warning",
            says="{client} sends {header} {said} where {body} is right; the server lets it pass.",
        )
