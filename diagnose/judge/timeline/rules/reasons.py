"""Why a client ought to have listed again, apart from a signal: what happened after it last read a whole list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from diagnose.judge.diagnosis import Confidence
from diagnose.judge.timeline.asking import is_lost
from diagnose.judge.timeline.deeds import Moment, Refusal
from diagnose.judge.timeline.rules.lists import has_no_row
from diagnose.judge.timeline.standing import Standing

#: What people and client logs call it when a person wants the list again.
_ASKED = re.compile(
    r"\b(refresh|reload|re-?list|reconnect|re-?connect|re-?initiali[sz]e|restart|toggle|re-?add|re-?scan|sync|update tools"
    r"|key set|signed? in|log(?:ged)? ?in|consent|grant|enabl)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Something for which a client ought to have listed again, and did not."""

    at: Moment
    words: str
    alone: bool = False
    """Whether it is reason enough where no change of the list is shown."""
    confidence: Confidence = "proven"


def reasons(standing: Standing) -> Iterator[Reason]:
    """Yield the reasons that a client had after the list that it holds, the strongest first."""
    held = standing.held
    if held is None or held.answered is None:
        return
    yield from failed_refresh(standing)
    if any(walk.asked.frame > held.asked.frame for walk in standing.client.walks):
        return
    yield from _person(standing, held.answered)
    yield from _anew(standing, held.answered)
    yield from _expired(standing)
    yield from _used_on(standing, held.answered)


def failed_refresh(standing: Standing) -> Iterator[Reason]:
    """Yield a list that was asked for later and failed, for no reason that has a row of its own."""
    held = standing.held
    if held is None:
        return
    later = [walk for walk in standing.client.walks if walk.asked.frame > held.asked.frame]
    last = later[-1] if later else None
    if last is None or last.whole:
        return
    at = last.answered or last.asked
    if last.refusal is not None:
        if not (has_no_row(last.refusal) or last.refusal.status in {400, 404, 409}) or _session_gone(
            standing, last.refusal
        ):
            return
        yield Reason(at=at, words=f"its refresh failed ({last.refusal.briefly})", alone=_was_told(standing, last.asked))
    elif last.given_up is not None:
        seconds = round(last.given_up.t - last.asked.t, 1)
        words = f"it cancelled its refresh, which had no answer in {seconds} s"
        yield Reason(at=last.given_up, words=words, alone=_was_told(standing, last.asked))
    elif last.state == "asking" and standing.until - last.asked.t >= standing.wait:
        yield Reason(at=at, words="its refresh was never answered", alone=_was_told(standing, last.asked))


def _session_gone(standing: Standing, refusal: Refusal) -> bool:
    return any(
        is_lost(loss) and loss.refusal.at == refusal.at for each in standing.client.sessions for loss in each.losses
    )


def _was_told(standing: Standing, before: Moment) -> bool:
    """Tell whether a declared signal had announced a change: it is what the refresh was for."""
    held = standing.held
    return held is not None and any(
        each.declared is not False and held.asked.frame < each.at.frame < before.frame
        for session in standing.client.sessions
        for each in session.signals
    )


def _person(standing: Standing, held: Moment) -> Iterator[Reason]:
    for action in standing.timeline.actions:
        if action.at.frame > held.frame and _ASKED.search(action.text):
            yield Reason(at=action.at, words=f"a person asked for it ({action.text[:80]})")
            return


def _anew(standing: Standing, held: Moment) -> Iterator[Reason]:
    """Yield a new session, or a new credential, since the list was read."""
    for session in standing.client.sessions:
        for step in session.steps:
            if step.worked and step.asked.frame > held.frame and step.kind == "initialize":
                yield Reason(at=step.asked, words="it began a new session")
                return
        for at, _ in session.principals[1:]:
            if at.frame > held.frame:
                yield Reason(at=at, words="it got a new credential")
                return


def _expired(standing: Standing) -> Iterator[Reason]:
    """Yield a TTL that is over, once the client sent anything after that: it was there, and went on with the list."""
    until, session = standing.fresh_until, standing.session
    held = standing.held
    modern_zero = held is not None and held.era == "modern" and held.ttl_ms == 0 and held.answered is not None
    if until is not None and session.last.t > until:
        yield Reason(at=session.last, words="its list had expired")
    elif modern_zero and held is not None and held.answered is not None and session.last.frame > held.answered.frame:
        yield Reason(at=session.last, words="its list was to be read anew each time (ttlMs 0)")


def undeclared_signal(standing: Standing) -> bool:
    """Tell whether a signal that was not declared came since: a client may pass it over, and then holds its list by right."""
    held = standing.held
    return held is not None and any(
        each.declared is False and each.at.frame > held.asked.frame
        for session in standing.client.sessions
        for each in session.signals
    )


def _used_on(standing: Standing, held: Moment) -> Iterator[Reason]:
    if undeclared_signal(standing):
        return
    calls = [call.asked for session in standing.client.sessions for call in session.calls]
    counted = [tally.last for session in standing.client.sessions for tally in session.tallies.values()]
    uses = [use for use in (*calls, *counted) if use.frame > held.frame]
    if uses:
        last = max(uses, key=lambda use: use.frame)
        yield Reason(at=last, words="it used its list on", confidence="likely")
