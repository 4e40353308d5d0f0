"""Sessions that look like a fault and are none, or look well and are not: each beside the one that it is mistaken for."""

from __future__ import annotations

from typing import Any

import pytest
from unit.judge.looks import PICK, PRESS, PRUNE
from unit.judge.timeline.play import MODERN, Play

A, B, D = PICK, PRUNE, PRESS
PUBLIC = {"cacheScope": "public", "ttlMs": 60_000}


def modern(**how: Any) -> Play:
    return Play("http", version=MODERN, **how).handshake()


def http(**how: Any) -> Play:
    return Play("http", **how).handshake()


def cancelled(*, answered: str) -> Play:
    """A refresh that its client cancels, answered before or after that."""
    play = Play().handshake().lists(A).signals().asks("tools/list").wait(5)
    asked = play.ids
    if answered == "before":
        play.answers({"result": {"tools": [A, B]}}, ask=asked)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked}}
    play.write("client", message=cancel).wait(1)
    if answered == "after":
        play.answers({"result": {"tools": [A, B]}}, ask=asked)
    return play.wait(20)


def in_flight(*tools: Any) -> Play:
    """A list that is under way when the signal comes, and none after that."""
    play = http().listens().lists(A).asks("tools/list")
    asked = play.ids
    return play.signals().answers({"result": {"tools": [*tools]}}, ask=asked).wait(20).calls("pick_apples")


def two_callers(*, moved: bool, told: bool = False) -> Play:
    """A public list that two authorizations are sent one after the other; where it ``moved``, both are sent the new one."""
    play = modern(principal="one").listens().lists(A, **PUBLIC)
    if told:
        play.signals()
    play.principal = "two"
    play.handshake().lists(A, B, **PUBLIC)
    play.principal = "one"
    return play.lists(A, B, **PUBLIC) if moved else play.wait(1)


def at_the_expiry(*, used: bool) -> Play:
    """A list that is read at each expiry, by a clock or because it is about to be used."""
    play = modern().listens()
    for _ in range(8):
        play.lists(A, ttlMs=3000)
        if used:
            play.calls("pick_apples")
        play.wait(2.96)
    return play


def left_at_once(*, another: bool) -> Play:
    """A GET stream that the server ends at once, and perhaps one of a second session that stays."""
    play = http().listens().closes().lists(A).handshake(session="fp:s2")
    return (play.listens() if another else play).lists(A).wait(30)


def lost(*, anew: bool) -> Play:
    """A session that is gone while its stream stays open, as behind a balancer."""
    play = http().listens().lists(A).wait(5).asks("tools/list").answers(status=404).wait(1)
    return play.handshake(session="fp:s2").lists(A).wait(20) if anew else play.wait(20)


def reconnected(tool: str) -> Play:
    """A new session that reads no list, and calls a tool."""
    play = http().listens().lists(A, B).wait(20).closes().wait(1).handshake(session="fp:s2").listens()
    return play.wait(15).calls(tool)


def within_a_walk(*, again: bool) -> Play:
    """A signal between two pages of a list."""
    play = Play().handshake().page([A], following="2").signals().page([B], "2")
    return (play.page([A], following="2").page([B, D], "2") if again else play).wait(20)


def another_caller(*, same: bool) -> Play:
    """One session, and another list for another authorization or for the same."""
    play = Play("http", principal="one").handshake().listens().lists(A)
    play.principal = "one" if same else "two"
    return play.lists(A, B).wait(20)


def refused(method: str) -> Play:
    """Requests of one kind that are always refused, with a session that goes on."""
    play = http().lists(A)
    for _ in range(3):
        asked = play.requests("GET") if method == "GET" else play.asks("tools/call", {"name": "pick_apples"})
        asked.answers(status=404).lists(A).wait(1)
    return play.wait(20)


#: What the recording shows, the rule in question, and whether it is broken: those of one rule are mistaken for each other.
TRIALS = {
    "a refresh that was answered once it was cancelled": ("client-no-relist", cancelled(answered="after"), True),
    "a refresh that was cancelled once it was answered": ("client-no-relist", cancelled(answered="before"), False),
    "the old list, asked for before the signal": ("client-ignores-signal", in_flight(A), True),
    "the new list, asked for before the signal": ("client-ignores-signal", in_flight(A, B), False),
    "public, and another list for another caller": ("scope-leak", two_callers(moved=False), True),
    "public, and a new list for both": ("scope-leak", two_callers(moved=True), False),
    "public, and a change was announced in between": ("scope-leak", two_callers(moved=False, told=True), False),
    "read at each expiry and not used": ("ttl-misuse", at_the_expiry(used=False), True),
    "read at each expiry and used": ("ttl-misuse", at_the_expiry(used=True), False),
    "no stream that stays": ("capability-false-claim", left_at_once(another=False), True),
    "a stream that stays in another session": ("capability-false-claim", left_at_once(another=True), False),
    "a lost session and none after it": ("session-lost", lost(anew=False), True),
    "a lost session whose stream outlives it": ("session-lost", lost(anew=True), False),
    "a signal between two pages, and no new list": ("client-ignores-signal", within_a_walk(again=False), True),
    "a signal between two pages, and a new list": ("client-ignores-signal", within_a_walk(again=True), False),
    "another list for the same caller": ("server-no-signal", another_caller(same=True), True),
    "another list for another caller": ("server-no-signal", another_caller(same=False), False),
    "a session that one instance does not know": ("session-lost", refused("POST"), True),
    "a server that has no stream, and says 404": ("session-lost", refused("GET"), False),
    "a new session that uses what it was never sent": ("client-no-relist", reconnected("press_cider"), True),
    "a new session that uses what an older one was sent": ("client-no-relist", reconnected("pick_apples"), False),
}


@pytest.mark.parametrize("name", TRIALS)
def test_it_is_told_from_its_neighbour(name):
    rule, play, broken = TRIALS[name]
    found = [each for each in play.judged().findings if each.rule == rule and each.severity == "error"]
    assert bool(found) is broken


def test_a_cancelled_list_says_so_with_its_frames():
    play = cancelled(answered="after")
    diagnosis = play.judged()
    assert (diagnosis.verdict.state, diagnosis.verdict.cause) == ("stale", "client-no-relist")
    finding = next(each for each in diagnosis.findings if each.rule == "client-no-relist")
    cancel = next(n for n, line in enumerate(play.lines, 1) if "cancelled" in str(line.get("message")))
    assert f"wire:{cancel}" in finding.evidence
    assert "it cancelled its refresh" in finding.message
    last = diagnosis.sessions[0]["lists"]["shown"][-1]
    assert last["givenUp"]["frame"] == cancel
    assert last["answered"] is None


def behind_a_gateway(*tools: Any) -> tuple[Play, Play]:
    """What a client is sent behind a gateway that was sent A on one page and B and D on the next."""
    up = Play("http", hop="gateway-server", client="gateway").handshake().page([A], following="2").page([B, D], "2")
    return Play("http", hop="client-gateway").handshake().wait(5).lists(*tools).wait(20), up


@pytest.mark.parametrize(
    ("tools", "severity"), [((A,), "error"), ((A, B), "warning"), ((B, D), None), ((A, B, D), None), ((), None)]
)
def test_a_gateway_that_passes_on_one_page_is_told_from_one_that_chooses(tools, severity):
    down, up = behind_a_gateway(*tools)
    found = [each for each in down.judged(up).findings if each.rule == "page-truncated"]
    assert [each.severity for each in found] == ([] if severity is None else [severity])
    assert all(each.layer == "path" and len(each.evidence) == 2 for each in found)


def test_an_old_list_behind_a_gateway_is_no_page_of_a_new_one():
    down, _ = behind_a_gateway(A)
    old = Play("http", hop="gateway-server", client="gateway").handshake().lists(A).wait(1).page([A], following="2")
    rules = {each.rule for each in down.judged(old.page([B, D], "2")).findings}
    assert "page-truncated" not in rules
    assert "proxy-frozen" in rules


def test_a_call_that_was_never_answered_is_told():
    play = Play().handshake().lists(A).calls("pick_apples").asks("tools/call", {"name": "pick_apples"})
    asked = play.frame
    session = play.exits(7).judged().sessions[0]
    waiting = [each for each in session["calls"] if each["outcome"] == "pending"]
    assert [each["asked"]["frame"] for each in waiting] == [asked]
    assert session["callsMade"] == 2


def test_the_tools_that_only_a_call_shows_are_counted_as_the_least_there_are():
    play = Play().handshake().lists().wait(20).calls("pick_apples")
    said = next(each.message for each in play.judged().findings if each.rule == "startup-race")
    assert said.endswith("there are at least 1 by now.")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (-32602, "Unknown tool: prune_tree"),
        (-32602, "MCP error -32602: Tool prune_tree not found"),
        (-32602, "tool 'prune_tree' not found: tool not found"),
        (-32602, 'unknown tool "prune_tree"'),
        (-32602, "Unknown tool name: prune_tree"),
        (-32000, "Tool not found"),
        (-32601, "Method not found"),
    ],
)
def test_a_listed_tool_that_the_server_does_not_know_shows_an_old_list(code, said):
    play = Play().handshake().lists(A, B).wait(3).asks("tools/call", {"name": "prune_tree"}).error(code, said)
    assert play.wait(12).judged().verdict.state == "stale"


@pytest.mark.parametrize(
    "said",
    ["File not found", "Item not found: widget 7", "Unknown tool: chisel", "Tool chisel not found", "404: not found"],
)
def test_a_tool_that_finds_something_else_missing_shows_none(said):
    asked = Play().handshake().lists(A, B).wait(3).asks("tools/call", {"name": "prune_tree"})
    play = asked.result(isError=True, content=[{"type": "text", "text": said}]).wait(12)
    assert play.judged().verdict.state == "inconclusive"
    refused = Play().handshake().lists(A, B).wait(3).asks("tools/call", {"name": "prune_tree"})
    assert refused.error(-32602, said).wait(12).judged().verdict.state == "inconclusive"


@pytest.mark.parametrize(("seconds", "stray"), [(0.1, False), (30, True)])
def test_what_was_under_way_when_a_client_left_is_no_fault_of_the_server(seconds, stray):
    play = Play(version=MODERN).handshake().listens().lists(A)
    left = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": play.subscription}}
    diagnosis = play.write("client", message=left).wait(seconds).signals().wait(20).judged()
    assert ("stream-no-ack" in {each.rule for each in diagnosis.findings}) is stray
    assert "client-ignores-signal" not in {each.rule for each in diagnosis.findings}


@pytest.mark.parametrize(("status", "said"), [(200, "refused with error -32601"), (400, "refused with HTTP 400")])
def test_a_refusal_is_not_told_by_a_status_of_success(status, said):
    play = modern().asks("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    diagnosis = play.error(-32601, "Method not found", status=status).lists(A).lists(A).wait(12).judged()
    found = next(each for each in diagnosis.findings if each.rule == "capability-false-claim")
    assert said in found.message
