"""Captures of other programs are read as the recordings that a tap would have made."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import diagnose
from unit.tap.test_har import HELLO, PLANTED, TOOLS, WELCOME

from diagnose.errors import InputError
from diagnose.judge.timeline import read
from diagnose.tap.captures import read_capture

KEY = b"k" * 32
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "pick_apples", "arguments": {"a": PLANTED}},
}
DONE = {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": PLANTED}]}}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def lines(values):
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def snooped(*said, transport="stdio", session="s1", start=0):
    """A log of mcpsnoop: who said what, and what else its envelope holds."""
    for number, (direction, raw, more) in enumerate(said, start):
        envelope = {
            "session_id": session,
            "server_label": "orchard",
            "seq": number + 1,
            "ts": f"2026-11-30T12:00:{number:02}.123456789Z",
            "direction": direction,
            "transport": transport,
        }
        yield {**envelope, **({"raw": raw} if raw is not None else {}), **more}


PIPE = [
    ("meta", {"command": ["/usr/bin/node", f"--token={PLANTED}"]}, {}),
    ("c2s", HELLO, {}),
    ("s2c", WELCOME, {}),
    ("c2s", LIST, {}),
    ("s2c", TOOLS, {}),
    ("stderr", None, {"text": "ready"}),
    ("c2s", CALL, {}),
    ("s2c", CHANGED, {}),
    ("s2c", DONE, {}),
]


def read_it(data):
    return read_capture(data, lambda: KEY, source="capture")


def told(recording):
    def word(event):
        message = event.message if isinstance(event.message, dict) else {}
        return (event.kind, event.sender, message.get("method") or message.get("id", event.status))

    return [word(event) for event in recording.events]


def test_a_log_of_a_pipe_is_read_in_its_order_and_without_secrets():
    recording = read_it(lines(snooped(*PIPE)))
    assert recording.header.target == {"transport": "stdio", "command": "node"}
    assert recording.header.started_at == "2026-11-30T12:00:00.123Z"
    assert told(recording) == [
        ("message", "client", "initialize"),
        ("message", "server", 0),
        ("message", "client", "tools/list"),
        ("message", "server", 1),
        ("stderr", "server", None),
        ("message", "client", "tools/call"),
        ("message", "server", "notifications/tools/list_changed"),
        ("message", "server", 2),
    ]
    assert [event.t for event in recording.events] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert PLANTED not in repr(recording)
    assert recording.notes == ()
    [session] = read(recording).sessions
    assert (session.signals.total, session.walks.newest.surface.names) == (1, ("pick_apples",))


def test_a_log_of_http_is_put_together_by_its_connections():
    said = [
        ("c2s", HELLO, {"conn_id": "a", "mcp_protocol_version": "2025-11-25"}),
        ("s2c", WELCOME, {"conn_id": "a", "status": 200}),
        ("c2s", INITIALIZED, {"conn_id": "a"}),
        ("s2c", None, {"conn_id": "a", "status": 202}),
        ("c2s", LIST, {"conn_id": "a", "mcp_method": "tools/list"}),
        ("s2c", CHANGED, {"conn_id": "b", "status": 200}),
        ("s2c", TOOLS, {"conn_id": "a", "status": 200}),
        ("c2s", CALL, {"conn_id": "a"}),
        ("s2c", {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}, {"conn_id": "a", "status": 200}),
        ("s2c", DONE, {"conn_id": "a", "status": 200}),
        ("s2c", None, {"conn_id": "a", "status": 200}),
    ]
    recording = read_it(lines(snooped(*said, transport="http")))
    assert (
        told(recording)
        == [
            ("request", "client", "initialize"),
            ("response", "server", 0),
            ("request", "client", "notifications/initialized"),
            ("response", "server", 202),
            ("request", "client", None),
            ("stream-open", "tap", 200),
            ("message", "server", "notifications/tools/list_changed"),
            ("request", "client", "tools/list"),
            ("response", "server", 1),
            ("request", "client", "tools/call"),
            ("stream-open", "tap", 200),
            ("message", "server", "notifications/progress"),
            ("message", "server", 2),
            ("stream-close", "server", None),
        ]
        or told(recording)[4][2] == "tools/list"
    )
    purposes = [event.purpose for event in recording.events if event.kind == "stream-open"]
    assert sorted(purposes) == ["get", "response"]
    assert [e.headers for e in recording.events if e.message == LIST] == [
        {"content-type": "application/json", "mcp-method": "tools/list"}
    ]
    [session] = read(recording).sessions
    assert session.signals.total == 1


def test_a_batch_is_put_together_again():
    said = [
        ("c2s", LIST, {"conn_id": "a", "batch": True}),
        ("c2s", CALL, {"conn_id": "a", "batch": True}),
        ("s2c", TOOLS, {"conn_id": "a", "status": 200, "batch": True}),
        ("s2c", DONE, {"conn_id": "a", "status": 200, "batch": True}),
    ]
    recording = read_it(lines(snooped(*said, transport="http")))
    assert [len(event.message) for event in recording.events if isinstance(event.message, list)] == [2]
    assert [event.message["id"] for event in recording.events if isinstance(event.message, dict)] == [1, 2]


def test_what_a_log_lacks_is_said():
    other = snooped(("c2s", LIST, {}), session="s2")
    cut = ("s2c", None, {"text": '{"jsonrpc"', "truncated": True})
    recording = read_it(lines([*snooped(*PIPE[:3], cut), *snooped(PIPE[4], start=9), *other]))
    assert [note.split(":")[0] for note in recording.notes] == [
        "1 lines are of another session, or no lines of mcpsnoop, and were passed over",
        "5 frames are missing",
        "1 frames were cut by mcpsnoop and passed over",
    ]
    assert not list(read(recording).corruptions)


def saved(second, message, *, origin="client", answer=None):
    direction = "response" if "method" not in message else "request" if "id" in message else "notification"
    entry = {
        "id": f"e{second}",
        "timestamp": f"2026-11-30T12:00:{second:02}.000Z",
        "direction": direction,
        "origin": origin,
        "message": message,
    }
    return entry if answer is None else {**entry, "response": answer, "duration": 250}


PROTOCOL = [
    saved(1, HELLO, answer=WELCOME),
    saved(2, INITIALIZED),
    saved(3, LIST, answer=TOOLS),
    saved(5, CHANGED, origin="server"),
    saved(4, CALL, answer=DONE),
]


@pytest.mark.parametrize("form", [lines, lambda values: json.dumps(values, indent=2).encode()])
def test_messages_that_the_inspector_saved_are_read_in_their_order(form):
    recording = read_it(form(PROTOCOL))
    assert told(recording) == [
        ("message", "client", "initialize"),
        ("message", "server", 0),
        ("message", "client", "notifications/initialized"),
        ("message", "client", "tools/list"),
        ("message", "server", 1),
        ("message", "client", "tools/call"),
        ("message", "server", 2),
        ("message", "server", "notifications/tools/list_changed"),
    ]
    assert [event.t for event in recording.events] == [0, 0.25, 1, 2, 2.25, 3, 3.25, 4]
    assert "keeps no connections" in recording.notes[0]
    assert PLANTED not in repr(recording)
    assert read(recording).sessions[0].signals.total == 1


def fetched(second, message, answer, status=200, **more):
    return {
        "id": f"f{second}",
        "timestamp": f"2026-11-30T12:00:{second:02}.000Z",
        "method": "POST",
        "url": f"https://orchard.test/mcp?key={PLANTED}",
        "requestHeaders": {"Content-Type": "application/json", "X-Api-Key": PLANTED},
        "requestBody": json.dumps(message),
        "responseStatus": status,
        "responseHeaders": {"content-type": "text/event-stream", "mcp-session-id": PLANTED},
        "responseBody": f"event: message\ndata: {json.dumps(answer)}\n\n",
        "duration": 20,
        "category": "transport",
        **more,
    }


def test_exchanges_that_the_inspector_saved_are_read_without_secrets():
    stream = {"method": "GET", "requestBody": None, "responseBody": None}
    network = [
        fetched(1, HELLO, WELCOME),
        fetched(2, LIST, None, **stream),
        fetched(3, LIST, TOOLS),
        fetched(4, CALL, DONE, status=None, responseBody=None),
    ]
    recording = read_it(json.dumps(network).encode())
    assert PLANTED not in repr(recording)
    [session] = read(recording).sessions
    assert session.walks.newest.surface.names == ("pick_apples",)
    [channel] = session.streams
    # It was open, and what came on it is not kept: so nothing may be made of that nothing came.
    assert (channel.purpose, channel.opened, channel.closed) == ("get", None, None)
    assert told(recording)[-1] == ("action", "tap", None)


INSPECTOR = Path(__file__).parents[2] / "recordings" / "inspector"


@pytest.mark.parametrize(("name", "transport"), [("protocol", "stdio"), ("network", "http")])
def test_what_the_inspector_really_saved_is_read(name, transport):
    """Saved by its page (2.12.0) after it had listed server-everything; the lists are cut to a few entries."""
    recording = read_it((INSPECTOR / f"{name}.json").read_bytes())
    [session] = read(recording).sessions
    assert (session.client, session.client_version, session.era) == ("mcp-inspector", "2.12.0", "legacy")
    assert session.transport == transport
    assert session.walks.newest.surface.names == ("echo", "get-annotated-message", "get-env")
    assert session.declares_changes


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"[1, 2]", b'[{"a": 1}]', b'"text"', b"7", b"\xff\xfe", b'{"a": 1}\n{"b": 2}', b'{"log": 1}'],
)
def test_what_nobody_knows_is_refused(data):
    with pytest.raises(InputError, match=r"no recording|nothing here knows|no HAR"):
        read_it(data)


@pytest.mark.parametrize(
    "data",
    [lines([{"session_id": 1, "seq": 1, "ts": "x", "direction": "c2s"}]), lines([{**PROTOCOL[0], "timestamp": 1e99}])],
)
def test_a_capture_without_times_is_refused(data):
    with pytest.raises(InputError, match="time"):
        read_it(data)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.sampled_from([*PIPE]), max_size=6), st.data())
def test_any_values_are_read_or_refused(said, data):
    for form in (list(snooped(*said)), list(snooped(*said, transport="http")), PROTOCOL, [fetched(1, HELLO, WELCOME)]):
        broken = [dict(each) for each in form]
        for each in broken:
            each[data.draw(st.sampled_from(sorted(each)))] = data.draw(ANYTHING)
        try:
            read(read_it(lines(broken)))
        except InputError:
            continue


def test_the_program_reads_one(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(snooped(*PIPE[:-2])))
    ran = diagnose("triage", "--recording", str(path), "--format", "json")
    assert json.loads(ran.out)["schema"] == "diagnose.diagnosis/1", ran.err
