"""What a client does about time and about a session that is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.judge.bench.measures import Found, measure, no, not_shown, yes
from diagnose.judge.bench.trial import ASKED, CHANGED, FORGOT, Trial

if TYPE_CHECKING:
    from diagnose.judge.timeline.deeds import Moment, Walk


@measure("ttl", "Does it use a list for its TTL, and list again after it?")
def ttl(trial: Trial) -> Found:
    """Look when it listed: asked within the TTL, and once it is over."""
    if trial.era != "modern":
        return not_shown("a list of the handshake era carries no TTL")
    changed = trial.mark(CHANGED)
    if changed is None:
        return not_shown("it ended before the TTL was over", *trial.frames(trial.left))
    later = [walk for walk in trial.walks if walk.asked.frame > changed.frame]
    if trial.asks:
        return _asked(trial, changed, later)
    if later:
        return yes("lists again by itself once it is over", *trial.frames(changed, later[0].asked))
    return not_shown("it did not list by itself, and nothing can make it use its list")


def _asked(trial: Trial, changed: Moment, later: list[Walk]) -> Found:
    """Judge a client that was made to use its list within the TTL, and once more when it was over."""
    first, second = trial.mark(ASKED), trial.mark(ASKED, 1)
    within = [walk for walk in trial.walks if first is not None and first.frame < walk.asked.frame < changed.frame]
    if within and _is_over(trial.walks[0], within[0].asked):
        return not_shown("it was asked when the TTL was over already", *trial.frames(first, within[0].asked))
    if within:
        return no("asks the server each time, within the TTL too", *trial.frames(first, within[0].asked))
    if not later:
        return no("goes on with the old list after it", *trial.frames(changed, second))
    return yes("keeps the list within it, and lists again after it", *trial.frames(first, changed, later[0].asked))


def _is_over(held: Walk, at: Moment) -> bool:
    ttl = held.ttl_ms
    return held.answered is not None and isinstance(ttl, (int, float)) and at.t - held.answered.t >= ttl / 1000


@measure("lost-session", "Does it get over a session that the server has forgotten?")
def lost_session(trial: Trial) -> Found:
    """Look for a handshake and a list after the server forgot."""
    forgot = trial.mark(FORGOT)
    if forgot is None:
        return not_shown("it ended before its session did", *trial.frames(trial.left))
    if not any(each.issued_id for each in trial.sessions):
        return not_shown("the modern era has no sessions" if trial.era == "modern" else "it took no session id")
    lost = [loss for each in trial.sessions for loss in each.losses if loss.refusal.at.frame > forgot.frame]
    shaken = [
        step
        for each in trial.sessions
        for step in each.steps
        if step.kind == "initialize" and step.worked and step.asked.frame > forgot.frame
    ]
    walks = [walk for walk in trial.walks if walk.asked.frame > forgot.frame and walk.pages]
    frames = trial.frames(
        forgot,
        *(loss.refusal.at for loss in lost[:1]),
        *(step.asked for step in shaken[:1]),
        *(walk.asked for walk in walks[:1]),
    )
    if shaken and walks:
        return yes("shook hands anew and listed", *frames)
    if shaken:
        return yes("shook hands anew, and kept the list that it had", *frames)
    if not lost:
        return not_shown("it sent nothing after its session was gone", *frames)
    return no(
        f"was refused {'once' if len(lost) == 1 else f'{len(lost)} times'}, and did not shake hands anew", *frames
    )
