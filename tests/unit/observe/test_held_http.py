"""Held sessions over HTTP: what is heard, every loss, and nothing left behind. Real sockets."""

import json
import queue
import threading

import pytest
from support.mcp_http import MODERN, Said, answering, error, html, legacy, modern, result
from support.recorded import recorder

from diagnose.errors import ObservationError
from diagnose.observe.held import hold_http
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient
from diagnose.wire.subscription import ACKNOWLEDGED, LIST_CHANGED, SUBSCRIPTION_ID

CHANGED = {"jsonrpc": "2.0", "method": LIST_CHANGED}
SOON = 5.0


class Line:
    """An event stream that a test writes to while it is open; ``asked`` holds the requests that opened it."""

    def __init__(self):
        self.asked = queue.SimpleQueue()
        self._pieces = None

    def __call__(self, asked):
        self._pieces = queue.SimpleQueue()
        self.asked.put(asked)
        return Said(body=iter(self._pieces.get, None), kind="text/event-stream")

    def send(self, text):
        self._pieces.put(text if isinstance(text, bytes) else f"data: {json.dumps(text)}\n\n".encode())

    def end(self):
        self._pieces.put(None)


@pytest.fixture
def http():
    with HttpClient(timeout=5, deadline=Deadline(30)) as client:
        yield client
    left = [thread for thread in threading.enumerate() if thread.name == "event stream" and thread.is_alive()]
    for thread in left:
        thread.join(SOON)
    assert not any(thread.is_alive() for thread in left)


@pytest.fixture
def line():
    return Line()


def hold(http, url, **options):
    return hold_http(http, url, recorder=recorder(), **options)


def next_of(held, *kinds):
    """Return the next thing of these kinds that happens."""
    return next(heard for heard in held.during(SOON) if heard.kind in kinds)


def test_a_legacy_session_hears_on_its_get_stream(http, line):
    with answering(legacy(session="s-1", GET=line)) as url, hold(http, url) as held:
        assert held.wait_until_listening(SOON)
        assert (held.channel, held.declares_changes) == ("get", True)
        asked = line.asked.get(timeout=SOON)
        assert asked.headers["accept"] == "text/event-stream"
        assert asked.headers["mcp-session-id"] == "s-1"
        assert asked.headers["mcp-protocol-version"] == "2025-11-25"
        assert held.wait(SOON).kind == "open"
        line.send(CHANGED)
        heard = held.wait(SOON)
        assert heard.is_signal
        assert 0 < heard.at <= held.recorder.elapsed


def test_an_event_of_another_type_is_no_signal(http, line):
    with answering(legacy(GET=line)) as url, hold(http, url) as held:
        assert held.wait_until_listening(SOON)
        line.send(b"event: ping\ndata: 1\n\nevent: foo\ndata: " + json.dumps(CHANGED).encode() + b"\n\n")
        line.send({"jsonrpc": "2.0", "method": "notifications/message"})
        assert not next_of(held, "notice").is_signal


def test_where_get_is_refused_there_is_no_channel(http):
    with answering(legacy(GET=Said(status=405))) as url, hold(http, url) as held:
        assert not held.wait_until_listening(SOON)
        heard = held.wait(0)
        assert (heard.kind, heard.status, heard.again_in) == ("absent", 405, None)
        assert held.wait(0.05) is None


@pytest.mark.parametrize("said", [html(200), Said(body=b"{}"), Said(status=400), Said(status=401)])
def test_what_is_no_stream_is_no_channel(http, said):
    with answering(legacy(GET=said)) as url, hold(http, url) as held:
        assert next_of(held, "absent").why


def test_a_stream_that_ends_is_told_and_opened_again_where_it_was_left(http, line):
    with answering(legacy(GET=line)) as url, hold(http, url) as held:
        held.wait_until_listening(SOON)
        line.asked.get(timeout=SOON)
        line.send(f"id: 7\nretry: 1\ndata: {json.dumps(CHANGED)}\n\n".encode())
        assert next_of(held, "notice").is_signal
        line.end()
        loss = next_of(held, "closed")
        assert loss.clean
        assert 0 < loss.again_in <= 0.5
        assert not held.listening
        assert line.asked.get(timeout=SOON).headers["last-event-id"] == "7"
        assert next_of(held, "open")
        assert held.listening


def test_the_time_that_a_server_asks_for_is_not_undercut(http, line):
    with answering(legacy(GET=line)) as url, hold(http, url) as held:
        held.wait_until_listening(SOON)
        line.send(b"retry: 60000\n\n")
        line.end()
        assert next_of(held, "closed").again_in == 60.0


def test_a_stream_that_nobody_can_serve_now_is_asked_for_again(http, line):
    turns = iter([Said(status=503), None])

    def get(asked):
        return next(turns) or line(asked)

    with answering(legacy(GET=get)) as url, hold(http, url) as held:
        loss = next_of(held, "closed", "absent")
        assert (loss.kind, loss.status) == ("closed", 503)
        assert next_of(held, "open")


def test_a_forgotten_session_is_gone_and_a_new_one_takes_its_place(http, line):
    sessions = iter(["s-1", "s-2"])
    endpoint = legacy(GET=lambda asked: line(asked) if asked.headers["mcp-session-id"] == "s-2" else html(404))
    shake = endpoint.answers["initialize"]

    def initialize(asked):
        said = shake(asked)
        said.headers["Mcp-Session-Id"] = next(sessions)
        return said

    endpoint.answers["initialize"] = initialize
    with answering(endpoint) as url, hold(http, url) as held:
        assert next_of(held, "gone")
        assert held.lost
        assert not held.wait_until_listening(0)
        held.renew()
        assert held.lost is None
        assert held.wait_until_listening(SOON)
        assert held.session.session_id == "s-2"


def test_a_request_that_finds_the_session_forgotten_says_so(http, line):
    endpoint = legacy(session="s-1", GET=line, tools__list=html(404))
    with answering(endpoint) as url, hold(http, url) as held:
        held.wait_until_listening(SOON)
        with pytest.raises(ObservationError) as caught:
            held.session.request("tools/list")
        assert held.is_lost(caught.value)
        assert next_of(held, "gone")
    assert endpoint.methods.count("initialize") == 1


def test_what_the_server_asks_on_the_stream_is_answered(http, line):
    endpoint = legacy(GET=line)
    answered = threading.Event()
    default = endpoint.answer

    def answer(asked):
        if asked.message and asked.message.get("id") == "ping-1":
            assert asked.message["result"] == {}
            answered.set()
            return Said(status=202)
        return default(asked)

    endpoint.answer = answer
    with answering(endpoint) as url, hold(http, url) as held:
        held.wait_until_listening(SOON)
        line.send({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"})
        assert next_of(held, "notice").notice.method == "ping"
        assert answered.wait(SOON)


def acknowledge(asked, granted=None):
    meta = {SUBSCRIPTION_ID: asked.id}
    granted = asked.params["notifications"] if granted is None else granted
    return {"jsonrpc": "2.0", "method": ACKNOWLEDGED, "params": {"_meta": meta, "notifications": granted}}


def test_a_modern_session_hears_once_its_subscription_is_acknowledged(http, line):
    with answering(modern(subscriptions__listen=line)) as url, hold(http, url) as held:
        asked = line.asked.get(timeout=SOON)
        assert asked.params["notifications"] == {"toolsListChanged": True}
        assert asked.headers["mcp-protocol-version"] == MODERN
        assert asked.headers["mcp-method"] == "subscriptions/listen"
        assert held.wait(0.05) is None
        assert not held.listening
        line.send(acknowledge(asked))
        assert held.wait_until_listening(SOON)
        assert (held.channel, held.granted) == ("listen", {"toolsListChanged": True})
        line.send({**CHANGED, "params": {"_meta": {SUBSCRIPTION_ID: asked.id}}})
        assert next_of(held, "notice").is_signal


@pytest.mark.parametrize("ending", ["result", "cut"])
def test_a_subscription_that_ends_is_asked_for_again_under_a_new_id(http, line, ending):
    with answering(modern(subscriptions__listen=line)) as url, hold(http, url) as held:
        first = line.asked.get(timeout=SOON)
        line.send(acknowledge(first))
        assert held.wait_until_listening(SOON)
        if ending == "result":
            line.send({"jsonrpc": "2.0", "id": first.id, "result": {"resultType": "complete"}})
        line.end()
        assert next_of(held, "closed").clean == (ending == "result")
        again = line.asked.get(timeout=SOON)
        assert again.id != first.id
        assert "last-event-id" not in again.headers
        assert not held.session.anomalies


def test_a_refused_subscription_is_no_channel(http):
    with (
        answering(modern(subscriptions__listen=lambda asked: error(asked, -32601, "no such method", 404))) as url,
        hold(http, url) as held,
    ):
        heard = next_of(held, "absent")
        assert "-32601" in heard.why
        assert heard.status == 404


def test_a_subscription_that_is_answered_at_once_is_no_channel(http):
    with (
        answering(modern(subscriptions__listen=lambda asked: result(asked, {"resultType": "complete"}))) as url,
        hold(http, url) as held,
    ):
        assert "at once" in next_of(held, "absent").why


def test_subscriptions_beside_the_session_s_own_do_not_disturb_it(http):
    lines = {}

    def listen(asked):
        lines[asked.id] = Line()
        said = lines[asked.id](asked)
        lines[asked.id].send(acknowledge(asked))
        return said

    with answering(modern(subscriptions__listen=listen)) as url, hold(http, url) as held:
        assert held.wait_until_listening(SOON)
        with held.subscription("beside", {"toolsListChanged": True}):
            acknowledged = next_of(held, "notice").notice
            assert acknowledged.raw["params"]["_meta"] == {SUBSCRIPTION_ID: "beside"}
            lines["beside"].end()
            assert next_of(held, "over").subscription == "beside"
        assert held.listening


def test_closing_leaves_the_stream_at_once(http, line):
    with answering(legacy(GET=line)) as url:
        held = hold(http, url)
        assert held.wait_until_listening(SOON)
        held.close()
        closed = [event for event in held.recorder.recording().events if event.kind == "stream-close"]
        assert [(event.by, event.clean) for event in closed] == [("client", False)]
        assert held.recorder.recording().ended == "closed"


def test_an_older_server_is_heard_on_its_one_stream(http):
    line = Line()

    def post(asked):
        if asked.method == "server/discover" or asked.path != "/messages":
            return html(404)
        answers = {
            "initialize": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {"listChanged": True}}},
        }
        if asked.id is not None:
            line.send({"jsonrpc": "2.0", "id": asked.id, "result": answers.get(asked.method, {"tools": []})})
        return Said(status=202)

    def get(asked):
        said = line(asked)
        line.send(b"event: endpoint\ndata: /messages\n\n")
        return said

    endpoint = legacy(GET=get)
    for method in ("server/discover", "initialize", "notifications/initialized", "tools/list"):
        endpoint.answers[method] = post
    with answering(endpoint) as url, hold(http, url) as held:
        assert held.channel == "shared"
        assert held.wait_until_listening(SOON)
        line.send(b"event: foo\ndata: " + json.dumps(CHANGED).encode() + b"\n\n")
        line.send({"jsonrpc": "2.0", "method": "notifications/message"})
        assert not next_of(held, "notice").is_signal
        line.send(CHANGED)
        assert next_of(held, "notice").is_signal
        line.send(b'event: foo\ndata: {"jsonrpc": "2.0", "id": 3, "result": {"tools": [1]}}\n\n')
        assert held.session.request("tools/list").result == {"tools": []}
        line.end()
        assert next_of(held, "gone")
        assert held.wait(0.05) is None
