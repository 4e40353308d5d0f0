"""Any order of events against a server that changes its list at any moment, and a model of what a reader may see.

DIAGNOSE_TEST_STEPS sets how many steps are taken, 5,000 by default; 100,000 take about a minute.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from diagnose.freshness import (
    Backoff,
    CatalogueSession,
    ListPage,
    Polling,
    RefreshFailed,
    RefreshPolicy,
    Swapped,
    WakeAt,
)
from diagnose.wire.message import RpcErrorBody
from diagnose.wire.paging import WalkFailure

STEPS_A_RUN = 50
STEPS = int(os.environ.get("DIAGNOSE_TEST_STEPS", "5000"))

BAD_CURSOR = RpcErrorBody(code=-32602, message="Invalid cursor")
BROKEN = RpcErrorBody(code=-32603, message="boom")
GONE = WalkFailure(rule="timed-out", message="no answer")
CHANCE = [0.0, 0.5, 0.999]
#: How many tools a list has; two fit a page.
SIZES = st.sampled_from([5, 3, 1])


@dataclass
class Server:
    """A server whose list has a version that never comes back, in pages of two tools.

    A signal is heard before any answer of the newer list; answers written before may come after it.
    """

    version: int = 0
    sizes: list[int] = field(default_factory=lambda: [3])
    ttl: int = 0

    def change(self, size: int) -> None:
        self.version += 1
        self.sizes.append(size)

    def names(self, version: int) -> tuple[str, ...]:
        # A tool that stays in every version, so that pages of two versions can be joined without a trace.
        return ("pick", *(f"{version}-{number}" for number in range(1, self.sizes[version])))

    def page(self, cursor: str | None) -> dict[str, Any]:
        start = int(cursor or "0")
        names = self.names(self.version)
        following = {"nextCursor": str(start + 2)} if len(names) > start + 2 else {}
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names[start : start + 2]]
        return {"tools": tools, "ttlMs": self.ttl, "_version": self.version, **following}


class Reader(RuleBasedStateMachine):
    """One session, driven in every way; a second one that is never touched."""

    met: ClassVar[set[str]] = set()

    @initialize(
        ttl=st.sampled_from([0, 3_000]),
        hold=st.booleans(),
        closed=st.booleans(),
        poll=st.booleans(),
        chance=st.sampled_from(CHANCE),
        size=SIZES,
    )
    def begin(self, ttl: int, hold: bool, closed: bool, poll: bool, chance: float, size: int) -> None:
        self.policy = RefreshPolicy(
            while_refreshing="hold" if hold else "serve",
            after_failure="refuse" if closed else "serve",
            polling=Polling(delays=Backoff(first=5, longest=20)) if poll else None,
        )
        self.server = Server(ttl=ttl, sizes=[size])
        self.now = 0.0
        self.session = CatalogueSession(self.policy, chance=lambda: chance)
        self.bystander = CatalogueSession(chance=lambda: chance)
        self.bystander_status = self.bystander.status(0)
        self.cursors: dict[int, str | None] = {}
        self.out: list[int] = []  # requests that the server has not answered
        self.on_the_way: list[tuple[int, dict[str, Any]]] = []  # answers that nobody has received yet
        self.newest: int | None = None  # the request that the session waits for, by the model
        self.alarm: float | None = None
        self.walks = 0
        self.shown: tuple[str, ...] | None = None
        self.shown_version = -1
        self.failed = False
        self.connected = False
        self.connect()

    def do(self, actions: tuple[Any, ...]) -> None:
        for action in actions:
            if isinstance(action, ListPage):
                self.cursors[action.ticket] = action.cursor
                self.out.append(action.ticket)
                self.newest = action.ticket
                if action.cursor is None:
                    self.walks += 1
            elif isinstance(action, WakeAt):
                assert action.at >= self.now
                self.alarm = action.at
            elif isinstance(action, Swapped):
                self.swapped(action)
            elif isinstance(action, RefreshFailed):
                assert action.retry_at > self.now
                self.failed = True
        assert sum(isinstance(action, ListPage) for action in actions) <= 1

    def swapped(self, action: Swapped) -> None:
        versions = {page.result["_version"] for page in action.new.pages}
        assert len(versions) == 1, "pages of two lists were joined"
        (version,) = versions
        assert action.new.surface.names == self.server.names(version), "a list that was not complete"
        assert version >= self.shown_version, "an older list took the place of a newer one"
        assert (None if action.old is None else action.old.surface.names) == self.shown
        self.met.update((f"a list of {len(action.new.pages)} pages", f"a list read for {action.reason}"))
        self.shown, self.shown_version, self.failed = action.new.surface.names, version, False

    @precondition(lambda self: not self.connected)
    @rule()
    def reconnect(self) -> None:
        self.connect()

    def connect(self) -> None:
        self.connected = True
        self.do(self.session.connected(self.now))
        self.do(self.session.channel_opened(self.now))
        assert self.newest is not None

    @precondition(lambda self: self.connected)
    @rule(really=st.sampled_from([False, False, True]))
    def disconnect(self, really: bool) -> None:
        if not really:
            return
        self.connected = False
        self.on_the_way.clear()  # what was under way on a connection that ended never comes
        self.out.clear()
        self.newest = None
        self.do(self.session.disconnected())

    @precondition(lambda self: self.newest is not None and self.cursors[self.newest] is not None)
    @rule(size=SIZES)
    def change_between_two_pages(self, size: int) -> None:
        self.change_and_tell(size, 1)

    @precondition(lambda self: self.connected)
    @rule(size=SIZES, signals=st.integers(1, 3))
    def change_and_tell(self, size: int, signals: int) -> None:
        self.server.change(size)
        walks = self.walks
        idle = self.session.status(self.now).reason is None
        for _ in range(signals):
            self.do(self.session.signal(self.now))
        assert self.walks - walks == int(idle), "several signals are one reason"

    @precondition(lambda self: not self.connected)
    @rule(size=SIZES)
    def change_while_nobody_hears(self, size: int) -> None:
        self.server.change(size)

    @precondition(lambda self: self.connected)
    @rule()
    def signal_without_a_change(self) -> None:
        self.do(self.session.signal(self.now))

    @precondition(lambda self: self.newest is not None and self.newest in self.out)
    @rule()
    def server_answers_at_once(self) -> None:
        ticket = self.newest
        assert ticket is not None
        self.out.remove(ticket)
        result = self.server.page(self.cursors[ticket])
        self.settle(ticket, lambda: self.session.answer(ticket, result, 10, self.now))

    @precondition(lambda self: any(ticket != self.newest for ticket in self.out))
    @rule()
    def server_answers_too_late(self) -> None:
        ticket = next(ticket for ticket in self.out if ticket != self.newest)
        self.out.remove(ticket)
        result = self.server.page(self.cursors[ticket])
        self.settle(ticket, lambda: self.session.answer(ticket, result, 10, self.now))

    @rule(data=st.data())
    def server_answers(self, data: st.DataObject) -> None:
        if self.out:
            ticket = self.out.pop(data.draw(st.integers(0, len(self.out) - 1)))
            self.on_the_way.append((ticket, self.server.page(self.cursors[ticket])))

    @rule(data=st.data())
    def an_answer_arrives(self, data: st.DataObject) -> None:
        """Answers overtake each other; one that nobody waits for changes nothing."""
        if self.on_the_way:
            ticket, result = self.on_the_way.pop(data.draw(st.integers(0, len(self.on_the_way) - 1)))
            self.settle(ticket, lambda: self.session.answer(ticket, result, 10, self.now))

    @rule(data=st.data(), error=st.sampled_from([BAD_CURSOR, BROKEN]))
    def server_refuses(self, data: st.DataObject, error: RpcErrorBody) -> None:
        if self.out:
            self.refuse(self.out.pop(data.draw(st.integers(0, len(self.out) - 1))), error)

    def refuse(self, ticket: int, error: RpcErrorBody) -> None:
        self.settle(ticket, lambda: self.session.refused(ticket, error, self.now))

    @rule()
    def time_out(self) -> None:
        """The driver stops waiting; the answer may still come."""
        if self.newest is not None:
            ticket = self.newest
            self.settle(ticket, lambda: self.session.lost(ticket, GONE, self.now))

    def settle(self, ticket: int, told: Callable[[], tuple[Any, ...]]) -> None:
        """Hand in the end of a request."""
        awaited = ticket == self.newest
        before = (self.shown, self.session.status(self.now))
        if awaited:
            self.newest = None
        several = self.cursors[ticket] is not None
        actions = told()
        self.do(actions)
        anew = any(isinstance(action, ListPage) and action.cursor is None for action in actions)
        if several and anew and not any(isinstance(action, Swapped) for action in actions):
            self.met.add("a walk of several pages is given up")
        if not awaited:
            self.met.add("an answer is late")
            assert before == (self.shown, self.session.status(self.now)), "a late answer changed something"

    @rule(seconds=st.sampled_from([0.0, 0.1, 1.0, 4.0, 30.0]))
    def time_goes_by(self, seconds: float) -> None:
        self.now += seconds
        if self.alarm is not None and self.now >= self.alarm:
            self.alarm = None
            self.do(self.session.wake(self.now))

    @rule()
    def wake_for_nothing(self) -> None:
        self.do(self.session.wake(self.now))

    @rule()
    def a_reader_needs_it(self) -> None:
        state = self.session.status(self.now).state
        walks = self.walks
        self.do(self.session.need(self.now))
        assert self.walks - walks == int(state == "stale" and self.connected)

    @rule()
    def somebody_asks(self) -> None:
        self.do(self.session.refresh(self.now))
        assert not self.connected or self.newest is not None

    @invariant()
    def readers_see_the_last_whole_list_or_nothing(self) -> None:
        if not hasattr(self, "session"):
            return
        catalogue = self.session.catalogue
        seen = None if catalogue is None else catalogue.surface.names
        closed = self.failed and self.policy.after_failure == "refuse"
        assert seen == (None if closed else self.shown)

    @invariant()
    def the_status_is_true(self) -> None:
        if not hasattr(self, "session"):
            return
        status = self.session.status(self.now)
        assert (status.failure is not None) == self.failed
        assert (status.state == "refreshing") <= (self.newest is not None or status.next_at is not None)
        assert self.newest is None or status.state == "refreshing"
        if status.state in {"fresh", "watched"} and self.connected:
            assert self.shown_version == self.server.version, "an old list is taken for a current one"
        if status.state == "fresh":
            assert 0 < status.ttl_left <= self.server.ttl / 1000
        assert not self.connected or status.state not in {"empty", "closed"}
        assert status.state != "failed" or not self.connected or status.next_at is not None, "nobody tries again"

    @invariant()
    def routes_lead_to_one_whole_list(self) -> None:
        if not hasattr(self, "session"):
            return
        status = self.session.status(self.now)
        route = self.session.route("pick", self.now)
        if route.allowed:
            assert route.catalogue is self.session.catalogue
            assert (route.doubt is None) == (status.state in {"fresh", "watched"})
        else:
            waiting = self.shown is None or (status.state == "refreshing" and self.policy.while_refreshing == "hold")
            assert waiting or (self.failed and self.policy.after_failure == "refuse")
        assert self.session.route("prune", self.now).why != None  # noqa: E711

    @invariant()
    def nobody_else_is_touched(self) -> None:
        if hasattr(self, "bystander"):
            assert self.bystander.status(0) == self.bystander_status

    def teardown(self) -> None:
        """Left in peace, a connected session ends with the list that the server has."""
        if not getattr(self, "connected", False):
            return
        written = dict(self.on_the_way)
        for _ in range(200):
            if self.newest is not None:
                ticket, self.newest = self.newest, None
                result = written.get(ticket) or self.server.page(self.cursors[ticket])
                self.do(self.session.answer(ticket, result, 10, self.now))
            elif self.session.status(self.now).reason is not None:
                assert self.alarm is not None
                self.now = max(self.now, self.alarm)
                self.do(self.session.wake(self.now))
            else:
                break
        assert self.shown == self.server.names(self.server.version)


@pytest.mark.timeout(120 + STEPS // 100)
def test_any_order_of_events() -> None:
    run_state_machine_as_test(
        Reader,
        settings=settings(
            max_examples=max(1, STEPS // STEPS_A_RUN),
            stateful_step_count=STEPS_A_RUN,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def read_all(machine: Reader) -> None:
    """Let the server answer until nobody asks or means to."""
    while machine.newest is not None or machine.session.status(machine.now).reason is not None:
        if machine.newest is not None:
            machine.server_answers_at_once()
        else:
            machine.time_goes_by(1.0)


def test_the_machine_can_come_to_what_it_is_to_try() -> None:
    """Chance decides where a run of the machine goes, so that it may come there is shown by hand."""
    machine = Reader()
    machine.begin(ttl=0, hold=False, closed=False, poll=False, chance=0.5, size=5)
    read_all(machine)
    assert machine.met >= {"a list of 3 pages", "a list read for connected"}

    machine.met.clear()
    machine.change_and_tell(size=5, signals=1)
    machine.server_answers_at_once()
    machine.refuse(machine.out.pop(), BAD_CURSOR)
    read_all(machine)
    assert machine.met >= {"a walk of several pages is given up", "a list read for signal"}

    machine.met.clear()
    machine.signal_without_a_change()
    machine.time_out()
    machine.time_goes_by(30.0)
    machine.server_answers_too_late()
    read_all(machine)
    machine.teardown()
    assert machine.met >= {"a list read for retry", "an answer is late"}
