"""One session's catalogue of tools, kept current: a state machine that is told what came and says what to do. Sans-IO.

The rules (MCP 2026-07-28, server/utilities/caching and pagination):

* A signal makes the catalogue outdated at once, whatever its TTL says.
* A consistent list is read from its beginning, in one walk, and put in place only when it is complete: nobody ever sees
  pages of two walks side by side.
* Signals during a walk make exactly one more walk necessary, however many they are. The pages that came before one may be
  of another list than those after it, so that a walk of several pages is then given up.
* One request is out at a time, known by a ticket. An answer to an older one is late, and changes nothing.
* A TTL that has run out makes the catalogue stale; it is read anew when somebody needs it, not before.

Everything that the machine knows of time and chance is handed in. It is not for several threads at once, but `catalogue`
may be read by any: it is one immutable value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from diagnose.freshness.actions import Action, Disregarded, Reason, RefreshFailed, Swapped, WakeAt
from diagnose.freshness.catalogue import Catalogue, is_torn, torn_for_sure
from diagnose.freshness.policy import RefreshPolicy
from diagnose.freshness.reading import Reading
from diagnose.freshness.status import Route, State, Status, route
from diagnose.surface import JsonError, Surface
from diagnose.wire.message import RpcErrorBody
from diagnose.wire.paging import WalkFailure

Actions: TypeAlias = tuple[Action, ...]


class CatalogueSession:
    """Keeps the tool catalogue of one session with one server, for one authorization.

    Each method that returns actions tells the machine what happened, and is told what to do about it, in order::

        session = CatalogueSession(chance=random.random)
        todo = session.connected(clock(), capabilities=capabilities)
        # ListPage: send it, then call answer, refused or lost with its ticket. WakeAt: call wake then.
        # Swapped, RefreshFailed, Disregarded: for people and logs.

    ``now`` is in seconds of any monotonic clock; ``chance`` gives random numbers from 0 to below 1. Sessions know nothing
    of each other: a signal on one leaves every other as it is.
    """

    def __init__(self, policy: RefreshPolicy | None = None, *, chance: Callable[[], float]) -> None:
        self.policy = policy or RefreshPolicy()
        self._chance = chance
        self._actions: list[Action] = []
        self._handshake: tuple[str | None, Mapping[str, Any] | None] = (None, None)
        self._connected = self._closed = self._hearing = self._outdated = False
        self._last: Catalogue | None = None
        self._failure: WalkFailure | None = None
        self._reading: Reading | None = None
        self._reason: Reason = "connected"
        self._torn: list[Any] | None = None
        self._ticket = self._signals = self._refreshes = 0
        self._disturbed = self._failures = self._quiet = 0
        self._due: float | None = None
        self._poll_at: float | None = None
        self._alarm: float | None = None

    @property
    def catalogue(self) -> Catalogue | None:
        """The catalogue to use: the last complete one; None while there is none, or where the policy fails closed."""
        return None if self._failure is not None and self.policy.after_failure == "refuse" else self._last

    def status(self, now: float) -> Status:
        """Return how the session stands."""
        return Status(
            state=self._state(now),
            catalogue=self._last,
            outdated=self._outdated,
            reason=None if self._reading is None and self._due is None else self._reason,
            failure=self._failure,
            disturbed=self._disturbed,
            ttl_left=0.0 if self._last is None or self._outdated else max(0.0, self._last.fresh_until - now),
            next_at=self._next_at,
            signals=self._signals,
            refreshes=self._refreshes,
        )

    def route(self, name: str, now: float, *, held: str | None = None) -> Route:
        """Answer whether a caller may choose the tool of this name now, and why not.

        ``held`` is the digest of the definition that the caller chose by, if it did: a tool that has another one by now
        is not the tool that was chosen. A similar name is never offered instead.
        """
        return route(self.status(now), self.policy, name, held)

    def connected(
        self, now: float, *, instructions: str | None = None, capabilities: Mapping[str, Any] | None = None
    ) -> Actions:
        """Tell that the session was opened, or opened again: what was listed before may be old, and is read anew."""
        self._connected, self._closed = True, False
        self._handshake = (instructions, capabilities)
        self._outdated = self._last is not None
        self._begin(now, "connected")
        return self._told()

    def disconnected(self) -> Actions:
        """Tell that the connection is lost: no answer will come, and no signal. The last complete catalogue stays."""
        self._connected = self._hearing = False
        self._due = self._poll_at = self._reading = None
        return self._told()

    def close(self) -> Actions:
        """Tell that the session is over."""
        self._closed = True
        return self.disconnected()

    def channel_opened(self, now: float) -> Actions:
        """Tell that signals can be heard from now on, on a stream or on stdio.

        What changed between the list and this moment was told to nobody: a list that is older is read once more.
        """
        if not self._hearing:
            self._hearing = True
            if self._reading is not None:
                self._reading.again = self._reading.again or "channel"
            elif self._last is not None and self._due is None:
                self._begin(now, "channel")
        return self._told()

    def channel_closed(self) -> Actions:
        """Tell that signals can no longer be heard."""
        self._hearing = False
        return self._told()

    def signal(self, now: float) -> Actions:
        """Tell that `notifications/tools/list_changed` has come."""
        self._signals += 1
        self._outdated = True
        if self._reading is not None:
            self._reading.again = "signal"
        elif self._due is None:  # else what this one announces will be in the list that is due already
            self._begin(now, "signal")
        return self._told()

    def need(self, now: float) -> Actions:
        """Tell that a reader is about to use the catalogue: it is read anew if it is stale."""
        if self._state(now) == "stale":
            self._begin(now, "expired")
        return self._told()

    def refresh(self, now: float) -> Actions:
        """Tell that somebody asks for the list to be read. One that is being read is not begun again."""
        if self._reading is None:
            self._begin(now, "requested")
        return self._told()

    def wake(self, now: float) -> Actions:
        """Tell that the time of a `WakeAt` has come."""
        if self._due is not None and now >= self._due:
            self._begin(now, self._reason)
        elif self._due is None and self._poll_at is not None and now >= self._poll_at:
            self._begin(now, "poll")
        self._alarm = None
        return self._told()

    def answer(self, ticket: int, result: Any, size: int, now: float) -> Actions:
        """Hand in the result of a request and its size in bytes."""
        reading = self._awaiting(ticket)
        if reading is not None:
            progress = reading.feed(result, size, now)
            if reading.failure is not None:
                self._fail(now, reading.failure)
            elif reading.is_overtaken:
                self._disturb(now, reading)
            elif progress == "asking":
                self._ask(now, reading)
            elif self._is_torn(reading):
                self._disturb(now, reading)
            else:
                self._complete(now, reading)
        return self._told()

    def refused(self, ticket: int, error: RpcErrorBody, now: float) -> Actions:
        """Hand in an error answer. A cursor that is refused drops every page, and the list is read from its beginning."""
        reading = self._awaiting(ticket)
        if reading is not None:
            reading.refuse(error)
            if reading.failure is not None:
                self._fail(now, reading.failure)
            else:
                self._ask(now, reading)
        return self._told()

    def lost(self, ticket: int, failure: WalkFailure, now: float) -> Actions:
        """Tell that a request will not be waited for any longer: it timed out, or could not be sent."""
        if self._awaiting(ticket) is not None:
            self._fail(now, failure)
        return self._told()

    def _begin(self, now: float, reason: Reason) -> None:
        """Read the list from its beginning; an answer that is still to come will be late."""
        if self._connected:
            self._due = self._poll_at = None
            self._reason = reason
            self._refreshes += 1
            self._reading = Reading(reason, self.policy.limits)
            self._ask(now, self._reading)

    def _ask(self, now: float, reading: Reading) -> None:
        self._ticket += 1
        self._actions.append(reading.ask(self._ticket, now))

    def _awaiting(self, ticket: int) -> Reading | None:
        if self._reading is not None and self._reading.awaits(ticket):
            return self._reading
        self._actions.append(Disregarded(ticket=ticket))
        return None

    def _is_torn(self, reading: Reading) -> bool:
        """Tell whether the pages are of different lists. What two walks in a row agree on is how the list is."""
        if not is_torn(reading.pages):
            return False
        before, self._torn = self._torn, reading.tools
        return torn_for_sure(reading.pages) or before != reading.tools

    def _disturb(self, now: float, reading: Reading) -> None:
        """Give up a walk under which the list has changed."""
        if self._disturbed < self.policy.max_disturbed:
            self._once_more(now, reading)
            return
        message = f"the list changed while it was read, {self._disturbed + 1} times in a row"
        self._fail(now, WalkFailure(rule="unsettled", message=message, args={"walks": self._disturbed + 1}))

    def _once_more(self, now: float, reading: Reading) -> None:
        """Read the list again for what was told under the last walk: at once, and the next times with more patience."""
        self._reading = None
        self._disturbed += 1
        reason = reading.again or reading.reason
        if self._disturbed == 1:
            self._begin(now, reason)
        else:
            self._reason = reason
            self._due = now + self.policy.settle.delay(self._disturbed - 2, self._chance())

    def _complete(self, now: float, reading: Reading) -> None:
        try:
            surface = Surface.of(reading.tools, *self._handshake)
        except JsonError as error:
            failure = WalkFailure(rule="limit-exceeded", message=str(error), args={"reason": error.reason})
            self._fail(now, failure)
            return
        self._swap(surface, reading)
        if reading.again == "signal":
            self._once_more(now, reading)
        elif reading.again is not None:
            self._begin(now, reading.again)
        else:
            self._disturbed = 0
            self._plan_poll(now)

    def _swap(self, surface: Surface, reading: Reading) -> None:
        """Put a new catalogue in the place of the old one, in one step."""
        old = self._last
        generation = 1 if old is None else old.generation + 1
        self._last = Catalogue(generation=generation, surface=surface, pages=tuple(reading.pages))
        same = old is not None and old.surface.digest == surface.digest
        self._quiet = self._quiet + 1 if same and reading.reason == "poll" else 0
        self._outdated = reading.again == "signal"
        self._reading = self._failure = self._torn = None
        self._failures = 0
        self._actions.append(Swapped(old=old, new=self._last, reason=reading.reason))

    def _fail(self, now: float, failure: WalkFailure) -> None:
        self._reading = self._torn = None
        self._failure = failure
        self._due = now + self.policy.retry.delay(self._failures, self._chance())
        self._failures += 1
        self._disturbed = 0
        self._actions.append(RefreshFailed(failure=failure, reason=self._reason, retry_at=self._due))
        self._reason = "retry"

    def _plan_poll(self, now: float) -> None:
        polling, last = self.policy.polling, self._last
        if polling is not None and last is not None:
            chance = self._chance()
            self._poll_at = polling.due(now=now, fresh_until=last.fresh_until, quiet=self._quiet, chance=chance)

    @property
    def _next_at(self) -> float | None:
        return self._poll_at if self._due is None else self._due

    def _state(self, now: float) -> State:
        if self._closed:
            return "closed"
        if self._reading is not None or (self._due is not None and self._failure is None):
            return "refreshing"
        if self._failure is not None:
            return "failed"
        if self._last is None:
            return "empty"
        return "stale" if self._outdated else self._standing(self._last, now)

    def _standing(self, catalogue: Catalogue, now: float) -> State:
        if now < catalogue.fresh_until:
            return "fresh"
        # A list that is older than the channel is being read once more: here it is not.
        return "watched" if self._hearing and catalogue.ttl_ms == 0 else "stale"

    def _told(self) -> Actions:
        """Return what is to be done, with the next alarm where it is a new one."""
        told, self._actions = self._actions, []
        if self._next_at is not None and self._next_at != self._alarm:
            told.append(WakeAt(at=self._next_at))
        self._alarm = self._next_at
        return tuple(told)
