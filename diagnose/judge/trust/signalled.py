"""The lists on both sides of a signal that the tools had changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Session
from diagnose.surface import Surface


class Around(NamedTuple):
    """The last list before a signal and the first that was asked for behind it, of one session."""

    before: Surface
    after: Surface
    moments: tuple[Moment, Moment, Moment]
    """When the first was had, when the signal came, and when the second was had."""


def around_signals(sessions: Iterable[Session]) -> Iterator[Around]:
    """Yield the lists around each signal that has one on both sides."""
    for session in sessions:
        whole = [(walk.asked, walk.answered, walk.surface) for walk in session.walks]
        lists = [(asked, had, surface) for asked, had, surface in whole if had is not None and surface is not None]
        for signal in session.signals:
            old = [(had, surface) for _, had, surface in lists if had.frame < signal.at.frame]
            new = [(had, surface) for asked, had, surface in lists if asked.frame > signal.at.frame]
            if old and new:
                (had, before), (again, after) = old[-1], new[0]
                yield Around(before, after, (had, signal.at, again))
