"""The framer: the same pieces for every way of cutting a stream, the bytes kept, the bounds of h11 found."""

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.tap.framer import MAX_HEAD, Body, End, Framer, FramingError, Head

CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: 1\r\n\r\n"
)
SIZED = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"
EMPTY = b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n"
OPEN = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"


def read(framer, data, cuts=()):
    pieces, start = [], 0
    for cut in [*sorted(set(cuts)), len(data)]:
        pieces += framer.feed(data[start:cut])
        start = cut
    return pieces


def summed(pieces):
    """Join neighbouring pieces of a body: how many there are depends on the cuts, what they hold does not."""
    told = []
    for piece in pieces:
        if isinstance(piece, Body) and told and isinstance(told[-1], Body):
            told[-1] = Body(told[-1].wire + piece.wire, told[-1].data + piece.data)
        else:
            told.append(piece)
    return told


@given(st.lists(st.integers(0, 400), max_size=12))
@settings(max_examples=300)
def test_any_cut_gives_the_same_pieces(cuts):
    stream = CHUNKED + SIZED + INTERIM + EMPTY + OPEN
    framer = Framer("response")
    for _ in range(4):
        framer.expect("POST")
    pieces = summed(read(framer, stream, [cut for cut in cuts if cut < len(stream)]))
    heads = [piece.status for piece in pieces if isinstance(piece, Head)]
    assert heads == [200, 200, 100, 204, 200]
    assert [piece.data for piece in pieces if isinstance(piece, Body)] == [b"hello world", b"body", b"data: 1\n\n"]
    wires = [piece.wire for piece in pieces if isinstance(piece, Body)]
    assert wires[0] == CHUNKED[CHUNKED.index(b"\r\n\r\n") + 4 :]
    assert pieces.count(End(True)) == 3
    assert list(framer.close()) == [End(True)]


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=6), st.booleans())
def test_h11_reads_the_same_body(parts, chunked):
    request = h11.Connection(h11.CLIENT)
    header = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(sum(map(len, parts))))
    wire = request.send(h11.Request(method="POST", target="/mcp", headers=[("Host", "orchard.test"), header]))
    for part in parts:
        wire += request.send(h11.Data(data=part))
    wire += request.send(h11.EndOfMessage())
    pieces = read(Framer("request"), wire + wire, range(0, len(wire), 7))
    assert b"".join(piece.data for piece in pieces if isinstance(piece, Body)) == b"".join(parts) * 2
    assert pieces.count(End(True)) == 2


def test_a_response_to_head_has_no_body_whatever_it_says():
    framer = Framer("response")
    framer.expect("HEAD")
    framer.expect("GET")
    pieces = read(framer, b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + SIZED)
    assert [type(piece) for piece in pieces] == [Head, End, Head, Body, End]


@pytest.mark.parametrize("cut", [20, len(SIZED) - 2])
def test_a_message_that_is_cut_is_not_whole(cut):
    framer = Framer("response")
    framer.expect("GET")
    read(framer, SIZED[:cut])
    assert list(framer.close()) == [End(False)]


def test_a_connection_that_ends_between_messages_ends_nothing():
    framer = Framer("response")
    framer.expect("GET")
    read(framer, SIZED)
    assert list(framer.close()) == []


@pytest.mark.parametrize(
    "stream",
    [
        b"POST / HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -4\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        b"POST / HTTP/1.1\r\nFolded: a\r\n b\r\n\r\n",
        b"POST / HTTP/1.1\r\nSpaced : a\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\n",
        b"\x16\x03\x01\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * MAX_HEAD,
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 20_000,
    ],
)
def test_what_two_readers_may_read_differently_is_refused(stream):
    with pytest.raises(FramingError):
        read(Framer("request"), stream)


@given(st.binary(max_size=400), st.sampled_from(["request", "response"]))
def test_nothing_but_a_framing_error_is_raised(data, side):
    framer = Framer(side)
    try:
        list(framer.feed(data))
        list(framer.close())
    except FramingError:
        return
