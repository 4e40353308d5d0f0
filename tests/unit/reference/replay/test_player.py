"""A replay: who says what the recorded client said gets what it got; anything else is refused by name."""

import json
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.errors import InputError
from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.reference.replay.player import Player
from diagnose.reference.replay.tape import tape_of
from diagnose.reference.replay.words import readdressed

RECORDINGS = sorted((Path(__file__).parents[3] / "recordings").glob("*/*.jsonl"))
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Mouth:
    """Keeps what is said."""

    def __init__(self):
        self.said, self.heads, self.ends = [], [], []
        self.over = threading.Event()

    def begin(self, status, headers, *, streams):
        self.heads.append((status, streams))

    def say(self, message):
        self.said.append(message)

    def raw(self, data):
        self.said.append(data)

    def end(self, *, clean, code=None):
        self.ends.append(code if code is not None else clean)
        self.over.set()


def request(id_, method, **params):
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def result(id_, **members):
    return {"jsonrpc": "2.0", "id": id_, "result": members}


def taped(*said, transport="stdio"):
    """A tape of who said what, one second apart: ``(from, message)``, or a whole event."""
    events = [
        {"t": float(t), **(each if isinstance(each, dict) else {"from": each[0], "message": each[1]})}
        for t, each in enumerate(said)
    ]
    return tape_of(Recording.of_objects([{"schema": SCHEMA, "transport": transport}, *events], source="a.jsonl"))


def playing(tape):
    player = Player(tape, longest=0.0)
    player.start()
    return player


def hear(player, message, mouth=None, **options):
    """Say something to a player and return all that it says for it."""
    mouth = mouth or Mouth()
    before = len(mouth.said)
    player.hear(message, mouth, **options)
    player.finish(60)
    return mouth.said[before:]


LISTED = [
    ("client", request(1, "tools/list")),
    ("server", result(1, tools=[{"name": "pick_apples"}])),
    ("client", request(2, "tools/call", name="ripen")),
    ("server", CHANGED),
    ("server", result(2, content=[])),
    ("client", request(3, "tools/list")),
    ("server", result(3, tools=[{"name": "press_cider"}])),
]


@pytest.mark.parametrize("path", RECORDINGS, ids=[path.stem for path in RECORDINGS])
def test_the_recorded_client_gets_what_it_got(path):
    recording = Recording.of_lines(path.read_bytes().splitlines(), source=path.name)
    tape = tape_of(recording)
    player, mouths = playing(tape), {}
    for cue in tape.cues:
        mouth = mouths.setdefault(cue.channel, Mouth())
        player.hear(cue.message, mouth, verb=cue.verb, session=cue.key[1])
        player.finish(60)
    told = {}
    for event in recording.events:
        if event.sender == "server" and event.message is not None:
            told.setdefault(event.channel or "stdio", []).append(readdressed(event.message, None, None))
    for channel, messages in told.items():
        assert [each for each in mouths[channel].said if not isinstance(each, bytes)] == messages


def test_ids_and_tokens_are_those_of_who_asks():
    asked = request(7, "tools/call", name="ripen", _meta={"progressToken": "a"})
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "a", "progress": 1}}
    player = playing(taped(("client", asked), ("server", progress), ("server", result(7, content=[]))))
    said = hear(player, request("x", "tools/call", name="ripen", _meta={"progressToken": 5}))
    assert said == [{**progress, "params": {"progressToken": 5, "progress": 1}}, result("x", content=[])]


def test_a_signal_comes_where_it_came_and_the_next_list_is_the_new_one():
    player, mouth = playing(taped(*LISTED)), Mouth()
    first = hear(player, request(11, "tools/list"), mouth)
    called = hear(player, request(12, "tools/call", name="ripen"), mouth)
    second = hear(player, request(13, "tools/list"), mouth)
    assert first == [result(11, tools=[{"name": "pick_apples"}])]
    assert called == [CHANGED, result(12, content=[])]
    assert second == [result(13, tools=[{"name": "press_cider"}])]


def test_a_list_is_answered_as_before_until_the_server_has_said_that_it_changed():
    player, mouth = playing(taped(*LISTED[:5])), Mouth()
    again = [hear(player, request(number, "tools/list"), mouth)[0]["result"] for number in (1, 2)]
    assert again[0] == again[1]
    hear(player, request(3, "tools/call", name="ripen"), mouth)
    [refused] = hear(player, request(4, "tools/list"), mouth)
    assert refused["error"]["message"] == (
        "This is a replay of a.jsonl, which has no answer to tools/list: the list has changed since the last answer."
    )


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (request(1, "prompts/list"), -32601),
        (request(1, "tools/list", cursor="page-9"), -32603),
        (request(1, "tools/call", name="prune_tree"), -32603),
    ],
)
def test_what_was_not_asked_for_is_refused_in_the_name_of_the_replay(asked, code):
    [refused] = hear(playing(taped(*LISTED)), asked)
    assert (refused["id"], refused["error"]["code"]) == (1, code)
    assert "This is a replay of a.jsonl" in refused["error"]["message"]


def test_who_was_not_answered_is_not_answered():
    player = playing(taped(("client", request(1, "tools/list"))))
    assert hear(player, request(1, "tools/list")) == []


def test_a_server_that_ended_while_it_was_asked_ends_again():
    exit_ = {"from": "tap", "kind": "process", "event": "exit", "code": 3}
    mouth = Mouth()
    hear(playing(taped(("client", request(1, "server/discover")), exit_)), request(1, "server/discover"), mouth)
    assert mouth.ends == [3]
    mouth = Mouth()
    tape = taped(("client", request(1, "ping")), ("server", result(1)), exit_)
    hear(playing(tape), request(1, "ping"), mouth)
    assert (mouth.ends, tape.code) == ([], 3)


def test_a_new_handshake_begins_the_recording_anew():
    hello = [("client", request(0, "initialize")), ("server", result(0, protocolVersion="2025-11-25"))]
    player, mouth = playing(taped(*hello, *LISTED)), Mouth()
    for _ in range(2):
        assert len(hear(player, request(0, "initialize"), mouth)) == 1
        assert hear(player, request(1, "tools/list"), mouth)[0]["result"]["tools"] == [{"name": "pick_apples"}]
        hear(player, request(2, "tools/call", name="ripen"), mouth)
        assert hear(player, request(3, "tools/list"), mouth)[0]["result"]["tools"] == [{"name": "press_cider"}]


def test_bytes_that_were_no_message_are_said_again():
    banner = {"from": "server", "kind": "raw", "text": "starting up"}
    player = playing(taped(("client", request(1, "ping")), banner, ("server", result(1))))
    assert sorted(map(repr, hear(player, request(1, "ping")))) == sorted(map(repr, [b"starting up", result(1)]))


def test_what_was_left_out_is_filled_in():
    omitted = {"$omitted": {"bytes": 12, "mac": "ab", "type": "string"}}
    item = {"$omitted": {"bytes": 40, "mac": "cd", "type": "object"}}
    tool = {"name": "ripen", "inputSchema": {"type": "object"}, "$redacted": True, "$digest": "00"}
    answer = result(1, content=[{"type": "text", "text": omitted}, item], structuredContent=item, tools=[tool])
    [said] = hear(playing(taped(("client", request(1, "x")), ("server", answer))), request(1, "x"))
    assert said["result"] == {
        "content": [
            {"type": "text", "text": "(left out of the recording: 12 bytes)"},
            {"type": "text", "text": "(left out of the recording)"},
        ],
        "structuredContent": {},
        "tools": [{"name": "ripen", "inputSchema": {"type": "object"}}],
    }
    assert "$" not in json.dumps(said)


def test_a_subscription_is_named_by_its_new_id():
    meta = {"io.modelcontextprotocol/subscriptionId": 4}
    ack = {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"_meta": meta}}
    signal = {**CHANGED, "params": {"_meta": meta}}
    player = playing(taped(("client", request(4, "subscriptions/listen")), ("server", ack), ("server", signal)))
    said = hear(player, request("new", "subscriptions/listen"))
    assert [each["params"]["_meta"] for each in said] == [{"io.modelcontextprotocol/subscriptionId": "new"}] * 2


def test_two_eras_and_two_sessions_are_told_apart():
    def exchange(channel, id_, name, session=None, meta=None):
        headers = {} if session is None else {"mcp-session-id": session}
        params = {} if meta is None else {"_meta": meta}
        yield {
            "from": "client",
            "kind": "request",
            "method": "POST",
            "path": "/mcp",
            "channel": channel,
            "headers": headers,
            "message": request(id_, "tools/list", **params),
        }
        yield {
            "from": "server",
            "kind": "response",
            "status": 200,
            "channel": channel,
            "message": result(id_, tools=[{"name": name}]),
        }

    modern = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    tape = taped(
        *exchange("h1", 1, "one", session="fp:1"),
        *exchange("h2", 1, "two", session="fp:2"),
        *exchange("h3", 1, "three", meta=modern),
        transport="http",
    )
    player = playing(tape)
    assert hear(player, request(9, "tools/list"), session="fp:2") == [result(9, tools=[{"name": "two"}])]
    assert hear(player, request(9, "tools/list", _meta=modern)) == [result(9, tools=[{"name": "three"}])]
    assert hear(player, request(9, "tools/list"), session="fp:1") == [result(9, tools=[{"name": "one"}])]
    assert "error" in hear(player, request(9, "tools/list"), session="fp:3")[0]


LINES = [json.loads(line) for path in RECORDINGS for line in path.read_bytes().splitlines()[1:]]
ODD = st.none() | st.integers() | st.text(max_size=4) | st.lists(st.integers(), max_size=2) | st.just({"$omitted": 7})


@settings(max_examples=60)
@given(st.lists(st.integers(0, len(LINES) - 1), max_size=12), st.data())
def test_any_order_of_any_events_is_played_or_refused(numbers, data):
    lines = [dict(LINES[number]) for number in numbers]
    for line in lines:
        name = data.draw(st.sampled_from(sorted(line)))
        if data.draw(st.booleans()):
            line[name] = data.draw(ODD)
    header = {"schema": SCHEMA, "transport": data.draw(st.sampled_from(["stdio", "http"]))}
    try:
        tape = tape_of(Recording.of_objects([header, *lines]))
    except InputError:
        return
    player, mouth = playing(tape), Mouth()
    for cue in tape.cues:
        player.hear(cue.message, mouth, verb=cue.verb, session=cue.key[1])
    assert player.finish(60)
