"""Whether the list depends on what else was asked over the same connection.

MCP 2026-07-28, server/tools, Capabilities: the set must not vary as a side effect of other requests on the connection. Only
what any client may ask without consequences is asked here; no tool is called.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from diagnose.evidence.probes import Beside, BesideRound
from diagnose.observe.dialogue import Dialogue
from diagnose.observe.experiments.asking import ask, ask_modern
from diagnose.observe.experiments.hints import LISTS
from diagnose.observe.listing import ListReader
from diagnose.observe.session import Session
from diagnose.wire.negotiation import DISCOVER

#: So often it is tried where the list changed: a change of the list in between looks the same, once.
ROUNDS: Final = 2


def list_beside(
    session: Session, again: Callable[[], AbstractContextManager[Session]], now: Callable[[], str]
) -> Beside:
    """Read the list, ask for other things, and read it again; where it changed, once more over another session.

    Raises what opening a session raises, and what ends the deadline.
    """
    rounds = [_round(session, now)]
    while rounds[-1].changed and len(rounds) < ROUNDS:
        with again() as other:
            rounds.append(_round(other, now))
    return Beside(rounds=tuple(rounds))


def _round(session: Session, now: Callable[[], str]) -> BesideRound:
    reader = ListReader(session, now=now)
    before = reader.read()
    asked = _ask_others(session)
    return BesideRound(before=before, asked=asked, after=reader.read())


def _ask_others(session: Session) -> tuple[str, ...]:
    """Ask for every other list that is declared, and for what needs no declaration; return what was asked."""
    declared = session.capabilities or {}
    methods = [method for capability, method in LISTS if capability in declared]
    methods.append(DISCOVER if session.era == "modern" else "ping")
    for method in methods:
        _ask(session.dialogue, method, session)
    return tuple(methods)


def _ask(dialogue: Dialogue, method: str, session: Session) -> None:
    if session.era == "modern":
        ask_modern(dialogue, method, version=session.protocol_version)
    else:
        ask(dialogue, method)
