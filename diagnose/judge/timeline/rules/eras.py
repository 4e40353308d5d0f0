"""Rules of the negotiation between the protocol's eras."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Moment, Refusal, Step
from diagnose.judge.timeline.model import Session
from diagnose.judge.timeline.rules.needs import recording, stdio
from diagnose.judge.timeline.standing import Standing
from diagnose.wire.eras import is_modern_error, supported_versions
from diagnose.wire.message import RpcErrorBody

_VERSIONING = "MCP 2026-07-28, basic/versioning"


@check(
    "era-fallback-fail",
    family="eras",
    layer="wire",
    severity="error",
    summary="The negotiation between the eras ends with a version that both speak.",
    why="The client shows no tools, although it and the server have a version in common.",
    remedy="Upgrade the client or pin its era; the server should name the versions that it speaks.",
    source=f"{_VERSIONING}: any unrecognised answer to the probe means a legacy server, a recognised one names versions",
    message="{client} was refused when it {tried}{why}, and tried nothing else.",
    needs=(recording,),
)
def era_fallback_fail(case: Case) -> Iterable[Seen]:
    """Look for a client whose last try to agree on a version failed, with nothing after it."""
    for standing in case.standings:
        failed = next(iter((*_last_step(standing), *_remembered(standing))), None)
        if failed is None:
            continue
        at, tried, refusal = failed
        silence = standing.silence(at.t)
        yield Seen(
            args={
                "client": standing.client.name,
                "status": refusal.status if refusal else None,
                "code": refusal.code if refusal else None,
                "supported": list(_named(refusal)),
            },
            words={"tried": tried, "why": _because(refusal)},
            evidence=standing.frames(at, refusal.at if refusal else None),
            layer=standing.timeline.layer("client"),
            session=standing.label,
            severity="note" if silence is None else None,
            confidence=silence or "possible",
            state="stale" if standing.held is not None else None,
        )


def _last_step(standing: Standing) -> Iterator[tuple[Moment, str, Refusal | None]]:
    """Yield the last probe or handshake, if it came to nothing and nothing came after it."""
    step = standing.client.steps[-1] if standing.client.steps else None
    if (
        step is None
        or _took_in(standing, step.asked)
        or any(_counts_not(session) for session in standing.client.sessions)
    ):
        return
    words = {
        "discover": "probed with server/discover",
        "initialize": f"asked for version {step.version} with initialize",
    }
    if step.refusal is not None:
        if not _is_about_versions(step.refusal):
            return
        yield step.refusal.at, words[step.kind], step.refusal
    elif step.answered is None and standing.until - step.asked.t >= standing.wait and standing.session.ending is None:
        yield step.asked, f"{words[step.kind]} (no answer came)", None
    elif step.kind == "initialize" and _declined(standing, step) and step.answered is not None:
        yield step.answered, f"{words[step.kind]} and was offered {', '.join(step.versions)}", None


def _took_in(standing: Standing, after: Moment) -> bool:
    """Tell whether the server took any request after a moment, the steps themselves aside."""
    for session in standing.client.sessions:
        steps = {step.answered.frame for step in session.steps if step.answered is not None}
        accepted = session.accepted
        if accepted is not None and accepted.frame > after.frame and accepted.frame not in steps:
            return True
    return any(walk.asked.frame > after.frame for walk in standing.client.walks)


def _counts_not(session: Session) -> bool:
    """Tell whether the process ended on the probe: that has a row of its own."""
    return (
        session.ending is not None
        and session.ending.by == "server"
        and any(step.answered is None for step in session.steps)
    )


def _declined(standing: Standing, step: Step) -> bool:
    """Tell whether the client left it at another version than it had asked for."""
    offered_another = bool(step.versions) and step.version is not None and step.version not in step.versions
    return offered_another and standing.session.requests <= len(standing.session.steps)


def _remembered(standing: Standing) -> Iterator[tuple[Moment, str, Refusal | None]]:
    """Yield modern requests to a server that takes none, by a client that neither probes nor shakes hands."""
    session = standing.session
    refused = [loss for loss in session.losses if loss.refusal.status == 400 and loss.method not in {"GET", "DELETE"}]
    if session.modern_words and not standing.client.steps and session.accepted is None and refused:
        first = refused[0]
        yield first.refusal.at, f"sent {first.method} in the modern era without asking first", first.refusal


def _is_about_versions(refusal: Refusal) -> bool:
    """Tell whether a refusal of a step leaves the other era to be tried: not a credential, not a server in trouble."""
    return (
        not refusal.is_credential
        and not (refusal.status is not None and refusal.status >= 500)
        and refusal.status != 429
    )


def _named(refusal: Refusal | None) -> tuple[str, ...]:
    return () if refusal is None else supported_versions(_body(refusal))


def _body(refusal: Refusal) -> RpcErrorBody:
    return RpcErrorBody(code=refusal.code, message=refusal.message, data=refusal.data)


def _because(refusal: Refusal | None) -> str:
    if refusal is None:
        return ""
    parts = [
        f"HTTP {refusal.status}" if refusal.status is not None else "",
        f"error {refusal.code}" if refusal.code is not None else "",
        refusal.message[:120],
    ]
    said = ", ".join(part for part in parts if part)
    kind = "; the server is modern" if is_modern_error(_body(refusal)) else ""
    return f" ({said}{kind})" if said else ""


@check(
    "era-probe-kills-server",
    family="eras",
    layer="wire",
    severity="error",
    summary="A server lives through a first message that it does not know.",
    why="The fallback has nobody to talk to: no tools, and a process that seems to crash at its start.",
    remedy="Answer unknown first messages with an error; a client may start the server again and initialise.",
    source=f"{_VERSIONING}; MCP 2026-07-28, basic/transports/stdio",
    message="The server ended when {client} probed it with server/discover{code}, and no handshake worked after that.",
    needs=(stdio,),
)
def era_probe_kills_server(case: Case) -> Iterable[Seen]:
    """Look for a process that ended with the probe, or the handshake right behind it, unanswered."""
    for standing in case.standings:
        for session in standing.client.sessions:
            ending, probe = session.ending, next((step for step in session.steps if step.kind == "discover"), None)
            if probe is None or probe.answered is not None or ending is None or ending.by != "server":
                continue
            if any(step.worked for step in session.steps):
                continue
            recovered = any(step.worked and step.asked.frame > ending.at.frame for step in standing.client.steps)
            exit_code = next((each.code for each in standing.timeline.processes if each.at == ending.at), None)
            yield Seen(
                args={"client": standing.client.name, "exit": exit_code},
                words={"code": f" (exit {exit_code})" if exit_code is not None else ""},
                evidence=standing.frames(probe.asked, ending.at),
                layer=standing.timeline.layer("client"),
                session=standing.timeline.label(session),
                severity="note" if recovered else None,
                says="The server ended on the probe of {client}, which started it again and shook hands."
                if recovered
                else None,
            )
