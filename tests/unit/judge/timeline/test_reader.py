"""The reader: whose frame it is, which answer belongs to which request, and what it keeps."""

from __future__ import annotations

import itertools

import pytest
from unit.judge.looks import PICK, PRUNE, RIPEN
from unit.judge.timeline.play import META, MODERN, Play

from diagnose.evidence.recording import Header, Recording
from diagnose.judge.timeline import Reader, read
from diagnose.judge.timeline.shelf import MOST, Shelf


def states(play: Play) -> list[str]:
    return [walk.state for session in play.timeline.sessions for walk in session.walks]


def test_pages_belong_to_one_walk():
    walk = next(iter(Play().handshake().page([PICK], following="2").page([PRUNE], "2").timeline.sessions[0].walks))
    assert (walk.state, walk.frames, walk.asks) == ("complete", (5, 6, 7, 8), 2)
    assert walk.surface is not None
    assert walk.surface.names == ("pick_apples", "prune_tree")


def test_an_answer_belongs_to_its_own_exchange_though_all_ids_are_one():
    play = Play("http").handshake()
    for _ in range(2):
        play.ids = 7
        play.asks("tools/list")
    for channel, tools in (("h2", [PICK]), ("h3", [PRUNE, RIPEN])):
        body = {"jsonrpc": "2.0", "id": 8, "result": {"tools": tools}}
        play.write("server", "response", channel=channel, status=200, headers={}, message=body)
    assert [len(walk.surface.tools) for walk in play.timeline.sessions[0].walks if walk.surface] == [1, 2]


@pytest.mark.parametrize(("asked", "answered", "state"), [(1, 1.0, "complete"), (1, "1", "asking"), ("1", 1, "asking")])
def test_ids_keep_their_type(asked, answered, state):
    play = Play()
    play.write("client", message={"jsonrpc": "2.0", "id": asked, "method": "tools/list"})
    play.write("server", message={"jsonrpc": "2.0", "id": answered, "result": {"tools": []}})
    assert states(play) == [state]


def test_an_id_of_the_server_is_no_id_of_the_client():
    play = Play()
    play.write("server", message={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    play.write("client", message={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    play.write("client", message={"jsonrpc": "2.0", "id": 1, "result": {}})
    assert states(play) == ["asking"]


def test_a_batch_is_read_message_by_message():
    play = Play()
    asks = [{"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in (1, 2)]
    play.write("client", message=asks)
    play.write("server", message=[{"jsonrpc": "2.0", "id": number, "result": {"tools": []}} for number in (2, 1)])
    assert states(play) == ["complete", "complete"]


def test_a_message_may_stand_behind_its_request_and_response():
    play = Play("http")
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    play.write("client", "request", channel="a", method="POST", headers={"mcp-session-id": "fp:1"})
    play.write("client", channel="a", message=ask)
    play.write("server", "response", channel="a", status=200, headers={})
    play.write("server", channel="a", message={"jsonrpc": "2.0", "id": 1, "result": {"tools": [PICK]}})
    session = play.timeline.sessions[0]
    assert (session.id, states(play)) == ("fp:1", ["complete"])


@pytest.mark.parametrize("behind", [True, False])
def test_a_refused_exchange_refuses_what_it_asked_whatever_its_body_says(behind):
    play = Play("http")
    play.write("client", "request", channel="a", method="POST", headers={"mcp-session-id": "fp:1"}, message={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})  # fmt: skip
    body = {"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": "Session not found"}}
    play.write("server", "response", channel="a", status=404, headers={}, message=None if behind else body)
    if behind:
        play.write("server", channel="a", message=body)
    loss = next(iter(play.timeline.sessions[0].losses))
    assert (loss.refusal.status, loss.refusal.code, loss.session_id) == (404, -32600, "fp:1")
    assert states(play) == ["refused"]


def test_a_refusal_without_a_body_is_one_as_well():
    play = Play("http").handshake()
    play.asks("tools/list").answers(status=502)
    assert states(play) == ["refused"]


def test_an_answer_that_was_cut_may_come_on_another_stream():
    play = Play("http").handshake().asks("tools/list")
    play.opens("h2").write("server", "stream-close", channel="h2", by="server", clean=False)
    play.requests("GET").opens("h3")
    play.write(
        "server", channel="h3", session="fp:s1", message={"jsonrpc": "2.0", "id": 2, "result": {"tools": [PICK]}}
    )
    assert states(play) == ["complete"]


def test_a_session_is_told_by_its_id():
    play = Play("http").handshake(session="fp:1").lists(PICK).handshake(session="fp:2").lists(PRUNE)
    play.session = "fp:1"
    play.lists(RIPEN)
    assert [session.walks.total for session in play.timeline.sessions] == [2, 1]


def test_a_client_that_comes_again_is_one_client():
    play = Play("http").handshake(session="fp:1").lists(PICK).handshake(session="fp:2").lists(PRUNE)
    (client,) = play.timeline.clients
    assert len(client.sessions) == 2


def test_two_sessions_in_use_at_one_time_are_two_clients():
    play = Play("http").handshake(session="fp:1").lists(PICK).handshake(session="fp:2").lists(PRUNE)
    play.session = "fp:1"
    play.lists(RIPEN)
    assert [client.name for client in play.timeline.clients] == ["orchard-desk (session 1)", "orchard-desk (session 2)"]


def test_modern_requests_belong_to_their_client_and_authorization():
    play = Play("http", version=MODERN, client="one").lists(PICK)
    play.client = "two"
    play.lists(PRUNE)
    play.client, play.principal = "one", "B"
    play.lists(RIPEN)
    told = [(session.client, session.principal) for session in play.timeline.sessions]
    assert told == [("one", None), ("two", None), ("one", "B")]


def test_each_start_of_a_process_is_a_session():
    play = Play().starts().handshake().lists(PICK).exits().starts().handshake().lists(PICK)
    assert [session.walks.total for session in play.timeline.sessions] == [1, 1]
    assert len(play.timeline.clients) == 1


def test_the_shortest_event_is_read():
    ask = {"t": 0, "from": "client", "message": {"id": 1, "method": "tools/list"}}
    told = {"t": 0.1, "from": "server", "message": {"id": 1, "result": {"tools": [PICK]}}}
    assert states_of([{"schema": "diagnose.recording/1"}, ask, told]) == ["complete"]


def states_of(lines: list[dict[str, object]]) -> list[str]:
    reader = Reader(Header())
    for event in Recording.of_objects(lines).events:
        reader.feed(event)
    return [walk.state for session in reader.timeline().sessions for walk in session.walks]


@pytest.mark.parametrize("hop", ["client-server", "client-gateway", "gateway-server"])
def test_layers_of_a_hop(hop):
    expected = {
        "client-server": ("origin", "wire"),
        "client-gateway": ("path", "wire"),
        "gateway-server": ("origin", "path"),
    }
    line = Play(hop=hop).timeline
    assert (line.layer("server"), line.layer("client")) == expected[hop]


def test_equal_lists_are_kept_once():
    play = Play().handshake()
    for _ in range(5):
        play.lists(PICK, PRUNE)
    surfaces = {id(walk.surface) for walk in play.timeline.sessions[0].walks}
    assert len(surfaces) == 1


def test_a_long_session_keeps_its_beginning_and_its_newest():
    play = Play().handshake()
    for _ in range(MOST + 20):
        play.lists(PICK)
    play.lists(PICK, PRUNE)
    session = play.timeline.sessions[0]
    assert (session.walks.total, len(session.walks)) == (MOST + 21, MOST)
    assert session.walks.newest is session.held
    assert session.held is not None
    assert session.held.surface is not None
    assert session.held.surface.count == 2


def test_a_shelf_counts_what_it_drops():
    shelf: Shelf[int] = Shelf(most=3)
    for number in range(10):
        shelf.put(number)
    assert (list(shelf), shelf.total, shelf.dropped, shelf.newest) == ([0, 1, 9], 10, 7, 9)


def test_a_clock_that_goes_back_does_not():
    play = Play().handshake()
    play.t = -5.0
    play.lists(PICK)
    times = [walk.asked.t for walk in play.timeline.sessions[0].walks]
    assert times == [0.03]


def test_calls_stand_by_the_list_in_force():
    play = Play().handshake().lists(PICK, PRUNE).calls("pick_apples").calls("ripen").lists(PICK).calls("prune_tree")
    session = play.timeline.sessions[0]
    assert {tool: tally.count for tool, tally in session.tallies.items()} == {"pick_apples": 1}
    assert [(call.tool, call.standing) for call in session.calls] == [("ripen", "unlisted"), ("prune_tree", "removed")]


def test_of_a_list_that_was_not_read_to_its_end_no_call_stands():
    play = Play().handshake().page([PICK], following="2").calls("prune_tree")
    assert [call.standing for call in play.timeline.sessions[0].calls] == ["unknown"]


def test_a_subscription_ends_with_its_answer():
    play = Play("http", version=MODERN).handshake().listens().wait(9)
    play.write("server", channel=play.stream, message={"jsonrpc": "2.0", "id": play.subscription, "result": {}})
    (stream,) = play.timeline.sessions[0].streams
    assert (stream.clean, stream.by) == (True, "server")
    assert stream.granted == {"toolsListChanged": True}


def test_on_stdio_a_subscription_is_told_by_its_id():
    play = Play(version=MODERN).handshake().lists(PICK).listens().wait(2).signals()
    session = play.timeline.sessions[0]
    assert (session.signals.total, session.strays.total) == (1, 0)
    meta = {f"{META}subscriptionId": "another"}
    play.write(
        "server", message={"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta}}
    )
    assert play.timeline.sessions[0].strays.total == 1


def test_a_timeline_may_be_asked_for_at_any_time():
    play = Play("http").handshake().listens().lists(PICK).wait(1).signals().asks("tools/list").answers(status=502)
    events = play.recording.events
    for length in range(len(events) + 1):
        reader = Reader(play.recording.header)
        for event in itertools.islice(events, length):
            reader.feed(event)
        assert reader.timeline().events == length


def got(path, **headers):
    return {"t": 0.5, "from": "client", "kind": "request", "method": "GET", "path": path, "headers": headers}


@pytest.mark.parametrize(
    "request_",
    [
        got("/.well-known/oauth-protected-resource/mcp", accept="text/event-stream"),
        got("/mcp/.well-known/oauth-protected-resource", accept="*/*"),
        got("/mcp", accept="*/*"),
        {**got("/register", **{"content-type": "application/x-www-form-urlencoded"}), "method": "POST"},
    ],
)
def test_who_looks_for_a_login_opens_no_channel_and_is_no_session(request_):
    refused = {"t": 0.6, "from": "server", "kind": "response", "status": 404, "headers": {}, "channel": "h1"}
    header = {"schema": "diagnose.recording/1", "transport": "http"}
    line = read(Recording.of_objects([header, {**request_, "channel": "h1"}, refused]))
    assert (line.sessions, line.sees_http) == ((), True)


@pytest.mark.parametrize("headers", [{"accept": "application/json, text/event-stream"}, {}])
def test_who_asks_for_a_stream_or_may_have_listens(headers):
    line = read(Recording.of_objects([{"schema": "diagnose.recording/1", "transport": "http"}, got("/mcp", **headers)]))
    assert [stream.purpose for stream in line.sessions[0].streams] == ["get"]


def test_a_recording_that_hides_gets_shows_nobody_who_did_not_listen():
    header = {"schema": "diagnose.recording/1", "transport": "http", "hides": ["GET"]}
    assert not read(Recording.of_objects([header, {**got("/mcp"), "method": "POST"}])).sees_http
