"""The reads beside a change that its domains leave out, and that nobody read again: whether they still hold is not known."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.judge.trust.deeds import Deed
from diagnose.judge.trust.state import State, reaches
from diagnose.judge.words import told
from diagnose.statesync import Invalidation, read_directive

#: So many changes are told of.
_MOST = 3


def untried(state: State) -> tuple[str, ...]:
    """Return what was not tried, in a sentence for each tool that changes something (R6: sibling reads)."""
    newest: dict[tuple[str, Invalidation], Deed] = {}
    for deed in state.calls:
        genuine = state.genuine(deed)
        if genuine is not None:
            newest[deed.name, genuine] = deed
    found: dict[str, dict[str, None]] = {}
    for (tool, genuine), deed in newest.items():
        for name in _left_out(state, deed, genuine):
            found.setdefault(tool, {})[name] = None
    return tuple(
        f"Whether {told(list(names))} still holds after {tool} is not known: no domain of it reaches that, and it was not "
        "read before and after."
        for tool, names in list(found.items())[:_MOST]
    )


def _left_out(state: State, deed: Deed, genuine: Invalidation) -> Iterator[str]:
    namespace, dot, _ = genuine.cause.rpartition(".")
    for name, tool in state.tools.items() if dot else ():
        names = state.names(name)
        if name == deed.name or not any(each.startswith(f"{namespace}.") for each in names):
            continue
        description = tool.get("description")
        kept = not isinstance(description, str) or read_directive(description) != "no-store"
        covered = any(reaches(domain, names) for domain in genuine.domains)
        if kept and not covered and state.only_reads(name) and not _tried(state, name, deed):
            yield name


def _tried(state: State, name: str, deed: Deed) -> bool:
    """Tell whether one question was put to a tool before a call and after it."""
    return any(
        group[0].name == name and group[0].asked.frame < deed.asked.frame and group[-1].asked.frame > deed.end
        for group in state.reads
    )
