"""How a fault is declared: one small function, what it breaks, and where it can stand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from diagnose.errors import UsageError
from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer, Ask, Transport, Upstream
from diagnose.reference.outlet import Message, Outlet

Era: TypeAlias = Literal["modern", "legacy"]

ERAS: tuple[Era, ...] = ("modern", "legacy")
TRANSPORTS: tuple[Transport, ...] = ("http", "stdio")
METHOD_NOT_FOUND = -32601


@dataclass(slots=True)
class Memory:
    """What a fault remembers from one request to the next, for as long as the server runs."""

    _counts: dict[str, int] = field(default_factory=dict)
    _kept: dict[str, Any] = field(default_factory=dict)
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

    def keep(self, thing: str, value: Any) -> None:
        """Keep a value under a name."""
        with self._lock:
            self._kept[thing] = value

    def kept(self, thing: str) -> Any:
        """Return what is kept under that name; None if nothing is."""
        with self._lock:
            return self._kept.get(thing)

    def first(self, thing: str, value: Any) -> Any:
        """Return what is kept under that name; if nothing is, keep this value."""
        with self._lock:
            return self._kept.setdefault(thing, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """One request on its way through a fault, with the honest server behind it."""

    ask: Ask
    server: Upstream
    memory: Memory
    outlets: tuple[Outlet, ...] = ()
    """Where this server may tell something now, the oldest first; a place that is only asked for is among them."""
    outlet: Outlet | None = None
    """The place that this request asks for."""

    def honest(self) -> Answer:
        """Return what the server answers to the request as it is."""
        return self.server.answer(self.ask)

    def tools(self) -> list[ToolDict]:
        """Return the definitions that the server holds now, all of them."""
        return self.server.tools()


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One message of the server's on its way to a client that did not ask for it just now."""

    message: Message
    outlet: Outlet
    memory: Memory

    @property
    def method(self) -> str | None:
        """The method of a notification; None for the result that ends a subscription."""
        return self.message.get("method")


#: A fault gives the answer that the client gets instead of the honest one.
FaultFunction: TypeAlias = Callable[[Passing], Answer]
#: A fault may send something else than what the server tells, or nothing.
TellFunction: TypeAlias = Callable[[Telling], Iterable[Message]]
#: A fault may do something as soon as a client hears.
OpenFunction: TypeAlias = Callable[[Outlet], None]


def as_answered(passing: Passing) -> Answer:
    """Answer as the server does."""
    return passing.honest()


def as_told(telling: Telling) -> Iterable[Message]:
    """Tell what the server tells."""
    return (telling.message,)


def as_opened(_outlet: Outlet) -> None:
    """Do nothing when a client hears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A declared fault. Its name is that of the cause or check that finds it; one of several ways adds `:VARIANT`."""

    name: str
    breaks: str
    """One sentence: what is wrong with a server that has it, and which option brings it out if one is needed."""
    eras: tuple[Era, ...]
    transports: tuple[Transport, ...]
    apply: FaultFunction
    tells: TellFunction = as_told
    opens: OpenFunction = as_opened
    ledger: bool = False
    """Whether it breaks what a ledger says of its state, so that a ledger stands behind it."""
    keeps_alive: bool = True
    """Whether the comments that keep a stream alive go through."""

    @property
    def rule(self) -> str:
        """The name of the cause or check that finds it."""
        return self.name.partition(":")[0]

    def answer(self, passing: Passing) -> Answer:
        """Return what the client gets. A fault of the handshake era alone stands before a server of that era alone."""
        if passing.ask.is_modern and "modern" not in self.eras:
            return Answer.refusal(passing.ask, METHOD_NOT_FOUND, "Method not found")
        return self.apply(passing)


FAULTS: dict[str, Fault] = {}


def fault(
    name: str,
    *,
    breaks: str,
    eras: tuple[Era, ...] = ERAS,
    transports: tuple[Transport, ...] = TRANSPORTS,
    tells: TellFunction = as_told,
    opens: OpenFunction = as_opened,
    keeps_alive: bool = True,
    ledger: bool = False,
) -> Callable[[FaultFunction], FaultFunction]:
    """Declare the function below as the fault of this name."""

    def register(function: FaultFunction) -> FaultFunction:
        if name in FAULTS:
            raise ValueError(f"the fault {name} is declared twice")
        FAULTS[name] = Fault(
            name=name,
            breaks=breaks,
            eras=eras,
            transports=transports,
            apply=function,
            tells=tells,
            opens=opens,
            keeps_alive=keeps_alive,
            ledger=ledger,
        )
        return function

    return register


def telling(
    name: str,
    *,
    breaks: str,
    eras: tuple[Era, ...] = ERAS,
    transports: tuple[Transport, ...] = TRANSPORTS,
    ledger: bool = False,
) -> Callable[[TellFunction], TellFunction]:
    """Declare the function below as a fault of what the server tells; it answers honestly."""

    def register(function: TellFunction) -> TellFunction:
        fault(name, breaks=breaks, eras=eras, transports=transports, tells=function, ledger=ledger)(as_answered)
        return function

    return register


def opening(
    name: str, *, breaks: str, eras: tuple[Era, ...] = ERAS, transports: tuple[Transport, ...] = TRANSPORTS
) -> Callable[[OpenFunction], OpenFunction]:
    """Declare the function below as a fault of what happens once a client hears; it answers and tells honestly."""

    def register(function: OpenFunction) -> OpenFunction:
        fault(name, breaks=breaks, eras=eras, transports=transports, opens=function)(as_answered)
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
