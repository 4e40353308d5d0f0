"""The rule of the bytes themselves, for both sides of a recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.evidence.observation import Anomaly
from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, also
from diagnose.judge.checks.wire import told
from diagnose.judge.timeline.deeds import Corruption, Side
from diagnose.judge.timeline.model import Timeline
from diagnose.judge.timeline.rules.lists import different_lists
from diagnose.judge.timeline.rules.needs import recording

_SIDES: tuple[Side, Side] = ("server", "client")


@also("wire-corrupt", needs=(recording,))
def wire_corrupt(case: Case) -> Iterable[Seen]:
    """Take up what was no message, against the side that sent it; CR LF only where the other side ended for it."""
    for line in case.timelines:
        for side in _SIDES:
            found = [each for each in line.corruptions if each.sender == side]
            yield from _of_side(line, side, found)
    yield from _in_definitions(case)


def _of_side(line: Timeline, side: Side, found: list[Corruption]) -> Iterator[Seen]:
    fatal = {each.kind for each in found if each.fatal}
    for seen in told([_anomaly(line, each) for each in found], line.layer(side)):
        kind = seen.args["kind"]
        who = {"server": "The server", "client": "The client"}[side]
        ended = "; the other side ended for it" if kind in fatal else ""
        yield Seen(
            args={**seen.args, "side": side},
            words={**seen.words, "who": who, "ended": ended},
            evidence=line.frames(*(each.at for each in found if each.kind == kind))[:5],
            layer=seen.layer,
            severity=None if kind == "crlf" and kind in fatal else seen.severity,
            says="{who} sends {what}{times}: {first}{ended}.",
        )


def _anomaly(line: Timeline, corruption: Corruption) -> Anomaly:
    return Anomaly(kind=corruption.kind, where=line.frames(corruption.at)[0], detail=corruption.detail)


def _in_definitions(case: Case) -> Iterator[Seen]:
    """Yield definitions that no strict JSON can hold: half a character, a number that there is not."""
    for line, session, walk, surface in different_lists(case):
        for tool in surface.tools:
            if tool.defect is not None:
                yield Seen(
                    args={"tool": tool.name, "what": tool.defect.what},
                    evidence=(*line.frames(walk.answered), f"{tool.name} {tool.defect.pointer}"),
                    layer=line.layer("server"),
                    session=line.label(session),
                    says="The definition of {tool} cannot be sent as strict JSON: {what}.",
                )
                return
