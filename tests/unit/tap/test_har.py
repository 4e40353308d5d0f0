"""A HAR file is read as the recording that a tap would have made."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import diagnose

from diagnose.errors import InputError
from diagnose.judge.timeline import read
from diagnose.tap.har import recording_of_har

KEY = b"k" * 32
PLANTED = "Plum-7141-Xylophone"
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "clientInfo": {"name": "barrow-bot", "version": "1"},
        "capabilities": {},
    },
}
WELCOME = {
    "jsonrpc": "2.0",
    "id": 0,
    "result": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "orchard", "version": "1"},
    },
}
TOOLS = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "pick_apples", "inputSchema": {"type": "object"}}]}}


def entry(second, asked, answer, *, stream=False, encoded=False, status=200):
    said = json.dumps(answer)
    text = f"event: message\ndata: {said}\n\n" if stream else said
    content = {"text": base64.b64encode(text.encode()).decode(), "encoding": "base64"} if encoded else {"text": text}
    kind = "text/event-stream" if stream else "application/json"
    return {
        "startedDateTime": f"2026-11-30T12:00:{second:02}.000Z",
        "time": 250.0,
        "request": {
            "method": "POST",
            "url": f"https://orchard.test/mcp?key={PLANTED}",
            "headers": [
                {"name": ":authority", "value": "orchard.test"},
                {"name": "authorization", "value": f"Bearer {PLANTED}"},
                {"name": "content-type", "value": "application/json"},
            ],
            "postData": {"mimeType": "application/json", "text": json.dumps(asked)},
        },
        "response": {
            "status": status,
            "headers": [{"name": "content-type", "value": kind}, {"name": "content-encoding", "value": "br"}],
            "content": content,
        },
    }


def har(*entries):
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}}).encode()


def test_a_session_is_read_in_its_order_and_without_secrets():
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "pick_apples", "arguments": {"row": PLANTED}},
    }
    done = {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": PLANTED}]}}
    recording = recording_of_har(
        har(entry(9, call, done, encoded=True), entry(1, HELLO, WELCOME), entry(5, listing, TOOLS, stream=True)), KEY
    )
    assert recording.header.started_at == "2026-11-30T12:00:01.000Z"
    assert [e.kind for e in recording.events] == [
        "request",
        "response",
        "request",
        "stream-open",
        "message",
        "stream-close",
        "request",
        "response",
    ]
    assert [e.t for e in recording.events][-2:] == [8.0, 8.25]
    assert PLANTED not in repr(recording)
    [session] = read(recording).sessions
    assert (session.client, session.walks.newest.surface.names) == ("barrow-bot", ("pick_apples",))


def test_a_request_without_an_answer_is_told():
    recording = recording_of_har(har(entry(1, HELLO, WELCOME, status=0)), KEY)
    assert [e.kind for e in recording.events] == ["request", "action"]


def test_triage_reads_one(tmp_path):
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    ping, pong = {"jsonrpc": "2.0", "id": 2, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "result": {}}
    paged = {**TOOLS, "result": {**TOOLS["result"], "nextCursor": "page-2"}}
    (tmp_path / "session.har").write_bytes(
        har(entry(1, HELLO, WELCOME), entry(5, listing, paged), entry(40, ping, pong))
    )
    ran = diagnose("triage", "--recording", str(tmp_path / "session.har"), "--format", "json")
    assert json.loads(ran.out)["verdict"]["cause"] == "page-truncated", ran.err


@pytest.mark.parametrize("data", [b"", b"[]", b'{"log": {}}', b'{"log": {"entries": 7}}'])
def test_what_is_no_har_is_refused(data):
    with pytest.raises(InputError, match="no HAR file"):
        recording_of_har(data, KEY)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "request",
                    "response",
                    "headers",
                    "content",
                    "text",
                    "status",
                    "startedDateTime",
                    "time",
                    "url",
                    "name",
                    "value",
                    "postData",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@given(st.lists(JSON, max_size=4), st.sampled_from(["2026-11-30T12:00:00Z", "0001-01-01T00:00:00Z", "x"]))
def test_nothing_else_is_raised_for_any_entry(entries, when):
    started = [{**each, "startedDateTime": when} if isinstance(each, dict) else each for each in entries]
    recording_of_har(json.dumps({"log": {"entries": started}}).encode(), KEY)
