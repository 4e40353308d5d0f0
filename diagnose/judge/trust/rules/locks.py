"""Rules of a Fusion lock file: against itself, and against what is listed (G1, G2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.trust import nature
from diagnose.judge.trust.needs import lock, lock_and_list, states
from diagnose.judge.trust.rules.manifests import shown_names
from diagnose.judge.trust.state import State
from diagnose.statesync import FusionLock

FAMILY = "state-lock"
_SOURCE = "MCP Fusion, governance: the lock file"


@check(
    "fusion-lock-inconsistent",
    family=FAMILY,
    layer="baseline",
    severity="error",
    summary="A Fusion lock file agrees with its own digests (G2).",
    why="Its own checker looks at the digest on top alone, so that altered tools pass as agreed on.",
    remedy="Write the file anew from a server that was reviewed, and keep who may change it.",
    source=_SOURCE,
    message="The lock file does not agree with itself: {flaw}.",
    needs=(lock,),
)
def fusion_lock_inconsistent(case: Case) -> Iterable[Seen]:
    """Tell what was found wrong when it was read."""
    for _, state in states(case):
        for flaw in state.lock.flaws if state.lock is not None else ():
            yield Seen(args={"flaw": flaw}, evidence=("lock file",))


@check(
    "fusion-lock-differs",
    family=FAMILY,
    layer="baseline",
    severity="error",
    summary="A server lists the tools and actions of its lock file, and no others, as it describes them (G1).",
    why="What was agreed on is not what is served: a tool was added, removed, or does what it did not.",
    remedy="Review the difference, and write the lock file anew, or take the change back.",
    source=_SOURCE,
    message="{name} {what}.",
    needs=(lock_and_list,),
)
def fusion_lock_differs(case: Case) -> Iterable[Seen]:
    """Compare the lock file with the newest list."""
    for line, state in states(case):
        if state.lock is not None:
            for name, what in _differences(state, state.lock):
                yield Seen(args={"name": name, "what": what}, evidence=line.frames(state.surfaces[-1][1]))


def _differences(state: State, locked: FusionLock) -> Iterator[tuple[str, str]]:
    surface = state.surfaces[-1][2]
    shown = shown_names(state, surface)
    known: set[str] = set()
    for group in locked.tools:
        known |= {group.name, *(f"{group.name}.{action}" for action in group.actions)}
        for action in group.actions:
            name = f"{group.name}.{action}"
            if not shown & ({name, group.name} if action == "default" else {name}):
                yield name, "is in the lock file, and is not listed"
    for tool in surface.tools:
        _, actions = nature.chooser(tool.raw)
        names = {f"{tool.name}.{action}" for action in actions} or set(state.names(tool.name))
        if not names & known:
            yield tool.name, "is listed, and is not in the lock file"
        elif not actions:
            yield from _behaviour(state, locked, tool.name, nature.annotated(tool.raw))


def _behaviour(state: State, locked: FusionLock, tool: str, told: nature.Nature) -> Iterator[tuple[str, str]]:
    names = state.names(tool)
    for group in locked.tools:
        if told == "read" and any(f"{group.name}.{action}" in names for action in group.destructive):
            yield tool, "says that it only reads, and destroys by the lock file"
        if told == "mutation" and any(f"{group.name}.{action}" in names for action in group.read_only):
            yield tool, "says that it changes state, and only reads by the lock file"
