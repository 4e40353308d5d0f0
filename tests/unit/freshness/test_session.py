"""The refresh of a session's catalogue, told as sequences of what happens and what is to be done."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.freshness import (
    Backoff,
    CatalogueSession,
    Disregarded,
    ListPage,
    Polling,
    RefreshFailed,
    RefreshPolicy,
    Swapped,
    WakeAt,
)
from diagnose.wire.message import RpcErrorBody
from diagnose.wire.paging import WalkFailure

TIMED_OUT = WalkFailure(rule="timed-out", message="no answer within 10 s")
BROKEN = RpcErrorBody(code=-32603, message="boom")
BAD_CURSOR = RpcErrorBody(code=-32602, message="Invalid cursor")


def page(*names: str, ttl: Any = None, **more: Any) -> dict[str, Any]:
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return {"tools": tools, **({} if ttl is None else {"ttlMs": ttl}), **more}


class Driver:
    """Drives a session and keeps what it asks for; `now` is moved by the test."""

    def __init__(self, policy: RefreshPolicy | None = None, chance: float = 0.0) -> None:
        self.now = 100.0
        self.session = CatalogueSession(policy, chance=lambda: chance)
        self.asked: list[ListPage] = []
        self.told: list[Any] = []
        self.wake_at: float | None = None
        self(self.session.connected(self.now))

    def __call__(self, actions: Any) -> list[Any]:
        new = list(actions)
        self.told += new
        self.asked += [each for each in new if isinstance(each, ListPage)]
        for each in new:
            if isinstance(each, WakeAt):
                self.wake_at = each.at
        return new

    @property
    def ticket(self) -> int:
        return self.asked[-1].ticket

    @property
    def names(self) -> tuple[str, ...] | None:
        catalogue = self.session.catalogue
        return None if catalogue is None else catalogue.surface.names

    @property
    def state(self) -> str:
        return self.session.status(self.now).state

    def answer(self, result: Any, ticket: int | None = None) -> list[Any]:
        return self(self.session.answer(ticket or self.ticket, result, 10, self.now))

    def refuse(self, error: RpcErrorBody) -> list[Any]:
        return self(self.session.refused(self.ticket, error, self.now))

    def lose(self) -> list[Any]:
        return self(self.session.lost(self.ticket, TIMED_OUT, self.now))

    def signal(self) -> list[Any]:
        return self(self.session.signal(self.now))

    def wake(self) -> list[Any]:
        assert self.wake_at is not None
        self.now = self.wake_at
        return self(self.session.wake(self.now))

    def why(self, name: str, **more: Any) -> str | None:
        return self.session.route(name, self.now, **more).why


def loaded(*names: str, policy: RefreshPolicy | None = None, **more: Any) -> Driver:
    driver = Driver(policy)
    driver.answer(page(*(names or ("a", "b")), **more))
    return driver


def test_a_list_of_several_pages_is_put_in_place_when_it_is_complete() -> None:
    driver = Driver()
    assert (driver.state, driver.names, driver.asked[0].cursor) == ("refreshing", None, None)
    assert driver.answer(page("a", nextCursor=""))[0].params == {"cursor": ""}
    assert driver.names is None
    (swapped,) = driver.answer(page("b"))
    assert isinstance(swapped, Swapped)
    assert (swapped.old, swapped.new.generation, driver.names) == (None, 1, ("a", "b"))


def test_a_signal_ends_the_ttl_and_the_old_list_stays_until_the_new_one_is_whole() -> None:
    driver = loaded("a", ttl=60_000)
    assert driver.state == "fresh"
    (asked,) = driver.signal()
    assert (asked.cursor, driver.state, driver.session.status(driver.now).ttl_left) == (None, "refreshing", 0.0)
    driver.answer(page("b", nextCursor="c", ttl=60_000))
    assert driver.names == ("a",)
    driver.answer(page("c", ttl=60_000))
    assert (driver.names, driver.state) == (("b", "c"), "fresh")


@pytest.mark.parametrize("signals", [1, 5])
def test_signals_during_a_refresh_cause_exactly_one_more(signals: int) -> None:
    driver = loaded("a")
    driver.signal()
    for _ in range(signals):
        assert driver.signal() == []
    swapped, again = driver.answer(page("b"))
    assert isinstance(swapped, Swapped)
    assert isinstance(again, ListPage)
    assert driver.answer(page("c"))[1:] == []
    assert (driver.names, len(driver.asked)) == (("c",), 3)


def test_a_walk_of_several_pages_that_a_signal_overtook_is_given_up_and_never_seen() -> None:
    driver = loaded("a")
    driver.signal()
    driver.answer(page("new", nextCursor="c"))
    driver.signal()
    (asked,) = driver.answer(page("newer"))
    assert (asked.cursor, driver.names) == (None, ("a",))
    driver.answer(page("newest"))
    assert driver.names == ("newest",)


def test_after_a_walk_was_overtaken_the_rest_of_its_pages_is_not_asked_for() -> None:
    driver = loaded("a")
    driver.signal()
    driver.signal()
    (asked,) = driver.answer(page("new", nextCursor="c"))
    assert (asked.cursor, driver.names) == (None, ("a",))


def test_a_slower_older_answer_changes_nothing() -> None:
    driver = loaded("a")
    driver.signal()
    slow = driver.ticket
    driver.lose()
    driver.wake()
    driver.answer(page("new"))
    assert driver.answer(page("old"), ticket=slow) == [Disregarded(ticket=slow)]
    assert driver.names == ("new",)


def test_an_answer_counts_once() -> None:
    driver = loaded("a")
    assert driver.answer(page("b")) == [Disregarded(ticket=driver.ticket)]
    assert driver.names == ("a",)


def test_an_answer_that_comes_back_after_a_reconnect_is_late() -> None:
    driver = Driver()
    old = driver.ticket
    driver(driver.session.disconnected())
    assert driver.answer(page("old"), ticket=old) == [Disregarded(ticket=old)]
    driver(driver.session.connected(driver.now))
    assert driver.answer(page("old"), ticket=old) == [Disregarded(ticket=old)]
    driver.answer(page("new"))
    assert driver.names == ("new",)


def test_on_failure_the_last_complete_list_stays_and_the_status_says_so() -> None:
    driver = loaded("a")
    driver.signal()
    failed, _ = driver.refuse(BROKEN)
    assert isinstance(failed, RefreshFailed)
    assert (failed.failure.code, failed.reason) == (-32603, "signal")
    assert (driver.names, driver.state) == (("a",), "failed")
    assert driver.session.status(driver.now).failure == failed.failure
    route = driver.session.route("a", driver.now)
    assert (route.allowed, route.doubt) == (True, "failed")


def test_a_policy_may_fail_closed() -> None:
    driver = loaded("a", policy=RefreshPolicy(after_failure="refuse"))
    driver.signal()
    driver.lose()
    assert (driver.names, driver.why("a")) == (None, "refresh-failed")
    assert driver.session.status(driver.now).catalogue is not None
    driver.wake()
    driver.answer(page("a"))
    assert (driver.names, driver.why("a")) == (("a",), None)


def test_failures_are_tried_again_with_more_and_more_patience() -> None:
    driver = Driver(RefreshPolicy(retry=Backoff(first=1, longest=4)))
    delays = []
    for _ in range(4):
        driver.lose()
        delays.append(driver.wake_at - driver.now)
        driver.wake()
    assert delays == [1, 2, 4, 4]
    driver.answer(page("a"))
    driver.signal()
    driver.lose()
    assert driver.wake_at - driver.now == 1


def test_a_signal_does_not_shorten_the_wait_after_a_failure() -> None:
    driver = loaded("a")
    driver.signal()
    driver.lose()
    assert driver.signal() == []
    assert isinstance(driver.wake()[0], ListPage)


def test_a_wake_that_is_too_early_asks_for_another() -> None:
    driver = Driver()
    driver.lose()
    assert driver(driver.session.wake(driver.wake_at - 0.1)) == [WakeAt(at=driver.wake_at)]


def test_a_refused_cursor_drops_every_page() -> None:
    driver = loaded("a", ttl=1)
    driver.signal()
    driver.answer(page("b", nextCursor="c", ttl=60_000))
    driver.now += 10
    (asked,) = driver.refuse(BAD_CURSOR)
    assert asked.cursor is None
    driver.answer(page("x", ttl=60_000))
    assert driver.names == ("x",)
    assert [each.received for each in driver.session.catalogue.pages] == [110.0]


def test_the_first_page_that_expires_makes_the_whole_list_stale_and_it_is_read_when_needed() -> None:
    driver = Driver()
    driver.answer(page("a", ttl=5_000, nextCursor="c"))
    driver.now += 1
    driver.answer(page("b", ttl=60_000))
    assert driver.wake_at is None
    driver.now = 104.999
    assert (driver(driver.session.need(driver.now)), driver.state) == ([], "fresh")
    driver.now = 105.0
    assert driver.state == "stale"
    (asked,) = driver(driver.session.need(driver.now))
    assert asked.cursor is None
    assert driver(driver.session.need(driver.now)) == []


def test_a_list_that_is_only_stale_may_be_used_while_it_is_read_again() -> None:
    driver = loaded("a", ttl=5_000)
    driver.now += 6
    driver(driver.session.need(driver.now))
    route = driver.session.route("a", driver.now)
    assert (route.allowed, route.doubt) == (True, "refreshing")


def test_without_a_ttl_an_open_channel_vouches_for_the_list_that_was_read_after_it() -> None:
    driver = Driver()
    driver(driver.session.channel_opened(driver.now))
    driver.answer(page("a"))  # asked before the channel was open
    driver.answer(page("a"))
    assert (len(driver.asked), driver.state) == (2, "watched")
    driver(driver.session.channel_closed())
    assert driver.state == "stale"


def test_an_explicit_ttl_ends_although_a_channel_is_open() -> None:
    driver = Driver()
    driver(driver.session.channel_opened(driver.now))
    driver.answer(page("a", ttl=1_000))
    driver.answer(page("a", ttl=1_000))
    driver.now += 2
    assert driver.state == "stale"


def test_a_list_older_than_the_channel_is_read_once_more() -> None:
    driver = loaded("a")
    (asked,) = driver(driver.session.channel_opened(driver.now))
    assert asked.cursor is None
    assert driver(driver.session.channel_opened(driver.now)) == []
    assert driver.why("a") is None  # nothing says that it is old
    assert len(driver.answer(page("a"))) == 1


def test_the_channel_does_not_shorten_the_wait_after_a_failure() -> None:
    driver = loaded("a")
    driver(driver.session.refresh(driver.now))
    driver.lose()
    assert driver(driver.session.channel_opened(driver.now)) == []


def test_a_signal_overtakes_a_walk_although_the_channel_opens_after_it() -> None:
    driver = Driver()
    driver.answer(page("a", nextCursor="c"))
    driver.signal()
    driver(driver.session.channel_opened(driver.now))
    (asked,) = driver.answer(page("b"))
    assert (asked.cursor, driver.names) == (None, None)


def test_the_channel_opening_during_a_walk_does_not_tear_it() -> None:
    driver = Driver()
    driver(driver.session.channel_opened(driver.now))
    driver.answer(page("a", nextCursor="c"))
    swapped, asked = driver.answer(page("b"))
    assert isinstance(swapped, Swapped)
    assert asked.cursor is None


def test_who_may_choose_a_tool() -> None:
    driver = Driver()
    assert driver.why("a") == "no-catalogue"
    driver.answer(page("a", "twin", "twin"))
    route = driver.session.route("a", driver.now)
    assert route.tool is route.catalogue.surface.tools[0]
    assert driver.why("a", held=route.tool.digest) is None
    assert driver.why("a", held="0" * 64) == "definition-changed"
    assert driver.why("A") == "unknown-tool"
    assert driver.why("twin") == "ambiguous-name"
    driver.signal()
    assert driver.why("a") == "refreshing"
    driver(driver.session.close())
    assert driver.why("a") == "closed"


def test_a_session_that_could_never_list_says_why() -> None:
    driver = Driver()
    driver.lose()
    assert driver.why("a") == "refresh-failed"


def test_a_policy_may_serve_while_refreshing() -> None:
    driver = loaded("a", policy=RefreshPolicy(while_refreshing="serve"))
    driver.signal()
    assert driver.session.route("a", driver.now).doubt == "refreshing"


def test_signals_without_end_are_answered_with_more_and_more_patience_and_hold_nobody_for_ever() -> None:
    driver = loaded("a", policy=RefreshPolicy(settle=Backoff(first=1, longest=4)))
    delays = []
    driver.signal()
    for turn in range(6):
        driver.signal()
        driver.answer(page("a"))
        assert driver.names == ("a",)
        if turn == 0:
            assert driver.why("a") == "refreshing"
        else:
            assert driver.why("a") is None
            delays.append(driver.wake_at - driver.now)
            assert driver.signal() == []  # told by the list that is due
            driver.wake()
    assert delays == [1, 2, 4, 4, 4]
    driver.answer(page("b"))
    assert (driver.state, driver.names) == ("stale", ("b",))
    driver.signal()
    driver.signal()
    assert isinstance(driver.answer(page("c"))[-1], ListPage)  # and with no patience, once it has settled


def test_a_list_that_never_settles_fails_and_the_last_whole_one_stays() -> None:
    driver = loaded("a", policy=RefreshPolicy(max_disturbed=2))
    driver.signal()
    for _ in range(3):
        if driver.session.status(driver.now).next_at is not None:
            driver.wake()
        driver.answer(page("x", nextCursor="c"))
        driver.signal()
        driver.answer(page("y"))
    failed, _ = driver.told[-2:]
    assert (failed.failure.rule, failed.failure.args) == ("unsettled", {"walks": 3})
    assert (driver.names, driver.state) == (("a",), "failed")


def test_pages_that_advertise_different_revisions_are_never_joined() -> None:
    def revised(name: str, revision: str, **more: Any) -> dict[str, Any]:
        return page(name, _meta={"meridian/toolManifest": {"revision": revision}}, **more)

    driver = Driver()
    driver.answer(revised("a", "1", nextCursor="c"))
    (asked,) = driver.answer(revised("b", "2"))
    assert (asked.cursor, driver.names) == (None, None)
    driver.answer(revised("a", "2", nextCursor="c"))
    driver.answer(revised("b", "2"))
    assert driver.names == ("a", "b")


def test_a_name_on_two_pages_is_believed_once_two_walks_agree() -> None:
    driver = Driver()
    driver.answer(page("a", nextCursor="c"))
    driver.answer(page("a"))
    assert driver.names is None
    driver.answer(page("a", nextCursor="c"))
    driver.answer(page("a"))
    assert (driver.names, driver.why("a")) == (("a", "a"), "ambiguous-name")


def test_a_definition_that_is_nested_too_deeply_is_a_failure() -> None:
    deep: Any = {}
    for _ in range(200):
        deep = {"x": deep}
    driver = loaded("a")
    driver.signal()
    failed, _ = driver.answer({"tools": [{"name": "b", "inputSchema": deep}]})
    assert (failed.failure.rule, driver.names) == ("limit-exceeded", ("a",))


def test_polls_keep_their_own_delay_and_begin_after_the_ttl() -> None:
    polling = Polling(delays=Backoff(first=10, longest=40, spread=0))
    driver = loaded("a", ttl=60_000, policy=RefreshPolicy(polling=polling))
    assert driver.wake_at == 170.0
    due = []
    for _ in range(3):
        driver.wake()
        driver.answer(page("a"))
        due.append(driver.wake_at - driver.now)
    assert due == [20, 40, 40]
    driver.wake()
    driver.answer(page("b"))
    assert driver.wake_at - driver.now == 10
    driver.wake()
    driver.answer(page("b"))
    assert driver.wake_at - driver.now == 20
    driver.signal()
    driver.answer(page("b"))
    assert driver.wake_at - driver.now == 10  # what is signalled is no quiet list, even if nothing has changed


def test_who_tests_the_hints_may_poll_within_the_ttl() -> None:
    polling = Polling(delays=Backoff(first=10, longest=10), within_ttl=True)
    driver = loaded("a", ttl=60_000, policy=RefreshPolicy(polling=polling))
    assert driver.wake_at == 110.0


def test_a_signal_takes_the_place_of_a_poll() -> None:
    driver = loaded("a", policy=RefreshPolicy(polling=Polling(delays=Backoff(first=10, longest=10))))
    driver.signal()
    assert driver(driver.session.wake(driver.now + 20)) == []
    driver.answer(page("a"))
    assert driver.wake_at == 110.0


def test_somebody_may_ask_for_the_list_also_while_a_retry_is_awaited() -> None:
    driver = Driver()
    driver.lose()
    (asked,) = driver(driver.session.refresh(driver.now))
    assert isinstance(asked, ListPage)
    assert driver(driver.session.refresh(driver.now)) == []


def test_a_lost_connection_keeps_the_list_and_a_new_one_reads_it_again() -> None:
    driver = loaded("a", ttl=60_000)
    driver(driver.session.disconnected())
    assert (driver.names, driver.state) == (("a",), "fresh")
    assert driver(driver.session.refresh(driver.now)) == []
    (asked,) = driver(driver.session.connected(driver.now, instructions="new"))
    assert (asked.cursor, driver.why("a")) == (None, "refreshing")
    driver.answer(page("a", ttl=60_000))
    assert driver.session.catalogue.surface.instructions == "new"


def test_a_refresh_that_the_end_of_a_connection_cut_off_leaves_the_list_outdated() -> None:
    driver = loaded("a", ttl=60_000)
    driver.signal()
    driver(driver.session.disconnected())
    assert (driver.names, driver.state) == (("a",), "stale")


def test_one_session_knows_nothing_of_another() -> None:
    one, other = loaded("a", ttl=60_000), loaded("a", ttl=60_000)
    before = other.session.status(other.now)
    one.signal()
    one.answer(page("b"))
    assert other.session.status(other.now) == before
