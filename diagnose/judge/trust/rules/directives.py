"""Rules of `[Cache-Control: …]` in descriptions (D1 to D4, G3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Timeline
from diagnose.judge.trust import nature
from diagnose.judge.trust.needs import declared_tools, listed, listed_around_a_signal, listed_twice, states
from diagnose.judge.trust.signalled import around_signals
from diagnose.judge.trust.state import State
from diagnose.statesync import Reading, directive_flaws, read_directive, strip_directives
from diagnose.surface import relation

FAMILY = "state-directives"
SCHEME = "MCP Fusion, state sync"
_FLAWS = {
    "several": "more than one directive",
    "not-at-end": "a directive that is not at the end",
    "unknown-value": "an unknown value",
    "spelling": "another spelling than [Cache-Control: …]",
    "spacing": "no single space before the directive",
}


@check(
    "directive-differs",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="Every tool shows the directive that its author declared, and no other (D1).",
    why="A model keeps what it must not keep, or reads again what would hold: it knows nothing but the description.",
    remedy="Have the server apply the policy under the names that it lists, and give each tool its own.",
    source=f"{SCHEME}: the directive in a tool's description",
    message="{tool} {shows} where {declared} is declared.",
    needs=(declared_tools,),
)
def directive_differs(case: Case) -> Iterable[Seen]:
    """Compare the newest definitions with the policy."""
    for line, state in states(case):
        for tool, at in state.definitions if state.policy is not None else ():
            name = tool["name"]
            shown = read_directive(_description(tool))
            for reading in _readings(state, name, tool):
                meant = reading.resolution.cache_control if reading.resolution is not None else None
                if meant != shown:
                    facts = {"tool": name, "as": reading.name, "shown": shown, "meant": meant}
                    yield Seen(args=facts, words=_told(facts), evidence=line.frames(at))


def _told(facts: Mapping[str, Any]) -> dict[str, str]:
    shown, meant, alias = facts["shown"], facts["meant"], facts["as"]
    of = f" of {alias}" if alias != facts["tool"] else ""
    return {
        "shows": f"shows {shown}" if shown else "shows no directive",
        "declared": f"{meant}{of}" if meant else "no directive",
    }


def _readings(state: State, name: str, tool: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the policy says of a tool; of a grouped one that it does not name, what it says of its actions."""
    own = state.resolve(name)
    _, actions = nature.chooser(tool)
    decided = own is not None and own.resolution is not None and own.resolution.position is not None
    told = [state.resolve(name, action) for action in actions]
    named = [each for each in told if each is not None and each.name != name and _directs(each)]
    if own is not None and (decided or not named):
        yield own
    elif named:
        yield from named


def _directs(reading: Reading) -> bool:
    found = reading.resolution
    return found is not None and found.position is not None and found.cache_control is not None


@check(
    "directive-malformed",
    family=FAMILY,
    layer="origin",
    severity="warning",
    summary="A directive is one, at the end, with a value of the two, behind one space (D2).",
    why="Who reads it strictly sees none, and a model may believe either of two.",
    remedy="Write one directive, `[Cache-Control: no-store]` or `[Cache-Control: immutable]`, at the very end.",
    source=f"{SCHEME}: the form of a directive",
    message="The description of {tool} has {what}: {written}.",
    needs=(listed,),
)
def directive_malformed(case: Case) -> Iterable[Seen]:
    """Look at the form of each directive."""
    for line, state in states(case):
        for tool, at in state.definitions:
            name = tool["name"]
            flaws = directive_flaws(_description(tool))
            if flaws:
                kinds = list(dict.fromkeys(flaw.kind for flaw in flaws))
                written = list(dict.fromkeys(flaw.directive.written[:60] for flaw in flaws))
                yield Seen(
                    args={"tool": name, "flaws": kinds, "written": written},
                    words={"what": " and ".join(_FLAWS[kind] for kind in kinds)},
                    evidence=line.frames(at),
                )


@check(
    "immutable-mutation",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="No tool that changes state says that its answer holds for ever (D3).",
    why="A model that goes by it makes the change once, and takes the old answer for the second one.",
    remedy="Give the mutation a policy of its own, before that of the reads of its namespace.",
    source=f"{SCHEME}; MCP, ToolAnnotations",
    message="{tool} says that its answer is immutable, and {because}.",
    needs=(listed,),
)
def immutable_mutation(case: Case) -> Iterable[Seen]:
    """Hold the directive against the annotations, and against what the tool was seen to do."""
    for line, state in states(case):
        for tool, at in state.definitions:
            name = tool["name"]
            if read_directive(_description(tool)) != "immutable":
                continue
            because, moments = _changes(state, name, tool)
            if because:
                yield Seen(args={"tool": name, "because": because}, evidence=line.frames(at, *moments))


def _changes(state: State, name: str, tool: Mapping[str, Any]) -> tuple[str | None, tuple[Moment | None, ...]]:
    notes = tool.get("annotations")
    notes = notes if isinstance(notes, Mapping) else {}
    for hint, value in (("destructiveHint", True), ("readOnlyHint", False)):
        if notes.get(hint) is value and notes.get("readOnlyHint") is not True:
            return f"its annotations say {hint}: {str(value).lower()}", ()
    for deed in state.calls:
        first = deed.tags[0] if deed.name == name and deed.tags else None
        if first is not None and first.index == 0 and first.invalidation.cause in state.names(name):
            return "a call of it made something stale", (deed.answered,)
    return None, ()


@check(
    "directive-unstable",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A tool whose words did not change keeps its directive from list to list (D4, G3).",
    why="What a model may keep then depends on when it listed; from no-store to immutable, it keeps what it must not.",
    remedy="Derive the directive from the policy alone, not from the order in which tools were registered or listed.",
    source=f"{SCHEME}: the directive is part of the definition",
    message="{tool} showed {was} and then {now}, with nothing else changed.",
    needs=(listed_twice,),
)
def directive_unstable(case: Case) -> Iterable[Seen]:
    """Compare each list with the one before it of the same caller."""
    for line, state in states(case):
        for session in dict.fromkeys(each[0].principal for each in state.surfaces):
            own = [each for each in state.surfaces if each[0].principal == session]
            for (_, earlier, old), (_, later, new) in pairwise(own):
                if old is not new:
                    yield from _moved(line, earlier, later, old.by_name, new.by_name)


def _moved(
    line: Timeline, earlier: Moment, later: Moment, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Seen]:
    for name in old.keys() & new.keys():
        before, after = _description(old[name][0].raw), _description(new[name][0].raw)
        if before != after and strip_directives(before) == strip_directives(after):
            told = {"old": read_directive(before), "new": read_directive(after)}
            safer = told == {"old": "immutable", "new": "no-store"}
            same = told["old"] == told["new"]
            yield Seen(
                args={"tool": name, **told},
                words={"was": told["old"] or "no directive", "now": told["new"] or "no directive"},
                evidence=line.frames(earlier, later),
                severity="warning" if safer or same else None,
                says="{tool} has the end of its description written otherwise in the next list." if same else None,
            )


@check(
    "definition-lags",
    family=FAMILY,
    layer="origin",
    severity="note",
    summary="Behind a signal the definitions are new ones, and not those of a cache (D4).",
    why="A server that keeps decorated definitions by name goes on to show an old schema under the same words.",
    remedy="Decorate each definition when it is listed, or drop what was kept whenever it changes.",
    source=f"{SCHEME}: the directive is part of the definition",
    message="The server said that its tools had changed, and the next list is the one before: nothing had, or a cache lags behind.",
    needs=(listed_around_a_signal,),
)
def definition_lags(case: Case) -> Iterable[Seen]:
    """Compare the lists around each signal: from outside, a needless signal and an old definition look alike."""
    for line, state in states(case):
        for around in around_signals(state.sessions):
            if relation(around.before, around.after) == "equal":
                yield Seen(evidence=line.frames(*around.moments))


def _description(tool: Mapping[str, Any]) -> str:
    value = tool.get("description")
    return value if isinstance(value, str) else ""
