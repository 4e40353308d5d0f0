"""A session that is sent its old list again, after a later one was sent another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diagnose.evidence.observation import LayerName
from diagnose.judge.case import Case
from diagnose.judge.timeline.deeds import Walk
from diagnose.judge.timeline.elsewhere import sights
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.walks import same_list
from diagnose.surface import Surface, difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Newer:
    """A list that a later session was sent: when, on the recording's clock, and what shows it."""

    t: float
    surface: Surface
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The tools in which the two lists differ, and the evidence in the order of time."""

    tools: tuple[str, ...]
    evidence: tuple[str, ...]


def kept_old(case: Case, standing: Standing, layer: LayerName) -> Kept | None:
    """Return how a client's session was sent its old list again, where that is so; ``layer`` is what we asked ourselves.

    The modern era has no sessions over HTTP.
    """
    session, line = standing.session, standing.timeline
    if session.era == "modern" and session.transport == "http":
        return None
    read = [walk for walk in session.walks if walk.whole and walk.answered is not None]
    newer = list(_newer(case, standing, layer))
    for each in newer:
        around = _around(each, read, newer)
        if around is not None and around[1].surface is not None:
            first, last = around
            return Kept(
                tools=tuple(change.subject for change in difference(around[1].surface, each.surface))[:50],
                evidence=(*line.frames(first.answered), *each.evidence, *line.frames(last.answered)),
            )
    return None


def _newer(case: Case, standing: Standing, layer: LayerName) -> Iterator[Newer]:
    """Yield the lists that later sessions of the same server were sent, ours among them."""
    session, line = standing.session, standing.timeline
    for pair in standing.pairs:
        if pair.layer == layer and pair.t is not None and standing.outside is not None:
            yield Newer(t=pair.t, surface=standing.outside, evidence=(pair.side,))
    for seen in sights(line, session, case.timelines):
        if seen.t is None or seen.walk.answered is None:
            continue
        if seen.session.first.t + seen.t - seen.walk.answered.t > session.first.t:
            yield Newer(t=seen.t, surface=seen.surface, evidence=seen.frames)


def _around(newer: Newer, read: Sequence[Walk], others: Sequence[Newer]) -> tuple[Walk, Walk] | None:
    """Return the two lists of a session around a newer one, where both are the same and the newer one is another.

    Where a later session was sent the old list as well, the change was taken back.
    """
    before = [walk for walk in read if walk.answered is not None and walk.answered.t < newer.t]
    after = [walk for walk in read if walk.asked.t > newer.t]
    old, kept = before[-1].surface if before else None, after[-1].surface if after else None
    if old is None or kept is None or not same_list(old, kept) or same_list(kept, newer.surface):
        return None
    taken_back = any(other.t > newer.t and same_list(kept, other.surface) for other in others)
    return None if taken_back else (before[-1], after[-1])
