"""How a fault is declared: one small function, what it breaks, and where it can stand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from diagnose.errors import UsageError
from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer, Ask, Transport, Upstream

Era: TypeAlias = Literal["modern", "legacy"]

ERAS: tuple[Era, ...] = ("modern", "legacy")
TRANSPORTS: tuple[Transport, ...] = ("http", "stdio")
METHOD_NOT_FOUND = -32601


@dataclass(slots=True)
class Memory:
    """What a fault remembers from one request to the next, for as long as the server runs."""

    _counts: dict[str, int] = field(default_factory=dict)
    _kept: dict[str, str | None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def turn(self, thing: str) -> int:
        """Count one more; returns how many there were before."""
        with self._lock:
            before = self._counts.get(thing, 0)
            self._counts[thing] = before + 1
            return before

    def seen(self, thing: str) -> int:
        """Return how many there have been."""
        with self._lock:
            return self._counts.get(thing, 0)

    def keep(self, thing: str, value: str | None) -> None:
        """Keep a value under a name."""
        with self._lock:
            self._kept[thing] = value

    def kept(self, thing: str) -> str | None:
        """Return what is kept under that name; None if nothing is."""
        with self._lock:
            return self._kept.get(thing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """One request on its way through a fault, with the honest server behind it."""

    ask: Ask
    server: Upstream
    memory: Memory

    def honest(self) -> Answer:
        """Return what the server answers to the request as it is."""
        return self.server.answer(self.ask)

    def tools(self) -> list[ToolDict]:
        """Return the definitions that the server holds now, all of them."""
        return self.server.tools()


#: A fault gives the answer that the client gets instead of the honest one.
FaultFunction: TypeAlias = Callable[[Passing], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A declared fault. Its name is the cause, or the rule, under which it is to be found."""

    name: str
    breaks: str
    """One sentence: what is wrong with a server that has it, and which option brings it out if one is needed."""
    eras: tuple[Era, ...]
    transports: tuple[Transport, ...]
    apply: FaultFunction

    def answer(self, passing: Passing) -> Answer:
        """Return what the client gets. A fault of the handshake era alone stands before a server of that era alone."""
        if passing.ask.method == "server/discover" and "modern" not in self.eras:
            return Answer.refusal(passing.ask, METHOD_NOT_FOUND, "Method not found")
        return self.apply(passing)


FAULTS: dict[str, Fault] = {}


def fault(
    name: str,
    *,
    breaks: str,
    eras: tuple[Era, ...] = ERAS,
    transports: tuple[Transport, ...] = TRANSPORTS,
) -> Callable[[FaultFunction], FaultFunction]:
    """Declare the function below as the fault of this name."""

    def register(function: FaultFunction) -> FaultFunction:
        if name in FAULTS:
            raise ValueError(f"the fault {name} is declared twice")
        FAULTS[name] = Fault(name=name, breaks=breaks, eras=eras, transports=transports, apply=function)
        return function

    return register


def find_fault(name: str, transport: Transport) -> Fault:
    """Return the fault of that name; raises `UsageError` for an unknown one, or one that cannot stand there."""
    known = FAULTS.get(name)
    if known is None:
        raise UsageError(f"there is no fault named {name!r}", advice="See `diagnose serve --list-faults`.")
    if transport not in known.transports:
        raise UsageError(f"the fault {name} is one of {' and '.join(known.transports)}, not of {transport}")
    return known
