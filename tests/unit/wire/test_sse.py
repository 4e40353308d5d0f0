"""Server-sent events: the examples of the HTML standard, and the same events whatever the chunks."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.wire.sse import MAX_RETRY, Event, SseParser, payload_of

PARTS = [
    b"\n",
    b"\r",
    b"\r\n",
    b"data",
    b":",
    b" ",
    b"data: x",
    b"id: 7",
    b"event: e",
    b"retry: 10",
    b": c",
    b"\xff",
    b"\0",
]
STREAMS = st.lists(st.sampled_from([*PARTS, b"\xef\xbb\xbf"]), max_size=40).map(b"".join)


def parse(data, **options):
    parser = SseParser(**options)
    return [(event.type, event.data) for event in parser.feed(data)]


def everything(chunks, **options):
    parser = SseParser(**options)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events, parser.last_id, parser.retry, parser.oddities


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [("message", b"a")]),
        (b"data:a\n\n", [("message", b"a")]),
        (b"data:  a\n\n", [("message", b" a")]),
        (b"data: a\ndata: b\n\n", [("message", b"a\nb")]),
        (b"event: endpoint\ndata: /m\n\n", [("endpoint", b"/m")]),
        (b"data: a\r\rdata: b\r\r", [("message", b"a"), ("message", b"b")]),
        (b"data: a\r\n\r\ndata: b\n\r\n", [("message", b"a"), ("message", b"b")]),
        (b": comment\n\ndata: a\n\n", [("message", b"a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("message", b"a")]),
        (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", []),
        (b"data\n\n", [("message", b"")]),
        (b"data\ndata\n\n", [("message", b"\n")]),
        (b"id: 1\nretry: 5\n\n", []),
        (b"data: cut", []),
        (b"data: cut\n", []),
        (b"Data: a\n data: b\n\n", []),
        (b"unknown: x\ndata: a\n\n", [("message", b"a")]),
        ("data: a\u2028b\x0b\x0c\x85c\n\n".encode(), [("message", "a\u2028b\x0b\x0c\x85c".encode())]),
    ],
)
def test_events(stream, events):
    assert parse(stream) == events


RESULT = b'{"jsonrpc": "2.0", "id": 1, "result": {}}'


@pytest.mark.parametrize(
    ("event", "messages", "oddities"),
    [
        (Event(data=RESULT), 1, []),
        (Event(data=b""), 0, []),
        (Event(data=b"hello"), 0, ["junk-line"]),
        (Event(data=RESULT, type="foo", number=2), 0, ["other-event"]),
        (Event(data=b"2026-11-30", type="ping"), 0, []),
        (Event(data=b"/messages", type="endpoint"), 0, []),
        (Event(data=b'{"now": 1}', type="ping"), 0, []),
    ],
)
def test_only_events_of_the_type_for_messages_carry_any(event, messages, oddities):
    payload = payload_of(event)
    assert (len(payload.messages), [oddity.kind for oddity in payload.oddities]) == (messages, oddities)


def test_ids_stay_until_they_change_and_a_cut_event_moves_none():
    parser = SseParser()
    first, second = parser.feed(b"id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n")
    assert (first.last_id, second.last_id, parser.last_id) == ("1", "1", "1")
    (third,) = parser.feed(b"\n")
    assert (third.last_id, parser.last_id, third.number) == ("2", "2", 3)


def test_an_event_without_data_moves_the_id():
    parser = SseParser()
    assert parser.feed(b"id: 9\n\n") == []
    assert parser.last_id == "9"


def test_an_id_may_be_emptied_and_may_hold_no_null():
    parser = SseParser(last_id="4")
    parser.feed(b"id: a\0b\n\n")
    assert parser.last_id == "4"
    parser.feed(b"id\n\n")
    assert parser.last_id == ""


@pytest.mark.parametrize(
    ("value", "retry"),
    [(b"500", 500), (b"0", 0), (b"-5", None), (b"1_000", None), (b"5s", None), (b"", None), (b"9" * 5000, MAX_RETRY)],
)
def test_retry_takes_digits_only(value, retry):
    parser = SseParser()
    parser.feed(b"retry: " + value + b"\n")
    assert parser.retry == retry


def test_an_event_that_is_too_large_is_passed_over_and_reported():
    parser = SseParser(max_event=20)
    events = parser.feed(b"data: " + b"x" * 50 + b"\ndata: y\n\ndata: after\n\n")
    assert [event.data for event in events] == [b"after"]
    assert [oddity.kind for oddity in parser.oddities] == ["oversized-line"]


def test_comments_do_not_count_towards_the_size_of_an_event():
    parser = SseParser(max_event=20)
    assert parser.feed(b": keep-alive\n" * 100 + b"data: a\n\n")[0].data == b"a"
    assert parser.oddities == []


def test_an_endless_event_is_not_held():
    parser = SseParser(max_event=1000)
    for _ in range(1000):
        parser.feed(b"data: " + b"z" * 500 + b"\n")
    assert sum(map(len, parser._data)) + len(parser._line) < 3000
    parser.feed(b"z" * 100_000)
    assert len(parser._line) <= 1000


def test_text_that_is_no_utf8_is_reported():
    parser = SseParser()
    parser.feed(b"event: \xff\ndata: a\n\n")
    assert [oddity.kind for oddity in parser.oddities] == ["invalid-utf8"]


@given(STREAMS, st.lists(st.integers(min_value=0), max_size=20))
def test_chunks_make_no_difference(data, cuts):
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in itertools.pairwise(edges)]
    assert everything(chunks, max_event=30) == everything([data], max_event=30)


@given(STREAMS)
def test_byte_by_byte_makes_no_difference(data):
    assert everything([bytes([byte]) for byte in data]) == everything([data])


def test_comments_are_handed_out_where_they_are_asked_for():
    comments = []
    parser = SseParser(comments=comments)
    assert [event.data for event in parser.feed(b": ping\n\ndata: a\n: in between\ndata: b\n\n:\n")] == [b"a\nb"]
    assert comments == [b": ping", b": in between", b":"]
