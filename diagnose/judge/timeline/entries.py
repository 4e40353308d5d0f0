"""The sessions of the recordings as a report has them: what each did, with its frames, and a verdict of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnose.judge.candidates import candidates
from diagnose.judge.timeline.deeds import Moment, Refusal, Stream, Walk
from diagnose.judge.timeline.model import Session, Timeline

if TYPE_CHECKING:
    from diagnose.judge.case import Case
    from diagnose.judge.diagnosis import Finding
    from diagnose.judge.timeline.standing import Standing

#: So much of each kind is told of one session; the numbers beside it tell how much there was.
_MOST = 100


def entries(case: Case, findings: Sequence[Finding]) -> tuple[Mapping[str, Any], ...]:
    """Return an entry for each session of each recording, in the order in which they began."""
    found: list[Mapping[str, Any]] = []
    for standing in case.standings:
        found.extend(_entry(standing, session, findings) for session in standing.client.sessions)
    return tuple(sorted(found, key=lambda entry: (entry["recording"], entry["first"]["frame"])))


def _entry(standing: Standing, session: Session, findings: Sequence[Finding]) -> dict[str, Any]:
    line = standing.timeline
    return {
        "id": line.label(session),
        "recording": line.name,
        "client": {"name": standing.client.name, "version": session.client_version},
        "principal": session.principal,
        "sessionId": session.id,
        "era": session.era,
        "protocolVersion": session.version,
        "listChanged": session.declares_changes,
        "server": dict(session.server_info) if session.server_info is not None else None,
        "first": _moment(session.first),
        "last": _moment(session.last),
        "ended": session.ending.why if session.ending is not None else None,
        "steps": [
            {
                "kind": step.kind,
                "asked": _moment(step.asked),
                "version": step.version,
                "answered": _moment(step.answered),
                "versions": list(step.versions),
                "refused": _refusal(step.refusal),
            }
            for step in session.steps[:_MOST]
        ],
        "lists": {"total": session.walks.total, "shown": [_walk(walk) for walk in list(session.walks)[-_MOST:]]},
        "signals": {
            "total": session.signals.total,
            "shown": [{**_at(each.at), "declared": each.declared} for each in list(session.signals)[-_MOST:]],
        },
        "streams": {
            "total": session.streams.total,
            "shown": [_stream(stream) for stream in list(session.streams)[-_MOST:]],
        },
        "calls": list(_calls(session)),
        "losses": {
            "total": session.losses.total,
            "shown": [
                {**_at(loss.asked), "method": loss.method, "refused": _refusal(loss.refusal)}
                for loss in list(session.losses)[-_MOST:]
            ],
        },
        "verdict": _verdict(standing, session, line, findings),
    }


def _verdict(standing: Standing, session: Session, line: Timeline, findings: Sequence[Finding]) -> dict[str, Any]:
    own = [finding for finding in findings if finding.session == line.label(session)]
    ranked = candidates(own)
    if ranked:
        first = ranked[0]
        return {"state": first.state, "layer": first.layer, "cause": first.cause, "confidence": first.confidence}
    newest = session is standing.session
    state = "in-sync" if newest and standing.current and standing.pending is None else "inconclusive"
    return {"state": state, "layer": None, "cause": None, "confidence": "proven" if state == "in-sync" else "possible"}


def _walk(walk: Walk) -> dict[str, Any]:
    surface = walk.surface
    return {
        "asked": _moment(walk.asked),
        "answered": _moment(walk.answered),
        "frames": list(walk.frames[:_MOST]),
        "state": walk.state,
        "pages": len(walk.pages),
        "count": surface.count if surface is not None else None,
        "revision": surface.revision if surface is not None else None,
        "digest": surface.digest if surface is not None else None,
        "ttlMs": walk.ttl_ms,
        "cacheScope": walk.pages[-1].page.cache_scope if walk.pages else None,
        "fault": walk.fault,
        "refused": _refusal(walk.refusal),
    }


def _stream(stream: Stream) -> dict[str, Any]:
    return {
        "purpose": stream.purpose,
        "asked": _moment(stream.asked),
        "opened": _moment(stream.opened),
        "acknowledged": _moment(stream.acknowledged),
        "closed": _moment(stream.closed),
        "by": stream.by,
        "clean": stream.clean,
        "signals": stream.signals,
        "refused": _refusal(stream.refusal),
    }


def _calls(session: Session) -> Iterator[dict[str, Any]]:
    """Yield the calls: those that went as they should by tool, the others one by one."""
    for tool, tally in list(session.tallies.items())[:_MOST]:
        yield {
            "tool": tool,
            "count": tally.count,
            "asked": _moment(tally.first),
            "last": _moment(tally.last),
            "standing": "listed",
            "outcome": "ok",
        }
    for call in list(session.calls)[-_MOST:]:
        yield {
            "tool": call.tool,
            "count": 1,
            "asked": _moment(call.asked),
            "last": _moment(call.answered),
            "standing": call.standing,
            "outcome": call.outcome,
            "arguments": list(call.arguments),
            "surplus": list(call.surplus),
            "refused": _refusal(call.refusal),
        }


def _refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    if refusal is None:
        return None
    return {**_at(refusal.at), "status": refusal.status, "code": refusal.code, "message": refusal.message[:200]}


def _moment(moment: Moment | None) -> dict[str, Any] | None:
    return None if moment is None else _at(moment)


def _at(moment: Moment) -> dict[str, Any]:
    return {"frame": moment.frame, "t": moment.t}
