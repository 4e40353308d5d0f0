"""The catalogues of recordings under short names, so that a report can tell where the same one was seen: A, B, C, ..."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from diagnose.judge.timeline.deeds import Exposure, Moment
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.surface import Surface, difference

#: So many names of tools, and so many changes, are told of one catalogue.
_MOST = 50


class Catalogues:
    """Gives every catalogue of some recordings a name, in the order in which they were first sent."""

    def __init__(self, timelines: Iterable[Timeline]) -> None:
        self._names: dict[Hashable, str] = {}
        for line in timelines:
            exposures = [each for session in line.sessions for each in session.exposures]
            for each in sorted(exposures, key=lambda exposure: exposure.walk.asked.frame):
                self._names.setdefault(_key(each.surface), _letters(len(self._names)))

    def name(self, surface: Surface) -> str:
        """Return the name of a catalogue."""
        return self._names.get(_key(surface), "?")

    def at(self, session: Session, held: Moment | None) -> str | None:
        """Return the name of the catalogue that an answer brought; None where that is not kept."""
        if held is None:
            return None
        for each in reversed(list(session.exposures)):
            if each.walk.answered is not None and each.walk.answered.frame <= held.frame:
                return self.name(each.surface)
        return None


def changes_of(older: Surface, newer: Surface) -> list[Mapping[str, Any]]:
    """Return what a catalogue changed against the one before it, in short: tool, kind, impact."""
    return [
        {"tool": change.tool, "kind": change.kind, "impact": change.impact}
        for change in difference(older, newer)[:_MOST]
    ]


def pairs_of(exposures: Sequence[Exposure], *, dropped: int) -> Iterable[tuple[Exposure | None, Exposure]]:
    """Yield each exposure with the one before it; None for the first, and where those in between are not kept."""
    for place, each in enumerate(exposures):
        gap = dropped and place == len(exposures) - 1
        yield (exposures[place - 1] if place and not gap else None), each


def _key(surface: Surface) -> Hashable:
    return surface.digest or tuple(sorted(tool.identity for tool in surface.tools))


def _letters(number: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    name = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        name = chr(ord("A") + place) + name
    return name
