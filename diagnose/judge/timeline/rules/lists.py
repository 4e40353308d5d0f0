"""Rules of what a list holds and says of itself, and of lists that cannot be had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from diagnose.judge.case import Case
from diagnose.judge.checks.definitions import collisions, invalid_entry, own_faults
from diagnose.judge.checks.registry import Seen, also
from diagnose.judge.checks.revision import counts_told
from diagnose.judge.definition import faults_of_entry
from diagnose.judge.numbers import rewritten
from diagnose.judge.timeline.deeds import Refusal, Walk
from diagnose.judge.timeline.kept import kept_old
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules.needs import client_list, recording, two_lists, whole_list
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.words import short
from diagnose.surface import Surface
from diagnose.wire.eras import HEADER_MISMATCH, UNSUPPORTED_VERSION
from diagnose.wire.message import METHOD_NOT_FOUND


def different_lists(case: Case) -> Iterator[tuple[Timeline, Session, Walk, Surface]]:
    """Yield each list that a server sent, the newest first, and no list twice."""
    for line in case.timelines:
        seen: set[int] = set()
        read = [(session, walk) for session in line.sessions for walk in session.walks if walk.surface is not None]
        for session, walk in reversed(read):
            if walk.surface is not None and id(walk.surface) not in seen:
                seen.add(id(walk.surface))
                yield line, session, walk, walk.surface


def _of(line: Timeline, session: Session, walk: Walk, seen: Seen) -> Seen:
    evidence = (*line.frames(walk.answered), *seen.evidence)
    return replace(seen, layer=line.layer("server"), session=line.label(session), evidence=evidence)


@also("invalid-definition", needs=(whole_list,))
def invalid_definition(case: Case) -> Iterable[Seen]:
    """Hold each entry of each list to the form of a tool; what one list has, an older one is not blamed for again."""
    told: set[str] = set()
    for line, session, walk, surface in different_lists(case):
        mirrored = line.header.transport == "http" and session.era == "modern"
        for place, entry in enumerate(surface.raw_entries):
            faults = own_faults(case, faults_of_entry(entry, session.version, mirrored=mirrored))
            seen = invalid_entry(place, entry, faults) if faults else None
            if seen is not None and repr(seen.args) not in told:
                told.add(repr(seen.args))
                yield _of(line, session, walk, seen)


@also("name-collision", needs=(whole_list,))
def name_collision(case: Case) -> Iterable[Seen]:
    """Look for names that more than one entry of a list has."""
    told: set[str] = set()
    for line, session, walk, _ in different_lists(case):
        for seen in collisions(line.reading(session, walk)):
            if repr(seen.args) not in told:
                told.add(repr(seen.args))
                yield _of(line, session, walk, seen)


@also("revision-mismatch", needs=(whole_list,))
def revision_mismatch(case: Case) -> Iterable[Seen]:
    """Recompute the revision of each list that advertises one."""
    for line, session, walk, surface in different_lists(case):
        said = walk.pages[-1].page.revision
        if said is None or surface.revision is None or said == surface.revision:
            continue
        hint = rewritten(said, surface, None) if isinstance(said, str) else "what is advertised is no revision"
        seen = Seen(
            args={"where": "the list", "advertised": str(said)[:200], "computed": surface.revision},
            words={
                "advertised_short": short(str(said)),
                "computed_short": short(surface.revision),
                "because": f"; {hint}" if hint else "",
            },
        )
        yield _of(line, session, walk, seen)


@also("count-mismatch", needs=(whole_list,))
def count_mismatch(case: Case) -> Iterable[Seen]:
    """Count the names of each list that advertises a count."""
    for line, session, walk, surface in different_lists(case):
        said = walk.pages[-1].page.count
        if said is not None and said != surface.count:
            told = said if type(said) is int else str(said)[:200]
            args = {"advertised": told, "unique": surface.count, "entries": len(surface.tools)}
            words = {"because": "", **counts_told(said, surface.count)}
            yield _of(line, session, walk, Seen(args=args, words=words))


@also("server-frozen-snapshot", needs=(two_lists,))
def server_frozen_snapshot(case: Case) -> Iterable[Seen]:
    """Look for a session that was sent its old list again; behind a gateway it is the gateway that keeps it."""
    for standing in case.standings:
        kept = kept_old(case, standing, "origin") if standing.timeline.layer("server") == "origin" else None
        if kept is not None:
            yield Seen(
                args={"client": standing.client.name, "tools": list(kept.tools)},
                evidence=kept.evidence,
                layer="origin",
                session=standing.label,
                confidence="likely",
                says="The session of {client} is sent its old list again, after a later one got another: they differ in {tools}.",
            )


@also("list-error", needs=(client_list,))
def list_error(case: Case) -> Iterable[Seen]:
    """Look for a client that shook hands and never had a list, for an error that has no row of its own."""
    for standing in case.standings:
        walks = standing.client.walks
        if any(walk.whole for walk in walks):
            continue
        talked = any(step.worked for step in standing.client.steps)
        refused = [walk for walk in walks if talked and walk.refusal is not None and has_no_row(walk.refusal)]
        faulty = [walk for walk in walks if walk.fault == "list-error"]
        for walk in (refused or faulty)[-1:]:
            yield _no_list(standing, walk)


def has_no_row(refusal: Refusal) -> bool:
    """Tell whether a refusal of the list is for no reason that has a name of its own: credential, session, era, cursor."""
    words = refusal.message.lower()
    named = refusal.is_credential or refusal.code in {HEADER_MISMATCH, UNSUPPORTED_VERSION}
    # Without a JSON-RPC error, these statuses speak of the session or of the endpoint, not of the list.
    outer = refusal.code is None and refusal.status in {400, 404, 405, 409}
    other = any(word in words for word in ("cursor", "session", "protocol version", "protocol-version"))
    return not (named or outer or other)


def _no_list(standing: Standing, walk: Walk) -> Seen:
    refusal, session = walk.refusal, standing.session
    code = refusal.code if refusal is not None else None
    missing = code == METHOD_NOT_FOUND and session.declares_tools is False
    said = f"error {code}: {refusal.message}" if refusal is not None and code is not None else walk.says
    status = f"HTTP {refusal.status}" if refusal is not None and refusal.status is not None else ""
    return Seen(
        args={"client": standing.client.name, "code": code, "status": refusal.status if refusal else None},
        evidence=standing.frames(walk.asked, walk.answered),
        layer=standing.timeline.layer("server"),
        session=standing.label,
        severity="note" if missing else None,
        literal="The server declares no tools and knows no tools/list: there is no list to judge."
        if missing
        else f"The server talks, and refuses its list to {standing.client.name}: {said or status}",
    )


@also("auth-blocked", needs=(recording,))
def auth_blocked(case: Case) -> Iterable[Seen]:
    """Look for a client whose list, or whose every request, was refused for its credential to the end."""
    for standing in case.standings:
        refused = [
            loss
            for session in standing.client.sessions
            for loss in session.losses
            if loss.refusal.is_credential and loss.method not in {"GET", "DELETE"}
        ]
        if not refused or _let_in(standing, refused[-1].refusal):
            continue
        last, first_knock = refused[-1], len(refused) == 1 and standing.held is None
        undecided = first_knock and standing.silence(last.refusal.at.t) is None
        yield Seen(
            args={"client": standing.client.name, "status": last.refusal.status, "method": last.method},
            evidence=standing.frames(*(loss.refusal.at for loss in refused[-3:])),
            layer=standing.timeline.layer("client"),
            session=standing.label,
            severity="note" if undecided else None,
            confidence="possible" if undecided else "proven",
            says="{client} is refused with HTTP {status} when it sends {method}, and was not let in again"
            + ("; the list that it shows is one from before." if standing.held is not None else "."),
        )


def _let_in(standing: Standing, refusal: Refusal) -> bool:
    """Tell whether the list could be had after a refusal; or any request, where the list was not what was refused."""
    newest = standing.client.walks[-1] if standing.client.walks else None
    if newest is not None and newest.refusal is not None and newest.refusal.is_credential:
        return False
    accepted = [session.accepted.frame for session in standing.client.sessions if session.accepted is not None]
    return any(frame > refusal.at.frame for frame in accepted)


@also("timed-out", needs=(client_list,))
def timed_out(case: Case) -> Iterable[Seen]:
    """Look for a list that was asked for and never answered, though there was time."""
    for standing in case.standings:
        walk = standing.client.walks[-1] if standing.client.walks else None
        if walk is None or walk.state != "asking":
            continue
        until = walk.given_up.t if walk.given_up is not None else standing.until
        if until - walk.asked.t >= standing.wait:
            waited = round(until - walk.asked.t)
            yield Seen(
                args={"client": standing.client.name, "seconds": waited},
                evidence=standing.frames(walk.asked),
                layer=standing.timeline.layer("server"),
                session=standing.label,
                says="{client} asked for the list and had no answer in {seconds} s.",
            )
