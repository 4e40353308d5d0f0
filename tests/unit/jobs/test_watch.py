"""A watch of servers that change, fall silent, forget and refuse: every change and every silence is told. Real sockets."""

import json
import queue
import sys
import threading

import pytest
from support.mcp_http import Said, answering, html, legacy, modern, result

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.evidence.redact import Redactor
from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.target import TargetSpec
from diagnose.jobs.watch import WatchRequest, watch
from diagnose.wire.subscription import LIST_CHANGED

CHANGED = json.dumps({"jsonrpc": "2.0", "method": LIST_CHANGED})
LIMIT = 20.0


def around():
    notes = []
    return Surroundings(env={}, redactor=Redactor(), note=notes.append, now=lambda: "2026-11-30T12:00:00.000Z")


def watching(target, *, era="auto", **options):
    spec = (
        TargetSpec(id="here", kind="http", url=target)
        if isinstance(target, str)
        else TargetSpec(id="here", kind="stdio", command=tuple(target))
    )
    options = {"seconds": LIMIT, **options}
    return watch(WatchRequest(spec=spec, options=ConnectOptions(auth="none", era=era, timeout=5), **options), around())


def until(events, *kinds):
    """Return the kinds of what happens, up to the first of these, and that one itself."""
    seen = []
    for event in events:
        if event.kind != "tick":
            seen.append(event.kind)
        if event.kind in kinds:
            return seen, event
    raise AssertionError(f"{kinds} did not come, but {seen}")


class Orchard:
    """A list that a test changes, and GET streams that it writes to."""

    def __init__(self):
        self.names = ["pick_apples"]
        self.lines = []

    def listed(self, asked):
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in self.names]
        hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if "_meta" in asked.params else {}
        return result(asked, {"tools": tools, **hints})

    def get(self, asked):
        self.lines.append(queue.SimpleQueue())
        return Said(body=iter(self.lines[-1].get, None), kind="text/event-stream")

    def signal(self):
        self.lines[-1].put(f"data: {CHANGED}\n\n".encode())

    def cut(self):
        self.lines[-1].put(None)


@pytest.fixture
def orchard():
    return Orchard()


@pytest.fixture
def endpoint(orchard):
    return legacy(session="s-1", tools__list=orchard.listed, GET=orchard.get)


def test_a_change_that_is_told_is_shown_as_announced(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url)
        before, listed = until(events, "listed")
        assert before == ["connected", "channel-open", "listed"]
        assert (listed.standing.count, listed.standing.listening) == (1, True)
        orchard.names.append("ripen")
        orchard.signal()
        between, changed = until(events, "changed")
        assert between == ["signal", "changed"]
        assert (changed.announced, changed.reason) == (True, "signal")
        assert [(change.tool, change.kind) for change in changed.changes] == [("ripen", "added")]
        assert (changed.standing.count, changed.standing.signals, changed.standing.changes) == (2, 1, 1)
        events.close()


def test_a_change_that_nobody_told_of_is_found_by_polling_and_shown_as_such(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url, poll=0.1)
        until(events, "unchanged")
        orchard.names.append("ripen")
        _, changed = until(events, "changed")
        assert (changed.announced, changed.reason) == (False, "poll")
        events.close()


def test_it_ends_at_the_first_change_where_that_is_wished(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url, poll=0.1, until_change=True)
        until(events, "listed")
        orchard.names.clear()
        assert [event.kind for event in events if event.kind not in {"tick", "unchanged"}] == ["changed", "ended"]


def test_it_ends_when_its_time_is_over(endpoint):
    with answering(endpoint) as url:
        events = list(watching(url, seconds=0.3))
    assert events[-1].kind == "ended"
    assert 0.3 <= events[-1].t < 5
    assert "DELETE" in endpoint.methods


def test_a_needless_signal_is_followed_and_shown(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url)
        until(events, "listed")
        orchard.signal()
        assert until(events, "unchanged")[0] == ["signal", "unchanged"]
        events.close()


def test_a_channel_that_is_lost_is_shown_and_what_it_may_have_missed_is_read(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url)
        until(events, "listed")
        orchard.names.append("ripen")
        orchard.cut()
        between, changed = until(events, "changed")
        assert between == ["channel-closed", "channel-open", "changed"]
        assert (changed.announced, changed.reason) == (False, "channel")
        events.close()


def test_how_long_it_was_deaf_is_said(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url)
        until(events, "listed")
        orchard.cut()
        closed = until(events, "channel-closed")[1]
        assert 0 < closed.again_in <= 0.5
        assert not closed.standing.listening
        opened = until(events, "channel-open")[1]
        assert opened.deaf_for >= closed.again_in * 0.9
        events.close()


def test_a_server_without_a_channel_is_watched_all_the_same(orchard):
    with answering(legacy(tools__list=orchard.listed, GET=Said(status=405))) as url:
        events = watching(url, poll=0.1)
        assert until(events, "listed")[0] == ["connected", "channel-absent", "listed"]
        orchard.names.append("ripen")
        assert not until(events, "changed")[1].standing.listening
        events.close()


def test_a_session_that_was_forgotten_is_lost_and_begun_anew(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url, poll=0.1)
        until(events, "listed")
        orchard.names.append("ripen")
        endpoint.answers["tools/list"] = html(404)
        _, lost = until(events, "lost")
        assert 0 < lost.again_in <= 0.5
        assert not lost.standing.connected
        endpoint.answers["tools/list"] = orchard.listed
        between, changed = until(events, "changed")
        assert between == ["connected", "channel-open", "changed"]
        assert changed.reason == "connected"
        assert endpoint.methods.count("initialize") == 2
        events.close()


def test_a_list_that_cannot_be_had_is_shown_and_asked_for_again(endpoint, orchard):
    with answering(endpoint) as url:
        events = watching(url, poll=0.1)
        until(events, "listed")
        endpoint.answers["tools/list"] = Said(status=500)
        _, failed = until(events, "failed")
        assert failed.rule == "list-error"
        assert failed.standing.state == "failed"
        assert failed.standing.count == 1, "the last complete list stays"
        endpoint.answers["tools/list"] = orchard.listed
        until(events, "unchanged")
        events.close()


def test_a_list_is_never_shown_before_it_is_whole(orchard):
    """The second page belongs to a list that has changed after the first: what is shown is the new list, and no mixture."""
    pages = {None: ["a"], "2": ["b"]}

    def listed(asked):
        cursor = asked.params.get("cursor")
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in pages[cursor]]
        if cursor is None and pages["2"] == ["b"]:
            pages["2"] = ["B"]
            pages[None] = ["A"]
            orchard.signal()
            # The signal goes another way than the answer: nothing but time lets it come first, as it does from a server.
            threading.Event().wait(0.5)
        return result(asked, {"tools": tools} | ({"nextCursor": "2"} if cursor is None else {}))

    with answering(legacy(tools__list=listed, GET=orchard.get)) as url:
        events = watching(url)
        listed_event = until(events, "listed")[1]
        assert listed_event.standing.count == 2
        digest = listed_event.standing.digest
        events.close()
    from diagnose.surface import digest as digest_of

    assert digest == digest_of([{"name": name, "inputSchema": {"type": "object"}} for name in ("A", "B")])


def test_a_refused_credential_ends_the_watch(endpoint):
    with answering(endpoint) as url:
        events = watching(url, poll=0.1)
        until(events, "listed")
        endpoint.answers["tools/list"] = Said(status=401)
        with pytest.raises(CredentialRefusedError):
            until(events, "failed")


def test_a_server_that_is_not_there_is_no_watch(endpoint):
    with answering(endpoint) as url:
        pass
    with pytest.raises(ObservationError):
        next(watching(url))


def test_a_modern_server_says_how_long_its_list_is_good(orchard):
    def listed(asked):
        said = json.loads(orchard.listed(asked).body)
        return result(asked, {**said["result"], "ttlMs": 30_000})

    with answering(modern(tools__list=listed, subscriptions__listen=Said(status=404))) as url:
        events = watching(url)
        listed_event = until(events, "listed")[1]
        assert listed_event.standing.state == "fresh"
        assert 29 < listed_event.standing.ttl_left <= 30
        later = until(events, "tick")[1]
        assert later.standing.ttl_left < 30
        assert later.standing.age > 0
        events.close()


COMMAND = """
import json, sys
calls = 0
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        found = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif asked["method"] == "tools/list":
        calls += 1
        if calls > 1: sys.exit(1)
        found = {"tools": []}
    elif "id" not in asked: continue
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": found}), flush=True)
"""


def test_a_command_that_ends_is_lost_and_started_again():
    events = watching([sys.executable, "-c", COMMAND], era="legacy", poll=0.1)
    assert until(events, "lost")[0] == ["connected", "channel-open", "listed", "lost"]
    assert until(events, "unchanged")[0] == ["connected", "channel-open", "unchanged"]
    events.close()
