"""Rules of which tool is called: the one that was asked for, or another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.rules.needs import call
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.views.lenses import lens_of
from diagnose.judge.views.sides import client_side

#: How a client's log says which tool the model or a person asked for.
_ASKED = re.compile(
    r"\b(ask(ed|s)? for|chose|chooses|selected|selects|requested|requests|tool_use|invok(es|ed|ing)|wants)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:\-]*")
#: A call so long after the words is not the one that they speak of, in seconds.
_SOON = 10.0


@check(
    "wrong-tool-called",
    family="views",
    layer="wire",
    severity="error",
    summary="A client calls the tool that it was asked for.",
    why="Another tool acts in the place of the one that the model or its user chose.",
    remedy="Give tools names that a client's mapping keeps apart.",
    source="catalogue of causes, wrong-tool-called",
    message="{client} was asked for {asked} and called {called}.",
    needs=(call,),
)
def wrong_tool_called(case: Case) -> Iterable[Seen]:
    """Look for a call of another tool right after the client's log names one."""
    for standing in client_side(case.bundle, case.standings):
        for action in standing.timeline.actions:
            asked = _tool_in(case, standing, action.text) if _ASKED.search(action.text) else None
            following = next((each for each in _calls(standing) if each[0].frame > action.at.frame), None)
            if asked is None or following is None or following[0].t - action.at.t > _SOON or following[1] == asked:
                continue
            yield Seen(
                args={"client": standing.client.name, "asked": asked, "called": following[1]},
                evidence=standing.frames(action.at, following[0]),
                layer=standing.timeline.layer("client"),
                session=standing.label,
            )
            return


def _tool_in(case: Case, standing: Standing, text: str) -> str | None:
    """Return the one tool of the list that a text names, by its own name or as the client spells it."""
    surface = standing.held.surface if standing.held is not None else case.listed
    if surface is None:
        return None
    lens = lens_of(case.bundle.client)
    spelled = {form: name for name in surface.by_name for form in lens.spellings(name)}
    found = {spelled[word] for word in _WORD.findall(text) if word in spelled}
    return found.pop() if len(found) == 1 else None


def _calls(standing: Standing) -> Iterator[tuple[Moment, str]]:
    """Yield the calls of a client in their order, as far as they are kept one by one."""
    made: list[tuple[Moment, str]] = []
    for session in standing.client.sessions:
        made += [(each.asked, each.tool) for each in session.calls]
        made += [(at, tool) for tool, tally in session.tallies.items() for at in (tally.first, tally.last)]
    yield from sorted(made, key=lambda each: each[0].frame)
