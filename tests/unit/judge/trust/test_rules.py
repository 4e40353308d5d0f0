"""Each rule of state sync with a session that breaks it, and one beside it that does not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.judge.timeline.play import MODERN, STARTED, Play

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.recording import Recording
from diagnose.judge.trust.judge import judge_state, trust_in, witnessed
from diagnose.statesync import Declaration, format_invalidation
from diagnose.wire.subscription import ACKNOWLEDGED, SUBSCRIPTION_ID

from .test_recordings import SESSIONS

Body = dict[str, Any]
READS, CHANGES = {"readOnlyHint": True}, {"readOnlyHint": False, "destructiveHint": True}


def tool(name: str, directive: str = "", **annotations: Any) -> Body:
    text = f"Of {name}." + (f" [Cache-Control: {directive}]" if directive else "")
    return {"name": name, "description": text, "inputSchema": {"type": "object"}, "annotations": annotations}


GET, REFUND = tool("billing.get", **READS), tool("billing.refund", **CHANGES)
FIXED = tool("reference.codes", "immutable", **READS)


class Books(Play):
    """A play in which tools are read and called with their answers."""

    def reads(self, name: str, text: str, *items: str, **arguments: Any) -> Books:
        return self.does(name, *items, text, **arguments)

    def does(self, name: str, *texts: str, failed: bool = False, **arguments: Any) -> Books:
        self.asks("tools/call", {"name": name, "arguments": arguments})
        content = [{"type": "text", "text": text} for text in texts]
        self.result(content=content, **({"isError": True} if failed else {}))
        return self

    def opened(self, *tools: Body, **capabilities: Any) -> Books:
        self.handshake(list_changed=None).lists(*tools)
        return self

    def stale(self, uri: str) -> Books:
        self.write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": uri}})
        return self


UPDATED = "notifications/resources/updated"
TAG = format_invalidation("billing.refund", ["billing.*"])


def found(play: Play, policy: Declaration | None = None) -> set[str]:
    line = witnessed(play.recording, policy=policy)
    diagnosis = judge_state(Bundle(created_at=STARTED, target=Target(id="x", transport="stdio", endpoint="x")), [line])
    assert all("fault of diagnose" not in (check.why or "") for check in diagnosis.checks)
    return {finding.rule for finding in diagnosis.findings}


def books(*tools: Body) -> Books:
    return Books().opened(*(tools or (GET, REFUND, FIXED)))


def changed(play: Books, *before: str) -> Books:
    """Read, refund with these items, and read something else."""
    return play.reads("billing.get", "paid").does("billing.refund", *before, "done").reads("billing.get", "refunded")


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
        lambda: _announced("billing.get"),
        lambda: _announced("billing.*"),
    ),
    "update-of-nothing": (
        lambda: books().stale("invoice://7"),
        lambda: _subscribed(books()).stale("invoice://7"),
    ),
    "subscription-to-nothing": (
        lambda: _subscribed(_lists(books(), "invoice://8")),
        lambda: _subscribed(_lists(books(), "invoice://{id}")),
    ),
    "listen-inert": (
        lambda: _resource(_resource(_subscribed(books()), "a").does("billing.refund", TAG), "b"),
        lambda: _resource(_resource(_subscribed(books()), "a").stale("invoice://7"), "b"),
    ),
    "list-kept-too-long": (
        lambda: _modern(ttlMs=60_000).lists(GET, ttlMs=60_000),
        lambda: _modern(ttlMs=0).lists(GET, ttlMs=0),
    ),
    "list-hints-wrong": (lambda: _modern(ttlMs=1.5), lambda: _modern(ttlMs=0)),
    "stale-answer-used": (
        lambda: changed(books(), TAG).does("billing.refund", TAG).does("billing.refund", TAG),
        lambda: changed(books(), TAG).does("billing.refund", TAG),
    ),
    "manifest-leak": (lambda: _manifest("get", "refund", "void"), lambda: _manifest("get", "refund")),
    "manifest-malformed": (lambda: _read_manifest({}), lambda: _manifest("get")),
}


def _announced(domain: str) -> Play:
    play = books().asks("tools/call", {"name": "billing.refund", "arguments": {}})
    play.write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": f"vurb://stale/{domain}"}})
    return play.result(content=[{"type": "text", "text": TAG}])


def _subscribed(play: Play) -> Books:
    assert isinstance(play, Books)
    play.asks("resources/subscribe", {"uri": "invoice://7"}).result()
    return play


def _resource(play: Books, text: str) -> Books:
    play.asks("resources/read", {"uri": "invoice://7"}).result(contents=[{"uri": "invoice://7", "text": text}])
    return play


def test_who_has_unsubscribed_need_not_be_told() -> None:
    play = _resource(_subscribed(books()), "a")
    play.asks("resources/unsubscribe", {"uri": "invoice://7"}).result()
    assert found(_resource(play.does("billing.refund", TAG), "b")) == set()


def test_what_changed_before_the_subscription_need_not_be_told() -> None:
    play = _resource(_subscribed(_resource(books(), "a").does("billing.refund", TAG)), "b")
    assert found(play) == set()


def _lists(play: Play, uri: str) -> Play:
    play.asks("resources/list").result(resources=[{"uri": uri, "name": "invoice"}])
    return play.asks("resources/templates/list").result(resourceTemplates=[])


def _modern(**hints: Any) -> Play:
    return Books("http", version=MODERN).handshake(list_changed=None).lists(GET, REFUND, **hints)


def _manifest(*actions: str) -> Play:
    body = {"description": "", "destructive": False, "idempotent": False, "readOnly": True, "required_fields": []}
    schema = {"type": "object", "properties": {"action": {"enum": list(actions)}}}
    tools = {"billing": {"tags": [], "actions": dict.fromkeys(actions, body), "input_schema": schema}}
    return _read_manifest(
        {
            "server": "x",
            "vurb_version": "1.1.0",
            "architecture": "MVA (Model-View-Agent)",
            "capabilities": {"tools": tools, "presenters": {}},
        }
    )


def _read_manifest(body: Body) -> Play:
    uri = "vurb://manifest.json"
    contents = [{"uri": uri, "text": json.dumps(body)}]
    return books().asks("resources/read", {"uri": uri}).result(contents=contents)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_broken_and_kept(rule: str) -> None:
    broken, kept = CASES[rule]
    assert rule in found(broken())
    assert rule not in found(kept())


def declared() -> Declaration:
    policy = Declaration(separator=".")
    policy.query("billing.get").cached()
    policy.mutation("billing.refund").invalidates("billing.*")
    return policy


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
    line = witnessed(Books().opened(GET, REFUND).reads("billing.get", "1").recording)
    target = Target(id="x", transport="stdio", endpoint="x")
    diagnosis = judge_state(Bundle(created_at=STARTED, target=target), [line])
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

    assert trusted(_resource(_subscribed(books()), "a")) == [("holds", None)]
    assert trusted(_resource(_subscribed(books()), "a").stale("invoice://7")) == [("stale", "notification")]
    assert trusted(_resource(_resource(books(), "a"), "b")) == [("stale", "changed"), ("holds", None)]
    listed = books().asks("resources/list").result(resources=[{"uri": "invoice://7", "name": "billing.invoice"}])
    assert isinstance(listed, Books)
    assert trusted(_resource(listed, "a").does("billing.refund", TAG)) == [("stale", "tag")]
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
    target = Target(id="x", transport="stdio", endpoint="x")
    diagnosis = judge_state(Bundle(created_at=STARTED, target=target), [witnessed(play.recording, policy=policy)])
    return [limit for limit in diagnosis.verdict.limits if limit.startswith("Whether")]


def test_a_read_beside_a_change_that_nobody_tried_is_told_of() -> None:
    narrow = format_invalidation("billing.refund", ["billing.open"])
    tools = (GET, REFUND, tool("billing.open", **READS), FIXED)
    (told,) = limits(books(*tools).does("billing.refund", narrow))
    assert told.startswith("Whether billing.get still holds after billing.refund is not known")
    assert limits(changed(books(*tools), narrow)) == []
    assert limits(books(*tools).does("billing.refund", TAG)) == []


def test_a_server_that_shows_a_manifest_and_no_more_is_held_to_that() -> None:
    plain = Books().opened(GET, REFUND)
    body = _manifest("get", "refund").lines[-1]["message"]["result"]
    play = plain.asks("resources/read", {"uri": "vurb://manifest.json"}).result(**body)
    target = Target(id="x", transport="stdio", endpoint="x")
    diagnosis = judge_state(Bundle(created_at=STARTED, target=target), [witnessed(play.recording)])
    assert (diagnosis.verdict.state, diagnosis.exit_code) == ("in-sync", 0)


def test_what_a_policy_would_not_do_is_told_beside_the_verdict() -> None:
    policy = Declaration(separator=".")
    policy.query("billing.*").cached()
    policy.mutation("billing.refund").invalidates("billing.*")
    policy.query("payroll.*").cached()
    target = Target(id="x", transport="stdio", endpoint="x")
    line = witnessed(books(tool("billing.get", "immutable", **READS), REFUND).recording, policy=policy)
    diagnosis = judge_state(Bundle(created_at=STARTED, target=target), [line])
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
    play = _resource(_subscribed(books()), "a")
    play.write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": "invoice://7"})
    assert found(_resource(play, "b")) == {"update-malformed"}
