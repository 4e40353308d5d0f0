"""Walks over paged lists: every way in which one can end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from diagnose.wire.message import RpcErrorBody
from diagnose.wire.paging import MAX_EXPIRED, MAX_SIGNALS, Limits, Walk

BAD_CURSOR = RpcErrorBody(code=-32602, message="Invalid cursor")


def tools(*names):
    return [{"name": name} for name in names]


def page(*names, **more):
    return {"tools": tools(*names), **more}


def walk(*pages, limits=None):
    """Feed pages until the walk is over; each must be asked for."""
    made = Walk(limits)
    for each in pages:
        assert made.progress == "asking"
        made.feed(each, 10)
    return made


def test_one_page():
    made = walk(page("a", "b"))
    assert (made.progress, made.tools) == ("complete", tools("a", "b"))


@pytest.mark.parametrize("end", [{}, {"nextCursor": None}])
def test_the_end_is_a_cursor_that_is_absent_or_null(end):
    assert walk(page("a", nextCursor="c"), page("b", **end)).progress == "complete"


def test_cursors_are_sent_as_they_came():
    made = Walk()
    assert made.params == {}
    made.feed(page("a", nextCursor="  é\ud800 "), 1)
    assert made.params == {"cursor": "  é\ud800 "}


def test_the_empty_string_is_a_cursor():
    made = Walk()
    made.feed(page("a", nextCursor=""), 1)
    assert made.progress == "asking"
    assert made.params == {"cursor": ""}
    made.feed(page("b"), 1)
    assert (made.progress, made.tools) == ("complete", tools("a", "b"))


@pytest.mark.parametrize(
    "pages",
    [
        [page("a", nextCursor=""), page("a", nextCursor="")],
        [page("a", nextCursor=""), page("a")],
        [page("a", nextCursor="c"), page("b", nextCursor=""), page("a", nextCursor="c")],
        [page("a", nextCursor=""), page("b", nextCursor="")],
    ],
)
def test_an_empty_string_that_was_meant_as_the_end(pages):
    made = walk(*pages)
    assert (made.progress, made.failure.rule) == ("failed", "cursor-empty-string")


@pytest.mark.parametrize(
    ("pages", "repeats"),
    [
        ([page("a", nextCursor="c"), page("b", nextCursor="c")], "cursor"),
        ([page("a", nextCursor="c"), page("b", nextCursor="d"), page("x", nextCursor="c")], "cursor"),
        ([page("a", nextCursor="1"), page("a", nextCursor="2")], "page"),
        ([page("a", nextCursor="1"), page("b", nextCursor="2"), page("a", nextCursor="3")], "page"),
        ([page(nextCursor="c"), page(nextCursor="c")], "cursor"),
    ],
)
def test_a_walk_without_end(pages, repeats):
    made = walk(*pages)
    assert (made.failure.rule, made.failure.args["repeats"]) == ("cursor-loop", repeats)
    assert made.failure.args["pages"] == len(pages)


def test_a_page_that_differs_in_a_definition_is_another_page():
    first = {"tools": [{"name": "a", "description": "x"}], "nextCursor": "1"}
    second = {"tools": [{"name": "a", "description": "y"}], "nextCursor": "2"}
    assert walk(first, second).progress == "asking"


def test_a_last_page_that_repeats_ends_the_walk_all_the_same():
    assert walk(page("a", nextCursor="c"), page("a")).progress == "complete"


def test_empty_pages_are_no_loop():
    assert walk(page(nextCursor="1"), page(nextCursor="2"), page("a")).progress == "complete"


@pytest.mark.parametrize("result", [None, [], "x", {}, {"tools": None}, {"tools": "a"}, {"tools": {}}])
def test_what_is_no_page(result):
    made = walk(result)
    assert (made.failure.rule, made.tools) == ("list-error", [])


@pytest.mark.parametrize("cursor", [1, 1.5, True, {}, []])
def test_a_cursor_that_is_no_text(cursor):
    assert walk(page("a", nextCursor=cursor)).failure.rule == "list-error"


def test_entries_that_are_no_tools_are_kept():
    entries = [None, 5, "x", {"name": None}, [1]]
    assert walk({"tools": entries}).tools == entries


def test_a_refused_cursor_restarts_the_walk_twice_and_no_more():
    made = Walk()
    for turn in range(MAX_EXPIRED + 1):
        made.feed(page("a", nextCursor=f"c{turn}"), 1)
        assert made.params == {"cursor": f"c{turn}"}
        made.refuse(BAD_CURSOR)
        assert made.params == {} or made.progress == "failed"
    assert (made.progress, made.failure.rule, made.failure.code) == ("failed", "cursor-rejected", -32602)
    assert made.tools == tools("a")  # what was seen last is evidence


def test_after_a_restart_the_same_cursors_and_pages_are_new():
    made = Walk()
    made.feed(page("a", nextCursor="c"), 1)
    made.refuse(BAD_CURSOR)
    assert made.feed(page("a", nextCursor="c"), 1) == "asking"
    made.feed(page("b"), 1)
    assert (made.progress, made.tools, made.expired) == ("complete", tools("a", "b"), 1)


@pytest.mark.parametrize(
    "error",
    [
        RpcErrorBody(code=-32602, message=""),
        RpcErrorBody(code=-32600, message=""),
        RpcErrorBody(code=-1, message="Cursor has expired"),
    ],
)
def test_refusals_that_are_about_the_cursor(error):
    made = walk(page("a", nextCursor="c"))
    assert made.refuse(error) == "asking"


@pytest.mark.parametrize("code", [-32601, -32603, None])
def test_other_errors_end_the_walk(code):
    made = walk(page("a", nextCursor="c"))
    made.refuse(RpcErrorBody(code=code, message="boom"))
    assert (made.failure.rule, made.failure.code) == ("list-error", code)


def test_a_refusal_of_the_first_page_is_not_about_a_cursor():
    made = Walk()
    made.refuse(BAD_CURSOR)
    assert made.failure.rule == "list-error"


def test_a_signal_restarts_the_walk():
    made = walk(page("a", nextCursor="c"))
    made.signal()
    made.feed(page("b"), 1)
    assert (made.progress, made.params) == ("asking", {})
    made.feed(page("a", "b"), 1)
    assert (made.progress, made.tools, made.signals) == ("complete", tools("a", "b"), 1)


def test_signals_without_end_do_not_keep_a_walk_from_ending():
    made = Walk()
    turns = 0
    while made.progress == "asking":
        made.signal()
        made.feed(page("a"), 1)
        turns += 1
    assert (made.progress, turns) == ("complete", MAX_SIGNALS + 1)


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (Limits(max_pages=3), "max_pages"),
        (Limits(max_tools=5), "max_tools"),
        (Limits(max_bytes=25), "max_bytes"),
    ],
)
def test_limits_end_the_walk(limits, name):
    made = Walk(limits)
    number = 0
    while made.progress == "asking":
        number += 1
        made.feed(page(f"a{number}", f"b{number}", nextCursor=str(number)), 10)
    assert (made.failure.rule, made.failure.args["limit"]) == ("limit-exceeded", name)
    assert number == 3


@given(st.lists(st.lists(st.text(max_size=3), max_size=3), min_size=1, max_size=6))
def test_any_honest_list_is_read_whole(pages):
    made = Walk()
    for number, names in enumerate(pages):
        last = number == len(pages) - 1
        # A definition of its own for each page: pages that repeat are another test.
        entries = [{"name": name, "description": str(number)} for name in names]
        made.feed({"tools": entries} | ({} if last else {"nextCursor": str(number)}), 1)
    assert made.progress == "complete"
    assert [tool["name"] for tool in made.tools] == [name for names in pages for name in names]


class Conversation(RuleBasedStateMachine):
    """A walk against a server that may do anything: it must end, and never ask much more than it needs."""

    @initialize(limit=st.integers(1, 12))
    def begin(self, limit):
        self.walk = Walk(Limits(max_pages=limit, max_tools=60))
        self.limit = limit
        self.requests = 0
        self.issued = []

    def going(self):
        return self.walk.progress == "asking"

    @precondition(lambda self: self.going())
    @rule(names=st.lists(st.sampled_from("abc"), max_size=3), cursor=st.none() | st.sampled_from(["", "1", "2", "3"]))
    def answer(self, names, cursor):
        if self.walk.params:
            assert self.walk.params["cursor"] in self.issued
        self.requests += 1
        self.issued.append(cursor)
        self.walk.feed(page(*names, nextCursor=cursor), 1)

    @precondition(lambda self: self.going())
    @rule(code=st.sampled_from([-32602, -32603, None]))
    def refuse(self, code):
        self.requests += 1
        self.walk.refuse(RpcErrorBody(code=code, message=""))

    @precondition(lambda self: self.going())
    @rule()
    def signal(self):
        self.walk.signal()

    @precondition(lambda self: not self.going())
    @rule()
    def nothing_more(self):
        assert self.walk.progress in {"complete", "failed"}

    @invariant()
    def it_is_bounded(self):
        if hasattr(self, "walk"):
            attempts = 1 + MAX_EXPIRED + MAX_SIGNALS
            assert self.requests <= attempts * (self.limit + 1)
            assert len(self.walk.pages) <= self.limit
            # Four cursors exist: the fifth page at the latest repeats one of them.
            assert len(self.walk.pages) <= 5

    @invariant()
    def it_has_failed_or_not(self):
        if hasattr(self, "walk"):
            assert (self.walk.failure is not None) == (self.walk.progress == "failed")


TestConversation = Conversation.TestCase
TestConversation.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
