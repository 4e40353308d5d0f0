"""The sessions of the recordings as a report has them: what each did, with its frames, and a verdict of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnose.judge.candidates import candidates
from diagnose.judge.clock import seconds_after
from diagnose.judge.timeline.catalogues import Catalogues, changes_of, pairs_of
from diagnose.judge.timeline.deeds import Moment, Refusal, Signal, Stream, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.spans import stale_spans

if TYPE_CHECKING:
    from diagnose.judge.case import Case
    from diagnose.judge.diagnosis import Finding
    from diagnose.judge.timeline.standing import Standing

#: So much of each kind is told of one session; the numbers beside it tell how much there was.
_MOST = 100


def entries(case: Case, findings: Sequence[Finding]) -> tuple[Mapping[str, Any], ...]:
    """Return an entry for each session of each recording, in the order in which they began."""
    named = Catalogues(case.timelines)
    found: list[Mapping[str, Any]] = []
    for standing in case.standings:
        found.extend(_entry(standing, session, findings, named, case) for session in standing.client.sessions)
    return tuple(sorted(found, key=lambda entry: (entry["recording"], entry["first"]["frame"])))


def recordings(timelines: Sequence[Timeline]) -> tuple[Mapping[str, Any], ...]:
    """Return what is to be told of each recording itself; ``offset`` is in seconds after the start of the first."""
    start = timelines[0].header.started_at if timelines else None
    return tuple(
        {
            "name": line.name,
            "source": line.source,
            "startedAt": line.header.started_at,
            "offset": seconds_after(start, line.header.started_at),
            "transport": line.header.transport,
            "hop": line.header.hop,
            "events": line.events,
            "last": _at(line.last),
            "ended": line.ended,
            "notes": list(line.notes),
            "processes": [{**_at(each.at), "event": each.event, "code": each.code} for each in line.processes][:_MOST],
            "actions": [{**_at(each.at), "text": each.text} for each in line.actions][:_MOST],
        }
        for line in timelines
    )


def _entry(
    standing: Standing, session: Session, findings: Sequence[Finding], named: Catalogues, case: Case
) -> dict[str, Any]:
    line = standing.timeline
    verdict = _verdict(standing, session, line, findings)
    return {
        "id": line.label(session),
        "recording": line.name,
        **_identity(standing, session),
        "first": _moment(session.first),
        "last": _moment(session.last),
        "ended": session.ending.why if session.ending is not None else None,
        "end": _moment(session.ending.at) if session.ending is not None else None,
        **_deeds(session, named),
        "losses": {
            "total": session.losses.total,
            "shown": [
                {**_at(loss.asked), "method": loss.method, "refused": _refusal(loss.refusal)}
                for loss in list(session.losses)[-_MOST:]
            ],
        },
        "stale": list(stale_spans(standing, session, verdict, case.timelines))[-_MOST:],
        "verdict": verdict,
    }


def _identity(standing: Standing, session: Session) -> dict[str, Any]:
    return {
        "client": {"name": standing.client.name, "version": session.client_version},
        "agent": session.agent,
        "transport": session.transport,
        "principal": session.principal,
        "sessionId": session.id,
        "era": session.era,
        "protocolVersion": session.version,
        "listChanged": session.declares_changes,
        "server": dict(session.server_info) if session.server_info is not None else None,
        "capabilities": dict(session.capabilities) if session.capabilities is not None else None,
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
    }


def _deeds(session: Session, named: Catalogues) -> dict[str, Any]:
    return {
        "catalogues": {"total": session.exposures.total, "shown": list(_catalogues(session, named))[-_MOST:]},
        "lists": {"total": session.walks.total, "shown": [_walk(walk, named) for walk in list(session.walks)[-_MOST:]]},
        "signals": {
            "total": session.signals.total,
            "shown": [_signal(each, session) for each in list(session.signals)[-_MOST:]],
        },
        "streams": {
            "total": session.streams.total,
            "shown": [_stream(stream) for stream in list(session.streams)[-_MOST:]],
        },
        "calls": list(_calls(session, named)),
        "callsMade": session.calls_made,
    }


def _catalogues(session: Session, named: Catalogues) -> Iterator[dict[str, Any]]:
    for older, each in pairs_of(list(session.exposures), dropped=session.exposures.dropped):
        surface, walk = each.surface, each.walk
        yield {
            "name": named.name(surface),
            "count": surface.count,
            "revision": surface.revision,
            "digest": surface.digest,
            "pages": len(walk.pages),
            "ttlMs": walk.ttl_ms,
            "cacheScope": _scope(walk),
            "first": _moment(walk.answered),
            "last": _moment(each.last),
            "lists": each.lists,
            "changes": [] if older is None else changes_of(older.surface, surface),
        }


def _signal(signal: Signal, session: Session) -> dict[str, Any]:
    heeded = session.lists_asked > signal.lists_before
    later = next((walk.asked for walk in session.walks if walk.asked.frame > signal.at.frame), None)
    return {
        **_at(signal.at),
        "declared": signal.declared,
        "channel": signal.channel,
        "stream": _carrier(signal, session),
        "heeded": heeded,
        "list": _moment(later) if heeded else None,
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


def _carrier(signal: Signal, session: Session) -> str | None:
    """Return the purpose of the stream that a signal came on; None where it came on no stream, as over stdio."""
    streams = (stream for stream in session.streams if stream.channel == signal.channel is not None)
    return next((stream.purpose for stream in streams), None)


def _scope(walk: Walk) -> Any:
    return walk.pages[-1].page.cache_scope if walk.pages else None


def _walk(walk: Walk, named: Catalogues) -> dict[str, Any]:
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
        "cacheScope": _scope(walk),
        "catalogue": named.name(surface) if surface is not None else None,
        "fault": walk.fault,
        "givenUp": _moment(walk.given_up),
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


def _calls(session: Session, named: Catalogues) -> Iterator[dict[str, Any]]:
    """Yield the calls: those that went as they should by tool, the others one by one."""
    for tool, tally in list(session.tallies.items())[:_MOST]:
        yield {
            "tool": tool,
            "count": tally.count,
            "asked": _moment(tally.first),
            "last": _moment(tally.last),
            "standing": "listed",
            "outcome": "ok",
            "definitions": list(tally.definitions),
        }
    for call in (*list(session.calls)[-_MOST:], *session.unanswered):
        yield {
            "tool": call.tool,
            "count": 1,
            "asked": _moment(call.asked),
            "last": _moment(call.answered),
            "standing": call.standing,
            "outcome": call.outcome,
            "arguments": list(call.arguments),
            "surplus": list(call.surplus),
            "catalogue": named.at(session, call.held),
            "list": _moment(call.held),
            "definitions": [call.definition] if call.definition is not None else [],
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
