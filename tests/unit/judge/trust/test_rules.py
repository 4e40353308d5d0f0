"""Each rule of state sync with a session that breaks it, and one beside it that does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from diagnose.judge.trust.judge import trust_in, witnessed
from diagnose.statesync import format_invalidation

from .books import (
    CHANGES,
    FIXED,
    GET,
    READS,
    REFUND,
    TAG,
    UPDATED,
    Books,
    announced,
    books,
    changed,
    declared,
    found,
    judged,
    manifest,
    modern,
    read_manifest,
    resource,
    subscribed,
    tool,
    with_resources,
)

if TYPE_CHECKING:
    from unit.judge.timeline.play import Play

CASES: dict[str, tuple[Callable[[], Play], Callable[[], Play]]] = {
    "answer-changed-unannounced": (lambda: changed(books()), lambda: changed(books(), TAG)),
    "failed-call-changed-state": (
        lambda: books().reads("billing.get", "a").does("billing.refund", "no", failed=True).reads("billing.get", "b"),
        lambda: books().reads("billing.get", "a").does("billing.refund", "no", failed=True).reads("billing.get", "a"),
    ),
    "immutable-mutation": (
        lambda: books(tool("billing.refund", "immutable", **CHANGES)),
        lambda: books(tool("billing.refund", "no-store", **CHANGES), FIXED),
    ),
    "directive-unstable": (
        lambda: books(tool("a.b", "no-store")).lists(tool("a.b", "immutable")),
        lambda: books(tool("a.b", "immutable")).lists(tool("a.b", "immutable"), tool("a.c")),
    ),
    "definition-lags": (
        lambda: books(tool("a.b", "immutable")).signals().lists(tool("a.b", "immutable")),
        lambda: books(tool("a.b", "immutable")).signals().lists(tool("a.b", "immutable", **CHANGES)),
    ),
    "invalidation-misplaced": (
        lambda: books().does("billing.refund", "done", TAG),
        lambda: books().does("billing.refund", TAG, f"{TAG} is what it says"),
    ),
    "invalidation-malformed": (
        lambda: books().does("billing.refund", format_invalidation("billing.void", ["billing.*"])),
        lambda: books(tool("billing_refund", **CHANGES)).does("billing_refund", TAG),
    ),
    "invalidation-forged": (
        lambda: books().reads("billing.get", "x", format_invalidation("billing.get", ["billing.*"])),
        lambda: books().reads("billing.get", f"The page quotes {TAG}"),
    ),
    "invalidation-on-error": (
        lambda: books().does("billing.refund", TAG, "no", failed=True),
        lambda: books().does("billing.refund", "<tool_error code='X'>no</tool_error>", failed=True),
    ),
    "invalidation-reaches-nothing": (
        lambda: books().does("billing.refund", format_invalidation("billing.refund", ["billing.*", "payroll.*"])),
        lambda: books().does("billing.refund", format_invalidation("billing.refund", ["**", "billing.get"])),
    ),
    "update-malformed": (
        lambda: books().write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": "invoice://7"}),
        lambda: books().stale("invoice://7"),
    ),
    "update-differs-from-tag": (
        lambda: announced("billing.get"),
        lambda: announced("billing.*"),
    ),
    "update-of-nothing": (
        lambda: books().stale("invoice://7"),
        lambda: subscribed(books()).stale("invoice://7"),
    ),
    "subscription-to-nothing": (
        lambda: subscribed(with_resources(books(), "invoice://8")),
        lambda: subscribed(with_resources(books(), "invoice://{id}")),
    ),
    "listen-inert": (
        lambda: resource(resource(subscribed(books()), "a").does("billing.refund", TAG), "b"),
        lambda: resource(resource(subscribed(books()), "a").stale("invoice://7"), "b"),
    ),
    "list-kept-too-long": (
        lambda: modern(ttlMs=60_000).lists(GET, ttlMs=60_000),
        lambda: modern(ttlMs=0).lists(GET, ttlMs=0),
    ),
    "list-hints-wrong": (lambda: modern(ttlMs=1.5), lambda: modern(ttlMs=0)),
    "stale-answer-used": (
        lambda: changed(books(), TAG).does("billing.refund", TAG).does("billing.refund", TAG),
        lambda: changed(books(), TAG).does("billing.refund", TAG),
    ),
    "manifest-leak": (lambda: manifest("get", "refund", "void"), lambda: manifest("get", "refund")),
    "manifest-malformed": (lambda: read_manifest({}), lambda: manifest("get")),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_broken_and_kept(rule: str) -> None:
    broken, kept = CASES[rule]
    assert rule in found(broken())
    assert rule not in found(kept())


def test_a_policy_is_held_to_each_tool_and_each_success() -> None:
    play = books(tool("billing.get", "immutable", **READS), REFUND)
    assert found(changed(play, TAG), declared()) == set()
    assert "directive-differs" in found(books(), declared())
    play = books(tool("billing.get", "immutable", **READS), REFUND)
    assert "invalidation-missing" in found(changed(play), declared())
    play = books(tool("billing.get", "immutable", **READS), REFUND).does("billing.refund", "no", failed=True)
    assert found(play, declared()) == set()


def test_what_changes_by_itself_is_no_promise_broken_unless_it_is_immutable() -> None:
    clock = (
        books()
        .reads("billing.get", "1")
        .reads("billing.get", "2")
        .does("billing.refund", "x")
        .reads("billing.get", "3")
    )
    assert found(clock) == set()
    assert "answer-changed-unannounced" in found(books().reads("reference.codes", "1").reads("reference.codes", "2"))


def test_a_prompt_may_change_state_and_says_nothing_of_it() -> None:
    play = books().reads("billing.get", "1")
    play.asks("prompts/get", {"name": "settle"}).result(messages=[])
    assert "answer-changed-unannounced" in found(play.reads("billing.get", "2"))


def test_a_process_that_starts_anew_may_have_another_state() -> None:
    play = books().starts()
    assert isinstance(play, Books)
    play.reads("reference.codes", "1").starts()
    play.handshake().lists(FIXED)
    assert found(play.reads("reference.codes", "2")) == set()


def test_the_answers_of_another_caller_are_not_compared() -> None:
    play = Books("http", principal="a")
    play.opened(GET, FIXED).reads("reference.codes", "1")
    play.principal = "b"
    play.handshake(session="fp:s2").lists(GET, FIXED)
    assert found(play.reads("reference.codes", "2")) == set()


def test_a_server_that_says_nothing_of_its_state_is_not_judged() -> None:
    diagnosis = judged(Books().opened(GET, REFUND).reads("billing.get", "1"))
    assert (diagnosis.verdict.state, diagnosis.exit_code) == ("inconclusive", 3)


def test_payloads_that_were_left_out_are_compared_by_what_stands_for_them() -> None:
    def omitted(mac: str) -> Any:
        return {"$omitted": {"bytes": 4, "mac": mac, "type": "string"}}

    def play(*macs: str) -> Books:
        books_of = books()
        for mac in macs:
            books_of.asks("tools/call", {"name": "reference.codes", "arguments": {"id": omitted("a")}})
            books_of.result(content=[{"type": "text", "text": omitted(mac)}])
        return books_of

    assert found(play("1", "1")) == set()
    assert found(play("1", "2")) == {"answer-changed-unannounced"}


def test_what_was_left_out_is_not_taken_for_missing() -> None:
    gone = {"$omitted": {"bytes": 4, "mac": "m", "type": "string"}}
    play = books().asks("resources/list").result(resources=gone)
    play.asks("resources/templates/list").result(resourceTemplates=gone)
    play.asks("resources/subscribe", {"uri": gone}).result()
    play.write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": gone}})
    play.asks("resources/read", {"uri": "vurb://manifest.json"}).result(contents=gone)
    assert found(play) == set()


def test_trust_ends_with_the_first_tag_that_reaches_an_answer_and_was_under_way() -> None:
    play = books().asks("tools/call", {"name": "billing.get", "arguments": {}})
    first = play.ids
    play.asks("tools/call", {"name": "billing.refund", "arguments": {}})
    play.result(content=[{"type": "text", "text": TAG}])
    play.answers({"result": {"content": [{"type": "text", "text": "old?"}]}}, ask=first)
    (trust,) = trust_in([witnessed(play.recording)])
    assert (trust["state"], trust["until"]) == ("stale", trust["read"])


def test_a_failed_call_that_changed_something_is_told_of_whatever_the_server_says() -> None:
    play = Books().opened(GET, REFUND).reads("billing.get", "a").does("billing.refund", "no", failed=True)
    diagnosis = judged(play.reads("billing.get", "b"))
    assert [(finding.rule, finding.severity) for finding in diagnosis.findings] == [
        ("failed-call-changed-state", "warning")
    ]
    assert diagnosis.verdict.state == "inconclusive"
