"""Faults of `notifications/resources/updated`, of subscriptions to resources, and of listening for them."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.capability import granting
from diagnose.reference.faults.declare import Era, Passing, Telling
from diagnose.reference.faults.state.parts import REFUND, UPDATED, calls, stale_domain, state_fault, state_telling
from diagnose.reference.outlet import Message, Outlet
from diagnose.statesync import stale_uri
from diagnose.wire.subscription import ACKNOWLEDGED

MODERN: tuple[Era, ...] = ("modern",)
LEGACY: tuple[Era, ...] = ("legacy",)
_PAIR = ("billing.*", "dashboard.invoices")


@state_telling(
    "update-malformed:text",
    breaks="Each update comes a second time, with the bare address as its parameters.",
    eras=LEGACY,
)
def update_malformed_text(telling: Telling) -> Iterable[Message]:
    """Hand the address over where an object is due."""
    if telling.method != UPDATED:
        return (telling.message,)
    return (telling.message, {**telling.message, "params": telling.message["params"]["uri"]})


@state_telling("update-malformed:no-uri", breaks="Each update comes a second time, and does not say of what it is.")
def update_malformed_no_uri(telling: Telling) -> Iterable[Message]:
    """Lose the address."""
    if telling.method != UPDATED:
        return (telling.message,)
    params = {key: value for key, value in telling.message["params"].items() if key != "uri"}
    return (telling.message, {**telling.message, "params": params})


@state_telling("update-differs-from-tag:fewer", breaks="One of the domains of a tag is not announced.")
def update_differs_fewer(telling: Telling) -> Iterable[Message]:
    """Lose one of two stale URIs."""
    return () if stale_domain(telling.message) == _PAIR[1] else (telling.message,)


@state_telling("update-differs-from-tag:order", breaks="The domains of a tag are announced in another order.")
def update_differs_order(telling: Telling) -> Iterable[Message]:
    """Exchange the two."""
    domain = stale_domain(telling.message)
    if domain not in _PAIR:
        return (telling.message,)
    other = stale_uri(_PAIR[1 - _PAIR.index(domain)])
    return ({**telling.message, "params": {**telling.message["params"], "uri": other}},)


@state_telling(
    "update-of-nothing:unasked", breaks="Beside each update comes one of a resource that nobody subscribed to."
)
def update_of_nothing_unasked(telling: Telling) -> Iterable[Message]:
    """Tell of another invoice as well."""
    return _beside(telling, "ledger://invoice/inv_9")


@state_telling("update-of-nothing:unlisted", breaks="Beside each update comes one of what is in no list.")
def update_of_nothing_unlisted(telling: Telling) -> Iterable[Message]:
    """Tell of what nothing stands behind."""
    return _beside(telling, "nowhere://invoice/inv_7")


def _beside(telling: Telling, uri: str) -> Iterable[Message]:
    if telling.method != UPDATED or stale_domain(telling.message) is not None:
        return (telling.message,)
    return (telling.message, {**telling.message, "params": {**telling.message["params"], "uri": uri}})


@state_telling(
    "subscription-to-nothing:granted", breaks="A resource that does not exist is granted to who listens.", eras=MODERN
)
def subscription_to_nothing_granted(telling: Telling) -> Iterable[Message]:
    """Grant every address that is asked for."""
    asked = (telling.outlet.asked or {}).get("resourceSubscriptions")
    if telling.method != ACKNOWLEDGED or not asked:
        return (telling.message,)
    granted = telling.message["params"]["notifications"]
    return (granting(telling.message, {**granted, "resourceSubscriptions": asked}),)


@state_fault(
    "subscription-to-nothing:taken", breaks="A subscription to a resource that does not exist is taken.", eras=LEGACY
)
def subscription_to_nothing_taken(passing: Passing) -> Answer:
    """Say yes to everything."""
    answer = passing.honest()
    if passing.ask.method != "resources/subscribe" or answer.result is not None:
        return answer
    return Answer.of({"jsonrpc": "2.0", "id": passing.ask.message["id"], "result": {}})


@state_telling("listen-inert:ungranted", breaks="Who listens is granted nothing, whatever is asked for.", eras=MODERN)
def listen_inert_ungranted(telling: Telling) -> Iterable[Message]:
    """Acknowledge with an empty filter, and tell nothing."""
    if telling.method == ACKNOWLEDGED:
        return (granting(telling.message, {}),)
    return () if telling.method is not None else (telling.message,)


@state_telling(
    "listen-inert:silent",
    breaks="Who listens, or has subscribed, is granted it, and is told of no update of a resource.",
)
def listen_inert_silent(telling: Telling) -> Iterable[Message]:
    """Keep every update of a resource to oneself."""
    return (telling.message,) if telling.method != UPDATED or stale_domain(telling.message) else ()


@state_fault(
    "invalidation-on-error:announced",
    breaks="A call that failed says nothing, and stale URIs are announced for it all the same.",
)
def invalidation_on_error_announced(passing: Passing) -> Answer:
    """Announce before looking whether it worked."""
    answer = passing.honest()
    if calls(passing, REFUND) and answer.result is not None and answer.result.get("isError"):
        for outlet in passing.outlets:
            _announce(outlet, stale_uri(_PAIR[0]))
    return answer


def _announce(outlet: Outlet, uri: str) -> None:
    """Send the update of a resource to who asked for it, or cannot say what it asks for."""
    if outlet.asked is None or uri in (outlet.asked.get("resourceSubscriptions") or ()):
        told = outlet.notification(UPDATED)
        outlet.send({**told, "params": {**told.get("params", {}), "uri": uri}})
