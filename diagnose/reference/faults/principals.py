"""Faults of who is shown what. A second principal is whoever sends another Authorization header than the first list had."""

from __future__ import annotations

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Era, Passing, fault
from diagnose.reference.faults.hints import hinted
from diagnose.reference.faults.retell import Tools, absent, retold

MODERN: tuple[Era, ...] = ("modern",)


@fault(
    "scope-leak",
    breaks="A list that depends on the credential is public; seen with --second-auth. There is no manifest.",
    eras=MODERN,
    transports=("http",),
)
def scope_leak(passing: Passing) -> Answer:
    """Show the second principal a tool less, and let anybody keep it."""
    return _by_principal(passing, "public")


@fault(
    "auth-view-diff",
    breaks="The list depends on the credential, as it may, and is private; seen with --second-auth. "
    "There is no manifest.",
    eras=MODERN,
    transports=("http",),
)
def auth_view_diff(passing: Passing) -> Answer:
    """Show the second principal a tool less, and say so."""
    return _by_principal(passing, "private")


@fault(
    "private-without-credential",
    breaks="A list that anybody gets without a credential is private.",
    eras=MODERN,
    transports=("http",),
)
def private_without_credential(passing: Passing) -> Answer:
    """Mark it so to be on the safe side."""
    return hinted(passing, lambda result: {**result, "cacheScope": "private"})


@fault(
    "private-identical",
    breaks="A list that every credential gets alike is private; seen with --second-auth.",
    eras=MODERN,
    transports=("http",),
)
def private_identical(passing: Passing) -> Answer:
    """Mark it so though there is nothing to keep."""
    return hinted(passing, lambda result: {**result, "cacheScope": "private"})


def _by_principal(passing: Passing, scope: str) -> Answer:
    if passing.ask.is_manifest:
        return absent()
    caller = passing.ask.header("authorization") or ""
    first = passing.memory.first("caller", caller) if passing.ask.is_list else passing.memory.kept("caller")
    answer = retold(passing, _same if first in {None, caller} else _shorter)
    if not passing.ask.is_list or answer.result is None or "cacheScope" not in answer.result:
        return answer
    return answer.with_result({**answer.result, "cacheScope": scope})


def _shorter(tools: Tools) -> Tools:
    return tools[:-1]


def _same(tools: Tools) -> Tools:
    return tools
