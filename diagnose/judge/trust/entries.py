"""The trust in each answer as a report has it: what was asked, how long it holds, and what told that it does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Timeline
from diagnose.judge.trust.state import State
from diagnose.judge.trust.tracker import Misuse, Trust, misuses, trusts

#: So many answers of one recording are told of.
MOST = 1_000


def entries(line: Timeline, state: State) -> tuple[Mapping[str, Any], ...]:
    """Return an entry for each answer that was read, oldest first, up to the bound."""
    known = trusts(state)
    used = {id(misuse.trust): misuse for misuse in misuses(state, known)}
    return tuple(_entry(line, state, trust, used.get(id(trust))) for trust in known[:MOST])


def _entry(line: Timeline, state: State, trust: Trust, misuse: Misuse | None) -> dict[str, Any]:
    read = trust.read
    return {
        "session": line.label(read.session),
        "principal": read.session.principal,
        "kind": read.kind,
        "tool": read.name,
        "action": state.action(read) if read.kind == "call" else None,
        "arguments": dict(read.arguments),
        "request": read.id if isinstance(read.id, (str, int)) else None,
        "asked": _moment(read.asked),
        "read": _moment(trust.since),
        "answer": read.answer,
        "basis": trust.basis,
        "state": _word(trust),
        "until": _moment(trust.until),
        "endedBy": trust.ended_by,
        "domain": trust.domain,
        "cause": trust.cause,
        "usedStale": _moment(misuse.deed.asked) if misuse is not None else None,
    }


def _word(trust: Trust) -> str:
    if trust.basis == "no-store":
        return "never-kept"
    return "holds" if trust.until is None else "stale"


def _moment(moment: Moment | None) -> dict[str, Any] | None:
    return None if moment is None else {"frame": moment.frame, "t": moment.t}
