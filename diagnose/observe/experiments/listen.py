"""The listen trial: several subscriptions at once, each asking for something else, with both kinds of id.

MCP 2026-07-28, basic/patterns/subscriptions. What is expected of each stands in the frames: the acknowledgement first and
under the right id, nothing honoured that was not asked for, nothing told that was not honoured.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from diagnose.evidence.recording import Recording
from diagnose.observe.experiments.trigger import Provocation, Provoked, pull
from diagnose.observe.held import HeldSession
from diagnose.wire.subscription import (
    ACKNOWLEDGED,
    NONSENSE_URI,
    TOOLS_FILTER,
    UNKNOWN_FIELD,
    RequestId,
    subscription_of,
)

#: Seconds in which something may come that nobody asked for.
CALM: Final = 0.5
#: Seconds in which what was provoked is told to every subscription.
HEARD: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One subscription that was asked for, and why."""

    request_id: RequestId
    notifications: Mapping[str, Any]
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenTrial:
    """What was asked for, and the recording of what came. ``provoked`` is None where no change was provoked."""

    recording: Recording
    asked: tuple[Asked, ...]
    provoked: Provoked | None = None
    unanswered: tuple[RequestId, ...] = field(default=())
    """Subscriptions that were neither acknowledged nor refused within the time."""


def subscriptions(number: Callable[[], int]) -> tuple[Asked, ...]:
    """Return what is asked for; ``number`` gives ids that no other request of the session has."""
    return (
        Asked(request_id=number(), notifications=TOOLS_FILTER, purpose="an id that is a number"),
        Asked(request_id="diagnose-listen", notifications=TOOLS_FILTER, purpose="an id that is a text"),
        Asked(request_id="diagnose-nothing", notifications={}, purpose="a filter that asks for nothing"),
        Asked(
            request_id="diagnose-unknown",
            notifications={**TOOLS_FILTER, UNKNOWN_FIELD: True},
            purpose="a field that no revision knows",
        ),
        Asked(
            request_id="diagnose-nonsense",
            notifications={"resourceSubscriptions": [NONSENSE_URI]},
            purpose="a resource that does not exist",
        ),
    )


def listen_trial(
    hold: Callable[[], AbstractContextManager[HeldSession]], *, wait: float, provoke: Provocation | None = None
) -> ListenTrial | None:
    """Open the subscriptions, all at once, and provoke a change if there is a way to; None where the era has none.

    Each has ``wait`` seconds to be answered. Raises what opening a session raises, and `UsageError` where the provocation
    cannot be started.
    """
    with hold() as held, ExitStack() as opened:
        if held.session.era != "modern":
            return None
        asked = subscriptions(held.session.dialogue.number)
        for each in asked:
            opened.enter_context(held.subscription(each.request_id, each.notifications))
        unanswered = _await(held, asked, wait)
        provoked = None
        if provoke is not None:
            provoked = pull(provoke, held)
            _listen(held, min(wait, HEARD))
        _listen(held, CALM)
    return ListenTrial(recording=held.recorder.recording(), asked=asked, provoked=provoked, unanswered=unanswered)


def _await(held: HeldSession, asked: Sequence[Asked], wait: float) -> tuple[RequestId, ...]:
    """Listen until each subscription is acknowledged or refused; return those that are neither when the time is up."""
    due = [each.request_id for each in asked]
    for heard in held.during(wait):
        if heard.kind == "over":
            answered: Any = heard.subscription
        elif heard.notice is not None and heard.notice.method == ACKNOWLEDGED:
            answered = subscription_of(heard.notice.raw)
        else:
            continue
        due = [known for known in due if str(known) != str(answered)]
        if not due:
            break
    return tuple(due)


def _listen(held: HeldSession, seconds: float) -> None:
    """Let so many seconds pass; what comes is in the recording."""
    deque(held.during(seconds), maxlen=0)
