"""Rules of what a client does about a change: told of it, or with another reason to list again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.clock import told_after
from diagnose.judge.diagnosis import Confidence
from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.rules.needs import client_list, modern_list, signal, whole_list
from diagnose.judge.timeline.rules.reasons import Reason, failed_refresh, reasons, undeclared_signal
from diagnose.judge.timeline.rules.signals import silent_change
from diagnose.judge.timeline.rules.streams import deaf_since, never_listened
from diagnose.judge.timeline.standing import Standing

_TOOLS = "MCP 2026-07-28, server/tools, List Changed Notification"
_CACHING = "MCP 2026-07-28, server/utilities/caching"
#: So soon after the first handshake a list may be short because the server is not ready yet, in seconds.
_STARTING = 10.0


@check(
    "client-ignores-signal",
    family="reaction",
    layer="wire",
    severity="error",
    summary="A client that is told of a change lists again.",
    why="It was told, and shows its user and its model the old tools until it reconnects.",
    remedy="Reconnect the client, or use a version that honours list changes.",
    source=f"{_TOOLS}; catalogue of causes, rule 2: a reaction is judged after the wait",
    message="{client} was told that the list had changed and asked for none {how}.",
    needs=(signal,),
)
def client_ignores_signal(case: Case) -> Iterable[Seen]:
    """Look for a last signal after which the client asked for no list."""
    for standing in case.standings:
        came = standing.unheeded
        if came is not None:
            silence = standing.silence(came.at.t)
            yield _ignored(standing, came.at, silence, burst=_was_burst(standing, came.at), told=came.declared is True)
        yield from _late(standing)


def _was_burst(standing: Standing, last: Moment) -> bool:
    """Tell whether the client listed after an earlier signal of the burst, and not after its last."""
    earlier = [each for each in standing.session.signals if each.at.frame < last.frame]
    return any(last.t - each.at.t <= standing.wait and _asked_between(standing, each.at, last) for each in earlier)


def _asked_between(standing: Standing, start: Moment, end: Moment) -> bool:
    return any(start.frame < walk.asked.frame < end.frame for walk in standing.session.walks)


def _ignored(standing: Standing, at: Moment, silence: Confidence | None, *, burst: bool, told: bool) -> Seen:
    seconds = round(standing.until - at.t, 1)
    how = f"in the {seconds} s that followed" if silence == "proven" else f"before its session ended {seconds} s later"
    how = how if silence is not None else f"in the {seconds} s until the recording stopped"
    sure: Confidence = "likely" if silence == "proven" and not told else silence or "possible"
    return Seen(
        args={"client": standing.client.name, "seconds": seconds, "burst": burst},
        words={"how": how + (" (it had listed after the first of a burst)" if burst else "")},
        evidence=(*standing.frames(_declared(standing), at), *standing.proof),
        layer=standing.timeline.layer("client"),
        session=standing.label,
        # Where the list is seen to be the same still, nothing was missed.
        severity="note" if silence is None else "warning" if standing.current else None,
        confidence=sure,
    )


def _declared(standing: Standing) -> Moment | None:
    return next((step.answered for step in standing.session.steps if step.worked), None)


def _late(standing: Standing) -> Iterator[Seen]:
    """Yield a signal that the client took longer than the wait to act upon."""
    for session in standing.client.sessions:
        newest, walks = session.signals.newest, list(session.walks)
        after = [walk for walk in walks if newest is not None and walk.asked.frame > newest.at.frame]
        if (
            newest is not None
            and after
            and newest.declared is not False
            and after[0].asked.t - newest.at.t > standing.wait
        ):
            yield Seen(
                args={"client": standing.client.name, "seconds": round(after[0].asked.t - newest.at.t, 1)},
                evidence=standing.frames(newest.at, after[0].asked),
                layer=standing.timeline.layer("client"),
                session=standing.timeline.label(session),
                severity="warning",
                says="{client} was told that the list had changed, and asked for it {seconds} s later.",
            )


@check(
    "client-no-relist",
    family="reaction",
    layer="wire",
    severity="error",
    summary="A client with a reason to list again does so, and to the end.",
    why="Its user and its model see the old tools, or after a failed refresh none, until something else makes it list.",
    remedy="Correct what made the refresh fail, then reconnect the client.",
    source=f"{_CACHING}; catalogue of causes, client-no-relist",
    message="{client} holds an old list: {reason}, and it read no complete list since.",
    needs=(whole_list,),
)
def client_no_relist(case: Case) -> Iterable[Seen]:
    """Look for a client that is behind and had a reason to list that was no signal."""
    for standing in case.standings:
        if standing.inside_ttl:
            continue
        signalled = standing.unheeded is not None
        found = next((each for each in reasons(standing) if standing.behind or each.alone), None)
        if found is not None and not (signalled and not found.alone):
            yield _no_relist(standing, found)
        elif found is None and standing.behind and not signalled:
            yield from _without_reason(standing)
        elif found is None and not standing.current:
            yield from _failed_for_nothing(standing)


def _no_relist(standing: Standing, reason: Reason) -> Seen:
    silence = standing.silence(reason.at.t)
    undecided = silence is None and not standing.behind
    sure: Confidence = "likely" if "likely" in {silence, reason.confidence} else "proven"
    return Seen(
        args={"client": standing.client.name, "reason": reason.words},
        evidence=(*standing.frames(standing.held.answered if standing.held else None, reason.at), *standing.proof),
        layer=standing.timeline.layer("client"),
        session=standing.label,
        severity="note" if undecided else "warning" if standing.current else None,
        confidence="possible" if undecided else sure,
        says=None
        if standing.behind
        else "{client} was told of a change, {reason}, and it read no complete list since.",
    )


def _failed_for_nothing(standing: Standing) -> Iterator[Seen]:
    """Yield a refresh that failed, where nothing shows that there was anything new: a suspicion, and no more."""
    for reason in failed_refresh(standing):
        yield Seen(
            args={"client": standing.client.name, "reason": reason.words},
            evidence=standing.frames(standing.held.answered if standing.held else None, reason.at),
            layer=standing.timeline.layer("client"),
            session=standing.label,
            severity="note",
            confidence="possible",
            says="{client} keeps the list from before: {reason}. Whether the list has changed, the frames do not tell.",
        )


def _without_reason(standing: Standing) -> Iterator[Seen]:
    """Yield the weakest word: the client is behind, and had neither a signal nor another reason that the frames show."""
    held = standing.held
    deaf = never_listened(standing) or deaf_since(standing) is not None
    if held is None or deaf or silent_change(standing) is not None or undeclared_signal(standing):
        return  # Why it did not hear of the change has a rule of its own.
    yield Seen(
        args={"client": standing.client.name},
        evidence=(*standing.frames(held.answered), *standing.proof),
        layer=standing.timeline.layer("client"),
        session=standing.label,
        confidence="possible",
        says="{client} holds an old list and did not list again; nothing in the frames told it to.",
    )


@check(
    "ttl-window",
    family="reaction",
    layer="wire",
    severity="error",
    summary="No list changes while a client may still keep it.",
    why="The client does nothing wrong, and shows the old tools until the stated time.",
    remedy="Wait until the stated time, or have the client list again; give changing lists a shorter TTL.",
    source=_CACHING,
    message="The list of {client} is fresh by contract until {until}, and has changed meanwhile.",
    needs=(modern_list,),
)
def ttl_window(case: Case) -> Iterable[Seen]:
    """Look for a client that is behind and may be, by the TTL of its list."""
    for standing in case.standings:
        until = standing.fresh_until
        if standing.behind and standing.inside_ttl and until is not None and standing.held is not None:
            clock = told_after(standing.timeline.header.started_at, until)
            yield Seen(
                args={"client": standing.client.name, "ttlMs": standing.held.ttl_ms, "t": round(until, 3), "at": clock},
                words={"until": f"t {until:.2f} s" + (f" ({clock})" if clock else "")},
                evidence=(*standing.frames(standing.held.answered), *standing.proof),
                layer=standing.timeline.layer("client"),
                session=standing.label,
            )


@check(
    "startup-race",
    family="reaction",
    layer="wire",
    severity="error",
    summary="A client asks for the list once the server has its tools.",
    why="The client holds an empty or short list for its whole session, and nothing looks wrong.",
    remedy="List again once the server is up; a server should answer only when its tools are in place.",
    source="catalogue of causes, startup-race",
    message="{client} listed {seconds} s after its handshake and was sent {early} tools; there are {now} by now.",
    needs=(client_list,),
)
def startup_race(case: Case) -> Iterable[Seen]:
    """Look for an early list that is empty, where the newest one is not, and that was not read again."""
    for standing in case.standings:
        held, shaken = standing.held, _declared(standing)
        surface = held.surface if held is not None else None
        if held is None or surface is None or surface.tools or not standing.behind or shaken is None:
            continue
        if held.asked.t - shaken.t <= _STARTING:
            known = max((len(pair.changes) for pair in standing.pairs), default=0)
            # Where only calls show that there are tools, there may be others.
            least = len({proof.words for proof in standing.proofs})
            yield Seen(
                args={"client": standing.client.name, "early": 0, "now": known or least},
                words={
                    "seconds": f"{held.asked.t - shaken.t:.1f}",
                    "early": "no",
                    "now": str(known) if known else f"at least {least}",
                },
                evidence=(*standing.frames(shaken, held.answered), *standing.proof),
                layer=standing.timeline.layer("client"),
                session=standing.label,
            )
