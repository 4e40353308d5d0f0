"""What the rules of state sync need, each with the words for a report that has to say it was not there."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.judge.case import Case
from diagnose.judge.timeline.model import Timeline
from diagnose.judge.trust.signalled import around_signals
from diagnose.judge.trust.state import State


def states(case: Case) -> Iterator[tuple[Timeline, State]]:
    """Yield the recordings whose state is judged, each with it."""
    for line in case.timelines:
        if line.state is not None:
            yield line, line.state


def state(case: Case) -> str | None:
    """Require a recording of which calls and answers were kept."""
    return None if any(states(case)) else "no recording is judged for state sync"


def policy(case: Case) -> str | None:
    """Require that the author's policy was given."""
    declared = any(each.policy is not None for _, each in states(case))
    return state(case) or (None if declared else "no policy was given (--policy)")


def listed(case: Case) -> str | None:
    """Require that a list of tools was read to its end."""
    found = any(each.surfaces for _, each in states(case))
    return state(case) or (None if found else "no list of tools was read to its end")


def declared_tools(case: Case) -> str | None:
    """Require a policy, and a list to hold against it."""
    return policy(case) or listed(case)


def listed_twice(case: Case) -> str | None:
    """Require that the tools were listed twice."""
    found = any(len(each.surfaces) > 1 for _, each in states(case))
    return listed(case) or (None if found else "the tools were listed once")


def listed_around_a_signal(case: Case) -> str | None:
    """Require a signal that the tools had changed, and a list on each side of it."""
    found = any(True for _, each in states(case) for _ in around_signals(each.sessions))
    return listed(case) or (None if found else "no signal came between two lists")


def called(case: Case) -> str | None:
    """Require that a tool was called and answered."""
    found = any(deed.answered is not None for _, each in states(case) for deed in each.calls)
    return state(case) or (None if found else "no tool was called")


def speaking(case: Case) -> str | None:
    """Require that the server says something of its state, or that its author does."""
    found = any(each.speaks or each.policy is not None for _, each in states(case))
    return called(case) or (
        None if found else "the server says nothing of its state: no directive, no tag, no stale URI"
    )


def declared_calls(case: Case) -> str | None:
    """Require a policy, and a call to hold against it."""
    return policy(case) or called(case)


def tagged(case: Case) -> str | None:
    """Require that an answer had an invalidation."""
    found = any(deed.tags for _, each in states(case) for deed in each.calls)
    return called(case) or (None if found else "no answer had an invalidation")


def read_twice(case: Case) -> str | None:
    """Require that one question was asked twice, of a server that says something of its state."""
    return speaking(case) or _read_twice(case)


def _read_twice(case: Case) -> str | None:
    found = any(len(group) > 1 for _, each in states(case) for group in each.reads)
    return None if found else "nothing was read twice"


def failed_call(case: Case) -> str | None:
    """Require that a call failed between two equal reads; whatever the server says else of its state."""
    found = any(deed.outcome in {"error", "refused"} for _, each in states(case) for deed in each.calls)
    return called(case) or _read_twice(case) or (None if found else "no call failed")


def updated(case: Case) -> str | None:
    """Require that an update of a resource was announced."""
    found = any(each.ledger.updates for _, each in states(case))
    return state(case) or (None if found else "no resource was announced as updated")


def subscribed(case: Case) -> str | None:
    """Require that a resource was subscribed to."""
    found = any(each.ledger.subscriptions or any(_listens(each)) for _, each in states(case))
    return state(case) or (None if found else "no resource was subscribed to")


def modern_answers(case: Case) -> str | None:
    """Require answers of the modern era that carry cache hints."""
    found = any(page.modern for _, each in states(case) for page in each.ledger.pages)
    return state(case) or (None if found else "no list of the modern era was read")


def lists_again(case: Case) -> str | None:
    """Require that some list was read twice, by whomever."""
    found = any(_repeated(each) for _, each in states(case))
    return state(case) or (None if found else "no list was read twice")


def manifest(case: Case) -> str | None:
    """Require that the manifest was read."""
    found = any(each.ledger.manifests for _, each in states(case))
    return state(case) or (None if found else "no manifest was read")


def manifest_and_list(case: Case) -> str | None:
    """Require that the manifest and the list of tools were read."""
    return manifest(case) or listed(case)


def lock(case: Case) -> str | None:
    """Require a lock file."""
    given = any(each.lock is not None or each.agreed is not None for _, each in states(case))
    return state(case) or (None if given else "no lock file was given (--lock)")


def lock_and_list(case: Case) -> str | None:
    """Require a lock file, and a list to hold against it."""
    return lock(case) or listed(case)


def _listens(each: State) -> Iterator[bool]:
    for session in each.sessions:
        for stream in session.streams:
            if stream.purpose == "listen":
                yield True


def _repeated(each: State) -> bool:
    seen: set[str] = set()
    for page in each.ledger.pages:
        if page.method in seen and not page.cursor:
            return True
        seen.add(page.method)
    return False
