"""Faults of `subscriptions/listen` (MCP 2026-07-28, basic/patterns/subscriptions)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.capability import granting
from diagnose.reference.faults.declare import Era, Passing, Telling, fault, opening, telling
from diagnose.reference.faults.signals import SHORT_LIFE
from diagnose.reference.outlet import Message, Outlet
from diagnose.wire.subscription import ACKNOWLEDGED, LIST_CHANGED, SUBSCRIPTION_ID

INTERNAL_ERROR = -32603
INVALID_PARAMS = -32602
MODERN: tuple[Era, ...] = ("modern",)
#: A subscription over HTTP that was left may be taken for an open one for so long, in seconds.
LEAVING = 1.0
KNOWN_FIELDS = frozenset({"toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"})


@telling("stream-no-ack:no-ack", breaks="Subscriptions are served and never acknowledged.", eras=MODERN)
def stream_no_ack(telling: Telling) -> Iterable[Message]:
    """Lose the acknowledgement."""
    return () if telling.method == ACKNOWLEDGED else (telling.message,)


@telling("stream-no-ack:late-ack", breaks="An event comes before the acknowledgement.", eras=MODERN)
def stream_no_ack_late(telling: Telling) -> Iterable[Message]:
    """Begin with an event."""
    if telling.method != ACKNOWLEDGED:
        return (telling.message,)
    return (telling.outlet.notification(LIST_CHANGED), telling.message)


@telling("stream-no-ack:ungranted-event", breaks="Events come that were neither asked for nor granted.", eras=MODERN)
def stream_no_ack_ungranted(telling: Telling) -> Iterable[Message]:
    """Tell of prompts behind the acknowledgement."""
    if telling.method != ACKNOWLEDGED:
        return (telling.message,)
    return (telling.message, telling.outlet.notification("notifications/prompts/list_changed"))


@telling(
    "listen-wrong-id:text",
    breaks="The id of a subscription comes back in capitals where it was a text.",
    eras=MODERN,
)
def listen_wrong_id_text(telling: Telling) -> Iterable[Message]:
    """Write ids as a table does that takes capitals and small letters for the same."""
    name = telling.outlet.subscription
    return (_renamed(telling.message, {SUBSCRIPTION_ID: name.upper() if isinstance(name, str) else name}),)


@telling(
    "listen-wrong-id:number",
    breaks="The id of a subscription comes back as a text where it was a number, so that most clients hear nothing.",
    eras=MODERN,
)
def listen_wrong_id_number(telling: Telling) -> Iterable[Message]:
    """Write every id as a text."""
    return (_renamed(telling.message, {SUBSCRIPTION_ID: str(telling.outlet.subscription)}),)


@telling(
    "listen-id-missing", breaks="Only the acknowledgement names its subscription; seen with --trigger.", eras=MODERN
)
def listen_id_missing(telling: Telling) -> Iterable[Message]:
    """Leave the id out of what follows."""
    return (telling.message if telling.method == ACKNOWLEDGED else _renamed(telling.message, {}),)


@telling("listen-filter-exceeded", breaks="More is granted than was asked for.", eras=MODERN)
def listen_filter_exceeded(telling: Telling) -> Iterable[Message]:
    """Grant prompts and resources to everybody."""
    return _granting_also(telling, {"promptsListChanged": True, "resourcesListChanged": True})


@telling("listen-nonsense-uri", breaks="A resource that does not exist is granted.", eras=MODERN)
def listen_nonsense_uri(telling: Telling) -> Iterable[Message]:
    """Grant every resource that is asked for."""
    asked = (telling.outlet.asked or {}).get("resourceSubscriptions")
    return _granting_also(telling, {"resourceSubscriptions": asked} if asked else {})


@opening(
    "listen-end-without-result",
    breaks="The server ends its subscriptions after a moment, without the result that would say so.",
    eras=MODERN,
    transports=("http",),
)
def listen_end_without_result(outlet: Outlet) -> None:
    """End the body of the answer, and nothing else."""
    if outlet.subscription is not None:
        outlet.later(SHORT_LIFE, outlet.close)


@fault("listen-one-only", breaks="A second subscription is refused while another one is open.", eras=MODERN)
def listen_one_only(passing: Passing) -> Answer:
    """Let the oldest subscription live, and no other."""
    if not passing.ask.is_listen:
        return passing.honest()
    patience = LEAVING if passing.ask.transport == "http" else 0
    older = takewhile(lambda each: each is not passing.outlet, passing.outlets)
    if any(each.subscription is not None and not each.ends_within(patience) for each in older):
        return Answer.refusal(passing.ask, INTERNAL_ERROR, "there is a subscription already")
    return passing.honest()


@fault("listen-unknown-field", breaks="A filter is refused for a field that this server does not know.", eras=MODERN)
def listen_unknown_field(passing: Passing) -> Answer:
    """Refuse what a later revision may add."""
    asked = passing.ask.params.get("notifications")
    if passing.ask.is_listen and isinstance(asked, dict) and not asked.keys() <= KNOWN_FIELDS:
        return Answer.refusal(passing.ask, INVALID_PARAMS, "unknown notification type", status=400)
    return passing.honest()


def _granting_also(telling: Telling, more: dict[str, Any]) -> Iterable[Message]:
    if telling.method != ACKNOWLEDGED:
        return (telling.message,)
    return (granting(telling.message, {**telling.message["params"]["notifications"], **more}),)


def _renamed(message: Message, names: dict[str, Any]) -> Message:
    """Return a frame of a subscription with other names of it in its `_meta`."""
    place = "params" if "method" in message else "result"
    if place not in message:
        return message  # a refusal belongs to no subscription
    meta = {key: value for key, value in message[place].get("_meta", {}).items() if key != SUBSCRIPTION_ID}
    return {**message, place: {**message[place], "_meta": {**meta, **names}}}
