"""Held sessions with a command: what it says at any time is heard, and its end is told. Real children."""

import json
import os
import sys
import threading

import pytest
from support.recorded import recorder, told

from diagnose.errors import ObservationError
from diagnose.observe.held import hold_stdio
from diagnose.transport.deadline import Deadline

#: A server whose every word a test decides: what stands in the file SCRIPT is run for every message that it reads.
SERVER = """
import json, os, sys
def say(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode() + b"\\n"
    sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
def answer(result): say({"jsonrpc": "2.0", "id": asked["id"], "result": result})
def refuse(code): say({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": "no"}})
def ack(id, **granted): say({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
    "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": id}, "notifications": granted}})
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
CAPABILITIES = {"tools": {"listChanged": True}}
listens = 0
for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    if method == "server/discover" and ERA == "modern":
        answer({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES,
                "ttlMs": 0, "cacheScope": "public"})
    elif method == "initialize" and ERA == "legacy":
        answer({"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": {"name": "x", "version": "1"}})
    elif method == "subscriptions/listen":
        listens += 1
        on_listen()
    elif method == "tools/list":
        answer({"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "public"})
        after_list()
    elif "id" in asked:
        refuse(-32601)
"""
SOON = 5.0


@pytest.fixture
def hold():
    opened = []

    def start(era, *, on_listen="ack(asked['id'], toolsListChanged=True)", after_list="pass", **options):
        script = f"ERA = {era!r}\ndef on_listen():\n {on_listen}\ndef after_list():\n {after_list}\n{SERVER}"
        options = {"deadline": Deadline(30), "recorder": recorder("stdio"), "env": dict(os.environ), **options}
        opened.append(hold_stdio([sys.executable, "-c", script], **options))
        return opened[-1]

    yield start
    for held in opened:
        held.close()
    assert not any(thread.name == "recorded stdout" for thread in threading.enumerate())


def next_of(held, *kinds):
    return next(heard for heard in held.during(SOON) if heard.kind in kinds)


def test_a_legacy_command_is_heard_while_nobody_asks(hold):
    held = hold("legacy", after_list="say(CHANGED)")
    assert held.wait_until_listening(0)
    assert held.channel == "shared"
    held.session.request("tools/list")
    assert next_of(held, "notice").is_signal


def test_a_modern_command_is_asked_for_its_signals(hold):
    held = hold("modern", after_list="say(CHANGED)")
    assert held.wait_until_listening(SOON)
    assert held.granted == {"toolsListChanged": True}
    held.session.request("tools/list")
    assert next_of(held, "notice").is_signal
    assert not held.session.anomalies


def test_a_refused_subscription_is_no_channel(hold):
    held = hold("modern", on_listen="refuse(-32601)")
    assert not held.wait_until_listening(SOON)
    assert "-32601" in next_of(held, "absent").why


@pytest.mark.parametrize(
    ("ending", "clean"),
    [
        ("answer({'resultType': 'complete'})", True),
        ("refuse(-32603)", False),
        ("say({'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': asked['id']}})", True),
    ],
)
def test_a_subscription_that_ends_is_asked_for_again(hold, ending, clean):
    held = hold("modern", on_listen=f"ack(asked['id'], toolsListChanged=True); ({ending}) if listens == 1 else None")
    loss = next_of(held, "closed")
    assert loss.clean is clean
    assert 0 < loss.again_in <= 0.5
    assert next_of(held, "open")
    asked = [event.message for event in held.recorder.recording().events if event.sender == "client"]
    assert [each["method"] for each in asked[1:]] == ["subscriptions/listen"] * 2
    assert asked[1]["id"] != asked[2]["id"]


def test_a_command_that_ends_is_gone_and_a_new_one_takes_its_place(hold):
    held = hold("legacy", after_list="sys.exit(3)")
    held.session.request("tools/list")
    assert next_of(held, "gone")
    assert held.lost
    held.renew()
    assert held.lost is None
    assert held.session.request("tools/list").result["tools"] == []
    held.close()
    lines = told(held.recorder.recording())
    assert lines.count("tap process start") == 2
    assert [event.code for event in held.recorder.recording().events if event.event == "exit"] == [3, 3]


def test_a_request_to_a_command_that_has_ended_says_so(hold):
    held = hold("legacy", after_list="sys.exit(3)")
    held.session.request("tools/list")
    with pytest.raises(ObservationError) as caught:
        held.session.request("tools/list")
    assert held.is_lost(caught.value)


def test_lines_are_kept_as_they_crossed(hold):
    held = hold("legacy", after_list=r"say(b'a banner\n'); say(b'\xff\n'); say(json.dumps(CHANGED).encode() + b'\r\n')")
    held.session.request("tools/list")
    next_of(held, "notice")
    raw = [event.data for event in held.recorder.recording().events if event.kind == "raw"]
    assert raw[:2] == [b"a banner", b"\xff"]
    assert raw[2].endswith(b"}\r\n")
    assert json.loads(raw[2])["method"] == "notifications/tools/list_changed"


def test_a_line_has_the_time_at_which_it_came(hold):
    """It is said while nobody waits for it, and kept then: not when somebody at last looks."""
    held = hold("legacy", after_list="say(CHANGED); sys.stdout.flush()")
    held.session.request("tools/list")
    for _ in range(200):
        came = [
            event
            for event in held.recorder.recording().events
            if (event.message or {}).get("method", "")[:13] == "notifications"
        ]
        if len(came) > 1:
            break
        threading.Event().wait(0.02)
    looked = held.recorder.elapsed
    assert next_of(held, "notice").is_signal
    assert came[-1].t <= looked


def test_a_subscription_beside_is_cancelled_at_the_end(hold):
    held = hold("modern")
    assert held.wait_until_listening(SOON)
    with held.subscription("beside", {}):
        acknowledged = next_of(held, "notice").notice.raw
        assert acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "beside"
    last = [event.message for event in held.recorder.recording().events if event.sender == "client"][-1]
    assert (last["method"], last["params"]) == ("notifications/cancelled", {"requestId": "beside"})


def test_who_leaves_first_is_kept(hold):
    """A child that ends because it was left has ended no subscription."""
    left = hold("modern")
    left.wait_until_listening(SOON)
    left.close()
    ended = hold("legacy", after_list="sys.exit(3)")
    ended.session.request("tools/list")
    next_of(ended, "gone")
    ended.close()
    for held, side in ((left, "client"), (ended, "server")):
        events = held.recorder.recording().events
        assert [event.by for event in events if event.kind == "stream-close"] == [side]
    kinds = [event.kind for event in left.recorder.recording().events]
    assert kinds[-3:] == ["stream-close", "process", "end"]
