"""The recorder: what it keeps is what a tap would have written, and no secret is in it."""

import json
import threading

from diagnose.evidence.recording import Recording
from diagnose.observe.recorder import MAX_RAW, Recorder

KEY = b"k" * 32


def recorder(**options):
    options = {"transport": "http", "started_at": "2026-11-30T12:00:00.000Z", "key": KEY, **options}
    return Recorder(**options)


def test_what_is_kept_is_a_recording():
    ticks = iter([10.0, 10.5, 11.25])
    kept = recorder(clock=lambda: next(ticks))
    kept.add("client", "message", channel="stdio", message={"jsonrpc": "2.0", "id": 1, "method": "ping"}, session=None)
    kept.end("closed")
    recording = kept.recording()
    assert recording.header.started_at == "2026-11-30T12:00:00.000Z"
    assert recording.header.client["id"] == "diagnose"
    assert recording.ended == "closed"
    (event, end) = recording.events
    assert (event.frame, event.t, event.sender, event.channel, event.session) == (2, 0.5, "client", "stdio", None)
    assert event.message["method"] == "ping"
    assert (end.frame, end.t) == (3, 1.25)


def test_its_lines_are_those_of_a_file():
    kept = recorder()
    kept.raw("server", b"\xff banner", channel="stdio")
    kept.raw("server", b"hello", channel="stdio")
    kept.action("a change was provoked")
    lines = [json.dumps(line) for line in kept.lines()]
    assert "session" not in lines[1]
    again = Recording.of_lines(lines)
    assert [event.data for event in again.events] == [b"\xff banner", b"hello", None]
    assert again.events == kept.recording().events


def test_a_recording_without_an_end_is_one_that_was_cut():
    assert recorder().recording().ended is None


def test_secret_headers_are_fingerprints_and_equal_ones_stay_tellable():
    kept = recorder()
    one = kept.headers({"Authorization": "Bearer s3cret", "Mcp-Session-Id": "abc", "Accept": "text/event-stream"})
    two = kept.headers({"authorization": "Bearer s3cret"})
    assert one["authorization"] == two["authorization"] == kept.fingerprint("Bearer s3cret")
    assert one["authorization"].startswith("fp:")
    assert one["mcp-session-id"] == kept.fingerprint("abc")
    assert one["accept"] == "text/event-stream"
    assert recorder(key=b"o" * 32).fingerprint("abc") != kept.fingerprint("abc")


def test_every_request_bears_the_principal():
    kept = recorder(principal="fp:0011223344")
    kept.add("client", "request", channel="http:1")
    kept.add("server", "response", channel="http:1")
    asked, answered = kept.recording().events
    assert (asked.principal, answered.principal) == ("fp:0011223344", None)


def test_beyond_its_events_it_ends_and_says_so():
    kept = recorder(max_events=3)
    for _ in range(10):
        kept.add("client", "message")
    kept.end("closed")
    assert [event.kind for event in kept.recording().events] == ["message", "message", "end"]
    assert kept.recording().ended == "limit"


def test_beyond_its_bytes_it_ends_and_says_so():
    kept = recorder(max_bytes=100)
    kept.add("server", "message", size=60)
    kept.add("server", "message", size=60)
    assert kept.recording().ended == "limit"
    assert len(kept.recording().events) == 2


def test_of_bytes_that_are_no_message_only_the_first_are_kept():
    kept = recorder()
    kept.raw("server", b"x" * (2 * MAX_RAW))
    assert len(kept.recording().events[0].data) == MAX_RAW


def test_threads_do_not_mix_up_their_events():
    kept = recorder()

    def many(sender):
        for _ in range(500):
            kept.add(sender, "message", channel=kept.next_channel())

    threads = [threading.Thread(target=many, args=(sender,)) for sender in ("client", "server")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = kept.recording().events
    assert len({event.channel for event in events}) == len(events) == 1000
    assert [event.t for event in events] == sorted(event.t for event in events)
