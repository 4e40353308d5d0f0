"""What is kept of HTTP: each exchange as it crossed, whatever the reader made of it. Real sockets."""

import json

import pytest
from support.mcp_http import Said, answering, events, html, legacy, result
from support.recorded import recorder, told

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.observe.recorded_http import RecordedHttp
from diagnose.observe.session import open_http


@pytest.fixture
def kept():
    return recorder()


def test_a_session_is_kept_whole(http, kept):
    with answering(legacy(session="s-1")) as url, open_http(http, f"{url}?key=s3cret", recorder=kept) as session:
        session.request("tools/list")
    recording = kept.recording()
    assert told(recording) == [
        "client request POST",
        "server response 400",
        "client request POST",
        "server response 200",
        "client request POST",
        "server response 202",
        "client request POST",
        "server response 200",
        "client request DELETE",
        "server response 405",
    ]
    discover, refused, initialize, *_ = recording.events
    assert discover.message["method"] == "server/discover"
    assert (discover.path, discover.headers["mcp-method"]) == ("/mcp", "server/discover")
    assert refused.message["error"]["code"] == -32600
    assert {event.channel for event in recording.events} == {f"http:{number}" for number in range(1, 6)}
    assert initialize.session is None
    assert {event.session for event in recording.events[3:]} == {kept.fingerprint("s-1")}
    assert "s-1" not in json.dumps(kept.lines())
    assert "s3cret" not in json.dumps(kept.lines())


def test_an_answer_as_a_stream_is_kept_event_by_event(http, kept):
    def streamed(asked):
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
        answer = {"jsonrpc": "2.0", "id": asked.id, "result": {"tools": []}}
        said = events(note, "no json", answer)
        said.body.insert(0, b": keep alive\n\nevent: foo\ndata: " + json.dumps(note).encode() + b"\n\n")
        return said

    with (
        answering(legacy(tools__list=streamed)) as url,
        open_http(http, url, era="legacy", recorder=kept) as session,
    ):
        session.request("tools/list")
    assert told(kept.recording())[4:11] == [
        "client request POST",
        "tap stream-open response 200",
        'server raw b\'event: foo\\ndata: {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}\'',
        "server raw b': keep alive'",
        "server notifications/message",
        "server raw b'no json'",
        "server",
    ]
    assert told(kept.recording())[11] == "client stream-close clean"


@pytest.mark.parametrize(
    ("said", "kept_of_it"),
    [
        (Said(body=b'{"jsonrpc": "2.0", '), ["server response 200", 'server raw b\'{"jsonrpc": "2.0", \'']),
        (Said(status=503, body=b"busy", kind="text/plain"), ["server response 503"]),
        (html(200), ["server response 200"]),
        (Said(status=401), ["server response 401"]),
    ],
)
def test_an_answer_that_is_no_message_is_kept_as_what_it_is(http, kept, said, kept_of_it):
    recorded = RecordedHttp(http, kept)
    with answering(legacy(initialize=said)) as url, pytest.raises((ObservationError, CredentialRefusedError)):
        open_http(recorded, url, era="legacy")
    assert told(kept.recording())[1 : 1 + len(kept_of_it)] == kept_of_it


def test_no_answer_at_all_is_kept_too(http, kept):
    with answering(legacy()) as url:
        pass
    with pytest.raises(ObservationError), RecordedHttp(http, kept).stream("GET", url, retry=False):
        pass
    (asked, failed) = kept.recording().events
    assert (asked.kind, failed.kind) == ("request", "action")
    assert failed.text == "client connected; the server refused the connection"


def test_a_body_that_nobody_reads_is_kept_by_its_status(http, kept):
    with answering(legacy(GET=lambda asked: result(asked, {}))) as url, RecordedHttp(http, kept).stream("GET", url):
        pass
    assert told(kept.recording()) == ["client request GET", "server response 200"]


def test_a_get_that_goes_on_with_an_answer_is_part_of_that_answer(http, kept):
    def cut(asked):
        return events({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}, cut=True, ids=True)

    def rest(asked):
        assert asked.headers["last-event-id"] == "1"
        return events({"jsonrpc": "2.0", "id": 2, "result": {"tools": []}})

    with (
        answering(legacy(tools__list=cut, GET=rest)) as url,
        open_http(http, url, era="legacy", recorder=kept, sleep=lambda _: None) as session,
    ):
        session.request("tools/list")
    streams = [event for event in kept.recording().events if event.kind == "stream-open"]
    assert [event.purpose for event in streams] == ["response", "response"]
    assert "tap" not in {event.sender for event in kept.recording().events if event.kind == "stream-close"}
