"""Holds a session and shows how its tool list changes: what was told, what was found, and when nothing could be heard.

The catalogue is kept as `diagnose.freshness` says that any client should keep it; this is only its driver, with the real
clock and a real session.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.freshness import (
    Action,
    Backoff,
    CatalogueSession,
    ListPage,
    Polling,
    RefreshFailed,
    RefreshPolicy,
    Swapped,
    WakeAt,
)
from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.connection import Connection, connect
from diagnose.jobs.target import TargetSpec
from diagnose.jobs.watching import EventKind, Standing, WatchEvent
from diagnose.observe.heard import Heard
from diagnose.observe.listing import LIST
from diagnose.observe.refusal import RpcError
from diagnose.surface import difference
from diagnose.wire.paging import WalkFailure

#: How often the list is read although nobody has called it old, where no interval was asked for: a server that tells
#: of nothing would else never be found out. Only once the TTL has run out.
QUIET_POLLS: Final = Polling(delays=Backoff(first=20.0, longest=300.0))
#: How long until a lost session is begun anew, in seconds.
RENEWALS: Final = Backoff(first=0.5, longest=60.0)
#: How long the list is put off until signals can be heard, in seconds.
EARS: Final = 2.0
#: The longest time without a look at the clock, in seconds; a view of the standing is as old as that.
TICK: Final = 0.5
#: What a watch without an end has as its deadline, in seconds.
FOREVER: Final = 10 * 366 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """What to watch and how long: ``seconds`` (None: without end), ``poll`` seconds, or until the first change."""

    spec: TargetSpec
    options: ConnectOptions
    seconds: float | None = None
    poll: float | None = None
    until_change: bool = False


def watch(request: WatchRequest, around: Surroundings) -> Iterator[WatchEvent]:
    """Yield what happens, as it happens, and in between how it stands (events of the kind `tick`).

    Raises `ObservationError` where the first session cannot be opened, `CredentialRefusedError` whenever the credential is
    refused, `UsageError` for what is wrong on our side.
    """
    limit = FOREVER if request.seconds is None else request.seconds + 2 * request.options.timeout
    with connect(request.spec, replace(request.options, deadline=limit), around) as connection:
        for note in connection.notes:
            around.note(note)
        watching = _Watch(request, connection, around.now)
        try:
            yield from watching.events()
        finally:
            watching.close()


class _Watch:
    """One watch of one server."""

    def __init__(self, request: WatchRequest, connection: Connection, now: Callable[[], str]) -> None:
        self.request = request
        self._now = now
        self._start = time.monotonic()
        self._told: deque[WatchEvent] = deque()
        self._todo: deque[Action] = deque()
        self._catalogue = CatalogueSession(_policy(request.poll), chance=random.random)
        self._wake: float | None = None
        self._renew_at: float | None = None
        self._renewals = 0
        self._closed_at: float | None = None
        self._changes = 0
        self._heeded = 0
        self._held = connection.hold()

    def events(self) -> Iterator[WatchEvent]:
        """Yield what happens until the watch is over; the last event says why it is."""
        self._connected()
        while True:
            self._work()
            while self._told:
                event = self._told.popleft()
                yield event
                if event.kind == "changed" and self.request.until_change:
                    yield self._event("ended", why="the list has changed")
                    return
            if self._is_over():
                yield self._event("ended", why="the time is over")
                return
            self._listen()
            if not self._told:
                yield self._event("tick")

    def close(self) -> None:
        """Leave the server."""
        self._held.close()

    def _is_over(self) -> bool:
        return self.request.seconds is not None and self._clock() >= self.request.seconds

    def _clock(self) -> float:
        return time.monotonic() - self._start

    # What is to be done.

    def _listen(self) -> None:
        """Wait for what comes first: something on the session, or the time to do something."""
        due = [at for at in (self._wake, self._renew_at, self.request.seconds) if at is not None]
        heard = self._held.wait(max(0.0, min([TICK, *(at - self._clock() for at in due)])))
        if heard is not None:
            self._take(heard)
        if self._renew_at is not None and self._clock() >= self._renew_at:
            self._renew()
        if self._wake is not None and self._clock() >= self._wake:
            self._wake = None
            self._todo += self._catalogue.wake(self._clock())

    def _work(self) -> None:
        """Do what the catalogue asks for."""
        while self._todo:
            match self._todo.popleft():
                case ListPage() as page:
                    self._fetch(page)
                case WakeAt(at=at):
                    self._wake = at
                case Swapped() as swapped:
                    self._swapped(swapped)
                case RefreshFailed() as failed:
                    again_in = None if failed.retry_at is None else failed.retry_at - self._clock()
                    self._tell("failed", rule=failed.failure.rule, why=failed.failure.message, again_in=again_in)

    def _fetch(self, page: ListPage) -> None:
        try:
            reply = self._held.session.request(LIST, page.params)
        except CredentialRefusedError:
            raise
        except ObservationError as error:
            lost = self._held.is_lost(error)
            self._overhear()
            if isinstance(error, RpcError) and not lost:
                self._todo += self._catalogue.refused(page.ticket, error.body, self._clock())
            elif not lost:
                failure = WalkFailure(rule=error.rule, message=str(error))
                self._todo += self._catalogue.lost(page.ticket, failure, self._clock())
            return
        # What was told while the page was on its way counts before the page does.
        self._overhear()
        self._todo += self._catalogue.answer(page.ticket, reply.result, reply.size, self._clock())

    def _overhear(self) -> None:
        while (heard := self._held.wait(0)) is not None:
            self._take(heard)

    # What happens.

    def _take(self, heard: Heard) -> None:
        match heard.kind:
            case "open":
                self._todo += self._catalogue.channel_opened(self._clock())
                deaf = None if self._closed_at is None else self._clock() - self._closed_at
                self._tell("channel-open", deaf_for=deaf)
                self._closed_at = None
            case "closed" | "absent":
                self._todo += self._catalogue.channel_closed()
                self._closed_at = self._clock() if self._closed_at is None else self._closed_at
                kind: EventKind = "channel-closed" if heard.kind == "closed" else "channel-absent"
                self._tell(kind, why=heard.why, again_in=heard.again_in)
            case "gone":
                self._lost(heard.why)
            case "notice" if heard.is_signal:
                self._todo += self._catalogue.signal(self._clock())
                self._tell("signal")

    def _connected(self) -> None:
        """Begin with a session: first listen, then list, so that no change can fall between the two."""
        session = self._held.session
        self._tell("connected")
        self._held.wait_until_listening(EARS)
        self._overhear()
        if self._held.lost is None:
            self._todo += self._catalogue.connected(
                self._clock(), instructions=session.instructions, capabilities=session.capabilities
            )

    def _lost(self, why: str) -> None:
        self._todo.clear()
        self._catalogue.disconnected()
        self._wake = None
        self._closed_at = self._clock() if self._closed_at is None else self._closed_at
        delay = RENEWALS.delay(self._renewals, random.random())  # noqa: S311 - spreads clients, hides nothing
        self._renewals += 1
        self._renew_at = self._clock() + delay
        self._tell("lost", why=why, again_in=delay)

    def _renew(self) -> None:
        self._renew_at = None
        try:
            self._held.renew()
        except CredentialRefusedError:
            raise
        except ObservationError as error:
            self._lost(str(error))
        else:
            self._renewals = 0
            self._connected()

    def _swapped(self, swapped: Swapped) -> None:
        signals, self._heeded = self._heeded, self._catalogue.status(self._clock()).signals
        if swapped.old is None:
            self._tell("listed", reason=swapped.reason)
            return
        changes = difference(swapped.old.surface, swapped.new.surface)
        if changes:
            self._changes += 1
            announced = self._heeded > signals
            self._tell("changed", reason=swapped.reason, changes=changes, announced=announced)
        else:
            self._tell("unchanged", reason=swapped.reason)

    # How it is told.

    def _tell(self, kind: EventKind, **facts: Any) -> None:
        self._told.append(self._event(kind, **facts))

    def _event(self, kind: EventKind, **facts: Any) -> WatchEvent:
        return WatchEvent(kind=kind, at=self._now(), t=self._clock(), standing=self._standing(), **facts)

    def _standing(self) -> Standing:
        now = self._clock()
        return Standing.of(self._catalogue.status(now), self._held, now=now, changes=self._changes)


def _policy(poll: float | None) -> RefreshPolicy:
    """Return how the list is kept current; who asks for an interval wants to know also whether the TTL is kept."""
    if poll is None:
        return RefreshPolicy(polling=QUIET_POLLS)
    return RefreshPolicy(
        polling=Polling(delays=Backoff(first=poll, longest=poll, factor=1.0, spread=0.1), within_ttl=True)
    )
