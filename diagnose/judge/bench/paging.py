"""How a client reads a list that comes in pages."""

from __future__ import annotations

from diagnose.judge.bench.measures import Found, measure, no, not_shown, yes
from diagnose.judge.bench.trial import Trial

#: So many requests for one list of two pages are no reading any more.
ENDLESS = 20


@measure("era", "Does it speak 2026-07-28 where the server does?", trial="pages")
def era(trial: Trial) -> Found:
    """Name the version, and how it was agreed on."""
    session = next((each for each in trial.sessions if each.era is not None), None)
    if session is None:
        return not_shown("it did not connect")
    first = session.steps[0].asked if session.steps else session.first
    tried = " after a probe" if len(session.steps) > 1 and session.steps[0].kind == "discover" else ""
    said = f"{session.version or 'no version'}{tried}"
    frames = trial.frames(first)
    return yes(said, *frames) if session.era == "modern" else no(said, *frames)


@measure("pages", "Does it follow nextCursor to the end of the list?")
def pages(trial: Trial) -> Found:
    """Look how far its walks went."""
    best = max(trial.walks, key=lambda walk: (walk.whole, len(walk.pages)))
    frames = trial.frames(*best.frames)
    count = len(best.pages)
    if best.whole:
        return yes(f"{count} of {len(trial.names)} pages", *frames)
    if best.state == "refused":
        return not_shown("its request was refused", *frames)
    return no(f"{count} of {len(trial.names)} pages", *frames)


@measure("aggregates", "Does it hold the tools of all pages as one list?", trial="pages")
def aggregates(trial: Trial) -> Found:
    """Compare what it holds with what the server has."""
    held = trial.last_held
    if held is None:
        return not_shown("what it holds cannot be seen from outside")
    there = [name for name in trial.names if name in held.names]
    said = f"it holds {len(there)} of {len(trial.names)} tools"
    frames = trial.frames(held.after)
    return yes(said, *frames) if len(there) == len(trial.names) else no(said, *frames)


@measure("empty-cursor", 'Does it come to an end where nextCursor is ""?')
def empty_cursor(trial: Trial) -> Found:
    """Look whether it goes round."""
    return _ends(trial, "asks for nothing behind it", 'asks with ""')


@measure("repeated-cursor", "Does it come to an end where a cursor repeats?")
def repeated_cursor(trial: Trial) -> Found:
    """Look whether it goes round."""
    if max(walk.asks for walk in trial.walks) == 1:
        return not_shown("it follows no cursor", *trial.frames(trial.walks[0].asked))
    return _ends(trial, "", "stops at the repeat")


def _ends(trial: Trial, at_once: str, later: str) -> Found:
    walk = max(trial.walks, key=lambda each: each.asks)
    frames = trial.frames(*walk.frames[:4])
    if walk.asks >= ENDLESS:
        return no(f"asks on and on: {walk.asks} requests", *frames)
    said = at_once if walk.asks == 1 else f"{later}, after {walk.asks} requests"
    held = trial.last_held
    if held is None:
        return yes(said, *frames)
    there = sum(name in held.names for name in trial.names)
    if there == len(trial.names):
        return yes(f"{said}, and holds every tool", *frames)
    return (no if there == 0 and walk.asks > 1 else yes)(
        f"{said}, and holds {there or 'none'} of {len(trial.names)} tools", *frames
    )
