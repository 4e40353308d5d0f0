"""Rules of a lock file, MCP Fusion's or our own: against itself, against the manifest, and against what is listed (G1 to G3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.diagnosis import Severity
from diagnose.judge.timeline.model import Timeline
from diagnose.judge.trust import nature
from diagnose.judge.trust.needs import lock, lock_and_list, states
from diagnose.judge.trust.rules.manifests import shown_names, tools_of
from diagnose.judge.trust.state import State
from diagnose.statesync import FusionLock, read_directive
from diagnose.statesync.contract import ContractChange, ContractLook, look_at_contract
from diagnose.surface import Impact, Surface, Tool

FAMILY = "state-lock"
_SOURCE = "MCP Fusion, governance: the lock file"
_SEVERITIES: Final[Mapping[Impact, Severity]] = {
    "breaking": "error",
    "unclear": "error",
    "behaviour": "error",
    "routing": "warning",
    "compatible": "warning",
    "cosmetic": "note",
}


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
    """Tell what was found wrong when it was read, and which of its digests are of something else than it says."""
    for line, state in states(case):
        for flaw in state.lock.flaws if state.lock is not None else ():
            yield Seen(args={"flaw": flaw}, evidence=("lock file",))
        for look in _looks(state):
            if look.altered:
                said = ", ".join(f"{change.name} {change.what}" for change in look.changes[:5])
                flaw = f"its digest is of what the server shows, and not of what the file says ({said})"
                yield Seen(args={"flaw": flaw}, evidence=("lock file", *_manifest_frames(line, state)))


@check(
    "fusion-lock-differs",
    family=FAMILY,
    layer="baseline",
    severity="error",
    summary="A server shows the tools and actions of its lock file, and no others, as it describes them (G1, G3).",
    why="What was agreed on is not what is served: a tool was added, removed, or does what it did not.",
    remedy="Review the difference, and write the lock file anew, or take the change back.",
    source=_SOURCE,
    message="{name} {what}: {classes}.",
    needs=(lock_and_list,),
)
def fusion_lock_differs(case: Case) -> Iterable[Seen]:
    """Compare the lock file with what is shown: the manifest where there is one, else the newest list."""
    for line, state in states(case):
        for change in dict.fromkeys(_differences(state)):
            yield _seen(line, state, change)


def _seen(line: Timeline, state: State, change: ContractChange) -> Seen:
    theirs = change.theirs or "not looked at"
    why = f", for {change.because}" if change.because else ""
    return Seen(
        args={"name": change.name, "what": change.what, "impact": change.impact, "theirs": change.theirs},
        words={"classes": f"{change.impact} (by MCP Fusion {theirs}{why})"},
        evidence=(*_manifest_frames(line, state), *line.frames(state.surfaces[-1][1])),
        severity=_SEVERITIES[change.impact],
    )


def _manifest_frames(line: Timeline, state: State) -> tuple[str, ...]:
    newest = state.ledger.manifests.newest
    return line.frames(newest.answered) if newest is not None else ()


def _differences(state: State) -> Iterator[ContractChange]:
    if state.lock is not None:
        looks = list(_looks(state))
        changes = [change for look in looks if not look.altered for change in look.changes]
        yield from changes
        told = {change.name for change in changes}
        beside = _whole_groups(state, state.lock) if looks else _listed(state, state.lock)
        yield from (change for change in beside if change.name not in told)
    if state.agreed is not None:
        yield from _agreed(state, state.agreed)


def _looks(state: State) -> Iterator[ContractLook]:
    """Yield each group of tools that both the file and a manifest have, laid side by side."""
    shown = _widest(state)
    for group in state.lock.tools if state.lock is not None else ():
        if group.name in shown and group.entry:
            yield look_at_contract(group, shown[group.name])


def _widest(state: State) -> Mapping[str, Mapping[str, Any]]:
    """Return each group of the manifests as the caller reads it who is shown most of it."""
    found: dict[str, Mapping[str, Any]] = {}
    for manifest in state.ledger.manifests:
        for name, body in tools_of(manifest).items():
            if len(body.get("actions") or ()) >= len(found.get(name, {}).get("actions") or ()):
                found[name] = body
    return found


def _whole_groups(state: State, locked: FusionLock) -> Iterator[ContractChange]:
    shown, known = _widest(state), {group.name for group in locked.tools}
    for name in known - shown.keys():
        yield ContractChange(name=name, kind="tool-removed", what="is in the lock file, and is not shown")
    for name in shown.keys() - known:
        yield ContractChange(name=name, kind="tool-added", what="is shown, and is not in the lock file")
    # The manifest may show less than the list does, or say otherwise of it.
    for change in _listed(state, locked):
        added = change.kind == "tool-added" and not any(name in shown for name in _groups(state, change.name))
        if added or change.kind in {"destructive", "read-only"}:
            yield change


def _groups(state: State, tool: str) -> set[str]:
    return {name.rpartition(".")[0] or name for name in state.names(tool)}


def _tools(state: State) -> dict[str, Tool]:
    """Return the tools of the newest list of every caller."""
    newest: dict[str | None, Surface] = {session.principal: surface for session, _, surface in state.surfaces}
    return {tool.name: tool for surface in newest.values() for tool in surface.tools}


def _listed(state: State, locked: FusionLock) -> Iterator[ContractChange]:
    """Compare the file with the lists of tools alone."""
    tools = _tools(state)
    shown = {name for tool in tools.values() for name in shown_names(state, [tool])}
    known: set[str] = set()
    for group in locked.tools:
        known |= {group.name, *(f"{group.name}.{action}" for action in group.actions)}
        for action in group.actions:
            name = f"{group.name}.{action}"
            if not shown & ({name, group.name} if action == "default" else {name}):
                yield ContractChange(name=name, kind="action-removed", what="is in the lock file, and is not listed")
    for tool in tools.values():
        _, actions = nature.chooser(tool.raw)
        names = {f"{tool.name}.{action}" for action in actions} or set(state.names(tool.name))
        if not names & known:
            yield ContractChange(name=tool.name, kind="tool-added", what="is listed, and is not in the lock file")
        elif not actions:
            yield from _behaviour(state, locked, tool.name, nature.annotated(tool.raw))


def _behaviour(state: State, locked: FusionLock, tool: str, told: nature.Nature) -> Iterator[ContractChange]:
    names = state.names(tool)
    for group in locked.tools:
        if told == "read" and any(f"{group.name}.{action}" in names for action in group.destructive):
            what = "says that it only reads, and destroys by the lock file"
            yield ContractChange(name=tool, kind="destructive", what=what)
        if told == "mutation" and any(f"{group.name}.{action}" in names for action in group.read_only):
            what = "says that it changes state, and only reads by the lock file"
            yield ContractChange(name=tool, kind="read-only", what=what)


def _agreed(state: State, agreed: Surface) -> Iterator[ContractChange]:
    """Compare a lock file of our own with the lists, their directives, and the manifest."""
    tools = _tools(state)
    for name in agreed.by_name.keys() - tools.keys():
        yield ContractChange(name=name, kind="tool-removed", what="is in the lock file, and is not listed")
    for name in tools.keys() - agreed.by_name.keys():
        yield ContractChange(name=name, kind="tool-added", what="is listed, and is not in the lock file")
    for tool in agreed.tools:
        if tool.name in tools:
            yield from _directive(tool.name, _said(tool), _said(tools[tool.name]))
    known = shown_names(state, agreed.tools)
    for group, body in _widest(state).items():
        for action in body.get("actions") or ():
            if not known & {f"{group}.{action}", *([group] if action == "default" else [])}:
                what = "stands in the manifest, and is not in the lock file"
                yield ContractChange(name=f"{group}.{action}", kind="action-added", what=what)


def _said(tool: Tool) -> str | None:
    description = tool.raw.get("description")
    return read_directive(description) if isinstance(description, str) else None


def _directive(name: str, old: str | None, new: str | None) -> Iterator[ContractChange]:
    if old != new:
        kind = "loosened" if new == "immutable" or old == "no-store" else "tightened"
        what = f"shows {new or 'no directive'}, and {old or 'no directive'} by the lock file"
        yield ContractChange(name=name, kind=kind, what=what)
