"""What a client does when it is told that the list has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.judge.bench.measures import Found, measure, no, not_shown, yes
from diagnose.judge.bench.trial import CHANGED, Trial

if TYPE_CHECKING:
    from diagnose.judge.timeline.deeds import Moment, Signal, Walk

#: Fewer signals are no storm.
STORM = 5
#: Seconds that nobody notices.
AT_ONCE = 0.05
_CHANNELS = {"get": "a GET stream", "listen": "subscriptions/listen"}


@measure("listens", "Does it open a channel on which it can be told?", trial="declared")
def listens(trial: Trial) -> Found:
    """Look for a stream."""
    streams = trial.streams
    if not streams:
        refused = [stream for each in trial.sessions for stream in each.streams]
        said = "its request for one was refused" if refused else "neither GET nor subscriptions/listen"
        return (not_shown if refused else no)(said, *trial.frames(*(stream.asked for stream in refused)))
    kinds = dict.fromkeys(_CHANNELS[stream.purpose] for stream in streams)
    return yes(" and ".join(kinds), *trial.frames(*(stream.opened for stream in streams)))


@measure("declared", "Does it list again when a change is told, as declared?")
def declared(trial: Trial) -> Found:
    """Look for a list after the signal."""
    return _reaction(trial)


@measure("undeclared", "Does it list again when a change is told that was never declared?")
def undeclared(trial: Trial) -> Found:
    """Look for a list after the signal."""
    return _reaction(trial)


@measure("early", "Does it get the new list when the signal came before the change was made?")
def early(trial: Trial) -> Found:
    """Look whether the last list is the new one."""
    heard = _heard(trial)
    if isinstance(heard, Found):
        return heard
    signal, walks = heard
    if not walks:
        return not_shown("it asks for no list after a signal", *trial.frames(signal.at))
    last = walks[-1]
    names = last.surface.names if last.surface is not None else ()
    frames = trial.frames(signal.at, *(walk.asked for walk in walks))
    if len(names) > len(trial.names):
        return yes(f"asked {len(walks)} times, and was sent the new list then", *frames)
    return no("asked once, and keeps the list from before the change", *frames)


@measure("storm", "Does it list less often than it is told of changes in a storm of signals?")
def storm(trial: Trial) -> Found:
    """Count lists and signals."""
    signals = trial.signals
    if len(signals) < STORM:
        return not_shown("it opened no channel for the storm" if not signals else "too few signals came")
    # The first list is the one that every session begins with, whatever it was told before.
    walks = [walk for walk in trial.walks[1:] if walk.asked.frame > signals[0].at.frame]
    told = f"for {len(signals)} signals"
    frames = trial.frames(signals[0].at, *(walk.asked for walk in walks[:3]), signals[-1].at)
    if not walks:
        return not_shown(f"it asks for no list as long as the storm lasts ({told})", *frames)
    said = f"{len(walks)} {'list' if len(walks) == 1 else 'lists'} {told}"
    return yes(said, *frames) if 2 * len(walks) <= len(signals) else no(said, *frames)


@measure("failed-refresh", "Does it keep the old list when a refresh fails?")
def failed_refresh(trial: Trial) -> Found:
    """Look what it holds after the list was refused."""
    heard = _heard(trial)
    if isinstance(heard, Found):
        return heard
    signal, walks = heard
    if not walks:
        return not_shown("it asks for no list after a signal", *trial.frames(signal.at))
    frames = trial.frames(signal.at, *(moment for walk in walks[:3] for moment in (walk.asked, walk.answered)))
    tries = f"asked {_times(len(walks))} in vain"
    held = trial.last_held
    if held is None:
        return not_shown(f"{tries}; what it holds cannot be seen from outside", *frames)
    there = sum(name in held.names for name in trial.names)
    said = f"{tries}, and holds {there or 'none'} of {len(trial.names)} tools"
    return yes(said, *frames) if there == len(trial.names) else no(said, *frames)


def _reaction(trial: Trial) -> Found:
    heard = _heard(trial)
    if isinstance(heard, Found):
        deaf = trial.mark(CHANGED) is not None and not trial.streams and not _lists_after(trial)
        return no(heard.says + _still(trial), *heard.evidence) if deaf and trial.left is None else heard
    signal, walks = heard
    if not walks:
        left = trial.left
        if left is not None:
            return not_shown("it ended after it was told", *trial.frames(signal.at, left))
        waited = trial.timeline.last.t - signal.at.t
        return no(f"not in {waited:.0f} s{_still(trial)}", *trial.frames(signal.at))
    first, last = walks[0], walks[-1]
    took = first.asked.t - signal.at.t
    said = f"{took:.1f} s after the signal" if took >= AT_ONCE else "at once"
    frames = trial.frames(signal.at, first.asked, last.answered)
    if any(walk.whole for walk in walks):
        return yes(said + _still(trial), *frames)
    return yes(f"{said}, {_pages(max(walks, key=lambda walk: len(walk.pages)), trial)}", *frames)


def _pages(walk: Walk, trial: Trial) -> str:
    """Say how many of the pages of two tools were read."""
    return f"{len(walk.pages)} of {len(trial.names) // 2 + 1} pages" if walk.pages else "and was refused"


def _still(trial: Trial) -> str:
    """Say what the client holds after the change, where that is known and not what one expects."""
    held, at = trial.last_held, trial.mark(CHANGED)
    if held is None or at is None or held.after < at.frame:
        return ""
    new = [name for name in held.names if name not in trial.names]
    return ", and holds the new list" if new else ", and holds the old list"


def _heard(trial: Trial) -> tuple[Signal, list[Walk]] | Found:
    """Return the first signal of the change and the lists after it; or what is found where none came."""
    at = trial.mark(CHANGED)
    if at is None:
        return not_shown("it ended before the list was changed", *trial.frames(trial.left))
    signal = next((each for each in trial.signals if each.at.frame > at.frame), None)
    if signal is None:
        return _unheard(trial, at)
    return signal, [walk for walk in trial.walks if walk.asked.frame > signal.at.frame]


def _unheard(trial: Trial, at: Moment) -> Found:
    after = _lists_after(trial)
    frames = trial.frames(at, *(walk.asked for walk in after[:1]))
    if after:
        return not_shown("it listed again before it was told", *frames)
    return not_shown("the signal did not reach it" if trial.streams else "it opened no channel to be told on", *frames)


def _lists_after(trial: Trial) -> list[Walk]:
    at = trial.mark(CHANGED)
    return [walk for walk in trial.walks if at is not None and walk.asked.frame > at.frame]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
