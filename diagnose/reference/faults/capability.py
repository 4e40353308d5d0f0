"""Faults of what a server promises about its tools and about telling of changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing, Telling, fault, opening
from diagnose.reference.outlet import Message, Outlet
from diagnose.wire.subscription import ACKNOWLEDGED, LIST_CHANGED

METHOD_NOT_FOUND = -32601
Capabilities = dict[str, Any]


def declaring(answer: Answer, change: Callable[[Capabilities], Capabilities]) -> Answer:
    """Return a handshake with other capabilities; any other answer as it is."""
    result = answer.result
    if result is None or "capabilities" not in result:
        return answer
    return answer.with_result({**result, "capabilities": change(result["capabilities"])})


def unannounced(answer: Answer) -> Answer:
    """Return a handshake that does not promise to tell of changes; any other answer as it is."""
    return declaring(answer, lambda declared: {**declared, "tools": {}})


def mute(telling: Telling) -> Iterable[Message]:
    """Tell as a server that does not promise to tell of changes of its tools: it grants nothing, and says nothing."""
    if telling.method == LIST_CHANGED:
        return ()
    if telling.method == ACKNOWLEDGED:
        return (granting(telling.message, {}),)
    return (telling.message,)


def granting(acknowledgement: Message, granted: dict[str, Any]) -> Message:
    """Return an acknowledgement that grants this."""
    return {**acknowledgement, "params": {**acknowledgement["params"], "notifications": granted}}


@fault(
    "capability-undeclared",
    breaks="Changes are told though listChanged was never declared; seen with --trigger.",
)
def capability_undeclared(passing: Passing) -> Answer:
    """Leave the promise out of the handshake, and keep it."""
    return unannounced(passing.honest())


@fault(
    "tools-capability-missing",
    breaks="Tools are listed though the capability of having tools is not declared.",
    tells=mute,
)
def tools_capability_missing(passing: Passing) -> Answer:
    """Leave the tools out of the capabilities."""
    return declaring(passing.honest(), lambda declared: {key: declared[key] for key in declared if key != "tools"})


@fault(
    "capability-false-claim:get-405",
    breaks="listChanged is declared, and GET, the only channel for it, is answered with 405.",
    eras=("legacy",),
    transports=("http",),
)
def no_get_stream(passing: Passing) -> Answer:
    """Have no stream."""
    return Answer(status=405, headers=(("allow", "POST, DELETE"),)) if passing.outlet else passing.honest()


@fault(
    "capability-false-claim:listen-refused",
    breaks="listChanged is declared, and subscriptions/listen, the only channel for it, is an unknown method.",
    eras=("modern",),
)
def no_subscriptions(passing: Passing) -> Answer:
    """Know nothing of subscriptions."""
    if not passing.ask.is_listen:
        return passing.honest()
    return Answer.refusal(passing.ask, METHOD_NOT_FOUND, "Method not found", status=404)


@opening(
    "capability-false-claim:listen-closed",
    breaks="listChanged is declared, and every subscription is over as soon as it is acknowledged.",
    eras=("modern",),
)
def subscriptions_over(outlet: Outlet) -> None:
    """End a subscription at once, as it should be ended."""
    if outlet.subscription is not None:
        outlet.complete()
