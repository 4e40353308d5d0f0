"""The cache: who is served what, and for how long; at the end, any order of events against the rules in short."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.freshness import Cache, CacheEntry

TOOLS = "tools/list"
TOOLS_CHANGED = "notifications/tools/list_changed"
ANN, BOB = "fp:ann", "fp:bob"


def answer(word: str = "x", ttl: int = 60_000, scope: str = "private", **more: Any) -> dict[str, Any]:
    return {"word": word, "ttlMs": ttl, "cacheScope": scope, **more}


def put(cache: Cache, result: dict[str, Any], *, at: float = 10.0, context: Hashable = ANN, **more: Any) -> Any:
    method, params = more.pop("method", TOOLS), more.pop("params", {})
    return cache.put(method, params, result, context=context, asked=at, received=at + 0.5, **more)


def word(
    cache: Cache,
    *,
    at: float = 11.0,
    context: Hashable = ANN,
    params: dict[str, Any] | None = None,
    method: str = TOOLS,
    **more: Any,
) -> Any:
    entry = cache.get(method, params or {}, context=context, now=at, **more)
    return None if entry is None else entry.result["word"]


def test_an_answer_is_served_for_its_ttl() -> None:
    cache = Cache()
    put(cache, answer(ttl=5_000))
    assert (word(cache, at=15.4), word(cache, at=15.5)) == ("x", None)
    assert word(cache, at=99.0, stale=True) == "x"


def test_a_private_answer_is_for_the_same_authorization_only() -> None:
    cache = Cache()
    put(cache, answer())
    assert (word(cache), word(cache, context=BOB), word(cache, context=None)) == ("x", None, None)


def test_a_public_answer_is_for_everybody() -> None:
    cache = Cache()
    put(cache, answer(scope="public"))
    assert (word(cache), word(cache, context=BOB), word(cache, context=None)) == ("x", "x", "x")


@pytest.mark.parametrize("scope", ["PUBLIC", "", None, 1, "shared"])
def test_any_other_scope_is_private(scope: Any) -> None:
    cache = Cache()
    put(cache, answer(scope=scope))
    assert (word(cache), word(cache, context=BOB)) == ("x", None)


def test_method_parameters_and_cursor_are_part_of_the_key() -> None:
    cache = Cache()
    put(cache, answer("first"))
    put(cache, answer("empty cursor"), params={"cursor": ""})
    put(cache, answer("one"), method="resources/read", params={"uri": "a:1"})
    assert word(cache) == word(cache, params={"cursor": None}) == "first"
    assert word(cache, params={"cursor": ""}) == "empty cursor"
    assert word(cache, params={"cursor": "c"}) is None
    assert word(cache, method="prompts/list") is None
    assert word(cache, method="resources/read", params={"uri": "a:1"}) == "one"
    assert word(cache, method="resources/read", params={"uri": "a:2"}) is None


def test_the_order_of_parameters_and_the_meta_of_a_request_do_not_count() -> None:
    cache = Cache()
    put(cache, answer(), params={"a": 1, "b": {"c": 2, "d": 3}, "_meta": {"progressToken": 1}})
    assert word(cache, params={"b": {"d": 3, "c": 2}, "a": 1, "_meta": {"progressToken": 2}}) == "x"


@pytest.mark.parametrize(
    ("method", "params", "result"),
    [
        ("tools/call", {}, {}),
        (TOOLS, {"inputResponses": {}}, {}),
        (TOOLS, {"requestState": "s"}, {}),
        (TOOLS, {"cursor": 5}, {}),
        (TOOLS, {}, {"resultType": "input_required"}),
    ],
)
def test_what_is_never_kept(method: str, params: dict[str, Any], result: dict[str, Any]) -> None:
    cache = Cache()
    assert put(cache, answer(**result), method=method, params=params) is None
    assert (word(cache, method=method, params=params, stale=True), len(cache)) == (None, 0)


def test_a_notification_beats_the_ttl() -> None:
    cache = Cache()
    put(cache, answer())
    cache.notified(TOOLS_CHANGED, {}, context=ANN, now=11)
    assert (word(cache, at=12), word(cache, at=12, stale=True)) == (None, "x")
    put(cache, answer("y"), at=13)
    assert word(cache, at=14) == "y"


def test_what_was_asked_before_a_notification_and_came_after_it_is_stale() -> None:
    cache = Cache()
    cache.notified(TOOLS_CHANGED, {}, context=ANN, now=11)
    stored = cache.put(TOOLS, {}, answer(), context=ANN, asked=10, received=12)
    assert isinstance(stored, CacheEntry)
    assert stored.invalidated
    assert word(cache, at=12.1) is None


def test_a_notification_is_about_its_own_kind_of_answer() -> None:
    cache = Cache()
    put(cache, answer("tools"))
    put(cache, answer("templates"), method="resources/templates/list")
    put(cache, answer("read"), method="resources/read", params={"uri": "a:1"})
    cache.notified("notifications/resources/list_changed", {}, context=ANN, now=11)
    cache.notified("notifications/progress", {}, context=ANN, now=11)
    assert word(cache, at=12) == "tools"
    assert word(cache, at=12, method="resources/templates/list") is None
    assert word(cache, at=12, method="resources/read", params={"uri": "a:1"}) == "read"


def test_an_update_is_about_one_resource() -> None:
    cache = Cache()
    for uri in ("a:1", "a:2"):
        put(cache, answer(uri), method="resources/read", params={"uri": uri})
    cache.notified("notifications/resources/updated", {"uri": "a:1"}, context=ANN, now=11)
    assert word(cache, at=12, method="resources/read", params={"uri": "a:1"}) is None
    assert word(cache, at=12, method="resources/read", params={"uri": "a:2"}) == "a:2"


def test_updates_of_resources_without_end_make_all_of_them_stale_and_fill_no_memory() -> None:
    cache = Cache(max_entries=10)
    put(cache, answer(), method="resources/read", params={"uri": "a:1"})
    for number in range(50):
        cache.notified("notifications/resources/updated", {"uri": f"b:{number}"}, context=ANN, now=11)
    assert word(cache, at=12, method="resources/read", params={"uri": "a:1"}) is None
    assert len(cache._told) < 20


def test_a_notification_to_one_caller_leaves_the_private_answers_of_others() -> None:
    cache = Cache()
    put(cache, answer("ann"))
    put(cache, answer("bob"), context=BOB)
    cache.notified(TOOLS_CHANGED, {}, context=ANN, now=11)
    assert (word(cache, at=12), word(cache, at=12, context=BOB)) == (None, "bob")


def test_a_notification_to_one_caller_makes_a_public_answer_stale_for_all() -> None:
    cache = Cache()
    put(cache, answer(scope="public"))
    cache.notified(TOOLS_CHANGED, {}, context=BOB, now=11)
    assert (word(cache, at=12), word(cache, at=12, context=BOB)) == (None, None)


def test_a_refused_cursor_drops_every_page_of_its_list_and_nothing_else() -> None:
    cache = Cache()
    for cursor in (None, "1", "2"):
        put(cache, answer(scope="public"), params={"cursor": cursor})
    put(cache, answer("bob"), context=BOB)
    put(cache, answer("prompts"), method="prompts/list")
    cache.cursor_refused(TOOLS, {"cursor": "1"}, context=ANN)
    assert [word(cache, params={"cursor": cursor}, stale=True) for cursor in (None, "1", "2")] == [None] * 3
    assert (word(cache, context=BOB), word(cache, method="prompts/list")) == ("bob", "prompts")


def test_a_slower_older_answer_never_replaces_a_newer_one() -> None:
    cache = Cache()
    put(cache, answer("new"), at=10)
    assert put(cache, answer("old"), at=9) is None
    assert put(cache, answer("old", scope="public"), at=9) is None
    assert word(cache) == "new"


def test_pages_that_disagree_about_their_scope_are_private() -> None:
    cache = Cache()
    put(cache, answer("1", scope="public"))
    put(cache, answer("2", scope="private"), params={"cursor": "c"}, at=11)
    put(cache, answer("3", scope="public"), params={"cursor": "d"}, at=12)
    seen = [word(cache, context=BOB, at=13, params={"cursor": cursor}) for cursor in (None, "c", "d")]
    assert seen == [None, None, None]
    assert word(cache, at=13, params={"cursor": "d"}) == "3"


def test_a_newer_public_answer_takes_the_place_of_a_private_one() -> None:
    cache = Cache()
    put(cache, answer("old"), at=10)
    put(cache, answer("new", scope="public"), at=20)
    assert (word(cache, at=21), len(cache)) == ("new", 1)


def test_a_private_answer_goes_before_what_others_were_told_is_public() -> None:
    cache = Cache()
    put(cache, answer("ann", ttl=5_000), at=10)
    put(cache, answer("all", scope="public"), at=12, context=BOB)
    assert (word(cache, at=13), word(cache, at=13, context=BOB)) == ("ann", "all")
    assert word(cache, at=16) == "all"
    put(cache, answer("newest", ttl=0, scope="public"), at=20, context=BOB)
    assert word(cache, at=90, stale=True) == "newest"


def test_what_is_kept_is_bounded_in_number_and_in_bytes() -> None:
    cache = Cache(max_entries=3, max_bytes=100)
    for number in range(5):
        put(cache, answer(str(number)), params={"cursor": str(number)}, size=10)
    assert [word(cache, params={"cursor": str(number)}) for number in range(5)] == [None, None, "2", "3", "4"]
    put(cache, answer("large"), size=85)
    assert (len(cache), word(cache)) == (2, "large")
    put(cache, answer("too large"), size=101)
    assert len(cache) == 0


def test_an_authorization_can_be_forgotten() -> None:
    cache = Cache()
    put(cache, answer())
    put(cache, answer("bob"), context=BOB)
    cache.notified(TOOLS_CHANGED, {}, context=ANN, now=11)
    cache.forget(ANN)
    assert (word(cache, stale=True), word(cache, context=BOB)) == (None, "bob")
    assert ANN not in {owner for _, owner in cache._told}


EVENTS = st.one_of(
    st.tuples(
        st.just("put"),
        st.sampled_from([ANN, BOB]),
        st.sampled_from([None, "c"]),
        st.sampled_from([0, 3_000, 8_000]),
        st.sampled_from(["public", "private"]),
        st.integers(0, 3),
    ),
    st.tuples(st.just("signal"), st.sampled_from([ANN, BOB])),
    st.tuples(st.just("refuse"), st.sampled_from([ANN, BOB]), st.sampled_from([None, "c"])),
)


@settings(max_examples=300)
@given(st.lists(EVENTS, max_size=25))
def test_whatever_happens_nobody_is_served_what_is_old_or_not_for_them(events: list[tuple[Any, ...]]) -> None:
    cache = Cache()
    signals: list[tuple[float, str]] = []
    for turn, event in enumerate(events):
        now = float(turn)
        if event[0] == "put":
            _, context, cursor, ttl, scope, delay = event
            mine = answer(context, ttl, scope, asked=now - delay, received=now, cursor=cursor)
            cache.put(TOOLS, {"cursor": cursor}, mine, context=context, asked=now - delay, received=now)
        elif event[0] == "signal":
            signals.append((now, event[1]))
            cache.notified(TOOLS_CHANGED, {}, context=event[1], now=now)
        else:
            cache.cursor_refused(TOOLS, {"cursor": event[2]}, context=event[1])
        for who in (ANN, BOB, None):
            for cursor in (None, "c"):
                served = cache.get(TOOLS, {"cursor": cursor}, context=who, now=now)
                if served is None:
                    continue
                told = served.result
                assert told["cursor"] == cursor
                assert now < told["received"] + told["ttlMs"] / 1000
                assert told["cacheScope"] == "public" or told["word"] == who
                assert all(at < told["asked"] or by != told["word"] for at, by in signals)
