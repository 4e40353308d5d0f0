"""What is beside tags and directives: resources, subscriptions, processes, policies, and whatever else may come."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from unit.judge.timeline.play import MODERN, STARTED, Play

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.recording import Recording
from diagnose.judge.trust.judge import judge_state, trust_in, witnessed
from diagnose.statesync import Declaration, format_invalidation
from diagnose.wire.subscription import ACKNOWLEDGED, SUBSCRIPTION_ID

from .books import (
    FIXED,
    GET,
    READS,
    REFUND,
    TAG,
    UPDATED,
    Body,
    Books,
    books,
    changed,
    declared,
    found,
    judged,
    manifest,
    resource,
    subscribed,
    tool,
)
from .test_recordings import SESSIONS


def test_who_has_unsubscribed_need_not_be_told() -> None:
    play = resource(subscribed(books()), "a")
    play.asks("resources/unsubscribe", {"uri": "invoice://7"}).result()
    assert found(resource(play.does("billing.refund", TAG), "b")) == set()


def test_what_changed_before_the_subscription_need_not_be_told() -> None:
    play = resource(subscribed(resource(books(), "a").does("billing.refund", TAG)), "b")
    assert found(play) == set()


def test_a_list_that_moves_within_its_ttl_is_told_of_in_either_era() -> None:
    play = Books().handshake(list_changed=None).lists(GET, REFUND, ttlMs=300_000)
    assert "list-kept-too-long" in found(play.lists(GET, ttlMs=300_000))
    play = Books().handshake(list_changed=None).lists(GET, REFUND, ttlMs=300_000)
    assert "list-kept-too-long" not in found(play.lists(GET, REFUND, ttlMs=300_000))


def test_what_a_tool_does_is_read_off_its_description_where_its_name_says_nothing() -> None:
    def grouped(text: str) -> Body:
        action = {"type": "string", "enum": ["peek", "wipe"]}
        schema = {"type": "object", "properties": {"action": action}, "required": ["action"]}
        annotations = {"readOnlyHint": False, "destructiveHint": True}
        return {"name": "sheets", "description": text, "inputSchema": schema, "annotations": annotations}

    def read_twice(text: str) -> Books:
        play = Books().opened(grouped(text), FIXED).reads("sheets", "a", action="peek")
        return play.does("sheets", "ok", action="wipe").reads("sheets", "b", action="peek")

    said = "- 'peek': {} one sheet\n- 'wipe': Clear one sheet [DESTRUCTIVE]"
    assert "answer-changed-unannounced" in found(read_twice(said.format("Reads")))
    assert "answer-changed-unannounced" not in found(read_twice(said.format("Stamps")))


def test_a_resource_is_to_be_gone_by_until_an_update_a_domain_or_its_ttl_ends_that() -> None:
    def trusted(play: Play) -> list[tuple[str, str | None]]:
        told = trust_in([witnessed(play.recording)])
        return [(entry["state"], entry["endedBy"]) for entry in told if entry["kind"] == "read"]

    assert trusted(resource(subscribed(books()), "a")) == [("holds", None)]
    assert trusted(resource(subscribed(books()), "a").stale("invoice://7")) == [("stale", "notification")]
    assert trusted(resource(resource(books(), "a"), "b")) == [("stale", "changed"), ("holds", None)]
    listed = books().asks("resources/list").result(resources=[{"uri": "invoice://7", "name": "billing.invoice"}])
    assert isinstance(listed, Books)
    assert trusted(resource(listed, "a").does("billing.refund", TAG)) == [("stale", "tag")]
    modern = Books("http", version=MODERN).handshake(list_changed=None).lists(GET)
    body = {"contents": [{"uri": "invoice://7", "text": "a"}], "cacheScope": "private"}
    modern.asks("resources/read", {"uri": "invoice://7"}).result(**body, ttlMs=1000)
    modern.asks("resources/read", {"uri": "invoice://7"}).result(**body, ttlMs=0)
    assert trusted(modern) == [("holds", None), ("never-kept", None)]
    assert isinstance(modern, Books)
    modern.wait(2)
    assert trusted(modern.reads("billing.get", "x")) == [("stale", "expired"), ("never-kept", None)]


def test_what_another_process_was_told_is_no_ground_of_a_call() -> None:
    play = changed(books(), TAG).starts()
    assert isinstance(play, Books)
    play.handshake(list_changed=None).lists(GET, REFUND, FIXED)
    assert "stale-answer-used" not in found(play.does("billing.refund", TAG).does("billing.refund", TAG))


def limits(play: Play, policy: Declaration | None = None) -> list[str]:
    return [limit for limit in judged(play, policy).verdict.limits if limit.startswith("Whether")]


def test_a_read_beside_a_change_that_nobody_tried_is_told_of() -> None:
    narrow = format_invalidation("billing.refund", ["billing.open"])
    tools = (GET, REFUND, tool("billing.open", **READS), FIXED)
    (told,) = limits(books(*tools).does("billing.refund", narrow))
    assert told.startswith("Whether billing.get still holds after billing.refund is not known")
    assert limits(changed(books(*tools), narrow)) == []
    assert limits(books(*tools).does("billing.refund", TAG)) == []


def test_a_server_that_shows_a_manifest_and_no_more_is_held_to_that() -> None:
    plain = Books().opened(GET, REFUND)
    body = manifest("get", "refund").lines[-1]["message"]["result"]
    play = plain.asks("resources/read", {"uri": "vurb://manifest.json"}).result(**body)
    diagnosis = judged(play)
    assert (diagnosis.verdict.state, diagnosis.exit_code) == ("in-sync", 0)


def test_what_a_policy_would_not_do_is_told_beside_the_verdict() -> None:
    policy = Declaration(separator=".")
    policy.query("billing.*").cached()
    policy.mutation("billing.refund").invalidates("billing.*")
    policy.query("payroll.*").cached()
    diagnosis = judged(books(tool("billing.get", "immutable", **READS), REFUND), policy)
    told = [limit for limit in diagnosis.verdict.limits if limit.startswith("The policy")]
    assert told == [
        "The policy: policy[1] (billing.refund) never matches: what it fits is taken by policy[0] (billing.*).",
        "The policy: policy[2] (payroll.*) matches no tool that is listed.",
    ]


def test_a_subscription_is_held_to_how_it_is_acknowledged() -> None:
    lines = [json.loads(line) for line in (SESSIONS / "08-listen-inert-list-hints.jsonl").read_bytes().splitlines()]

    def told(change: Callable[[Body], bool]) -> set[str]:
        kept = [line for line in copy.deepcopy(lines) if change(line.get("message") or {})]
        line = witnessed(Recording.of_objects(kept))
        target = Target(id="x", transport="http", endpoint="x")
        diagnosis = judge_state(Bundle(created_at=STARTED, target=target), [line])
        return {finding.rule for finding in diagnosis.findings} - {"list-scope-differs"}

    def renamed(message: Body) -> bool:
        if message.get("method") == ACKNOWLEDGED:
            message["params"]["_meta"][SUBSCRIPTION_ID] = "another"
        return True

    def exceeded(message: Body) -> bool:
        if message.get("method") == ACKNOWLEDGED:
            message["params"]["notifications"] = {"resourceSubscriptions": ["invoice://inv_7", "invoice://inv_8"]}
        return True

    assert told(lambda _: True) == {"listen-inert"}
    assert told(lambda message: message.get("method") != ACKNOWLEDGED) == {"listen-inert"}
    assert told(renamed) == {"listen-inert", "listen-wrong-id"}
    assert told(exceeded) == {"listen-inert", "listen-filter-exceeded"}


def test_an_update_against_the_schema_is_no_silence_as_well() -> None:
    play = resource(subscribed(books()), "a")
    play.write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": "invoice://7"})
    assert found(resource(play, "b")) == {"update-malformed"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(TAG) | st.just("billing.get"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "uri", "arguments", "content", "text", "type", "tools", "description", "resources"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
METHODS = st.sampled_from(
    ["tools/call", "tools/list", "resources/read", "resources/list", "resources/subscribe", UPDATED, "prompts/get"]
)
EVENTS = st.lists(st.tuples(METHODS, JSON, JSON, st.booleans()), max_size=8)


@settings(max_examples=60, deadline=None)
@given(events=EVENTS)
def test_whatever_comes_is_read_and_judged(events: list[tuple[str, Any, Any, bool]]) -> None:
    play = books()
    for method, params, result, answered in events:
        number = len(play.lines)
        told = {"jsonrpc": "2.0", "method": method, "params": params}
        if method == UPDATED:
            play.write("server", message=told)
            continue
        play.write("client", message={**told, "id": number})
        if answered:
            play.write("server", message={"jsonrpc": "2.0", "id": number, "result": result})
    found(play, declared())
    found(play)
    trust_in([witnessed(Recording.of_objects(play.lines))])


def test_lists_of_callers_who_take_turns_are_compared_with_their_own() -> None:
    def play(scope: str, *again: Body) -> Books:
        told = Books("http", version=MODERN, principal="a")
        hints = {"ttlMs": 300_000, "cacheScope": scope}
        told.handshake(list_changed=None).lists(GET, REFUND, **hints)
        told.principal = "b"
        told.handshake(list_changed=None).lists(GET, **hints)
        told.principal = "a"
        told.lists(*again, **hints)
        return told

    assert "list-kept-too-long" not in found(play("private", GET, REFUND))
    assert "list-kept-too-long" in found(play("private", REFUND))
    assert "list-kept-too-long" in found(play("public", GET, REFUND))
