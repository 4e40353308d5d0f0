"""Lines of stdio: the same whatever the chunks."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.wire.framing import LineFramer

STREAMS = st.lists(
    st.sampled_from([b"\n", b"\r", b"\r\n", b"a", b"{}", b"\xef\xbb\xbf", b"\xff", b"long line here"])
).map(b"".join)


def whole(data, **options):
    framer = LineFramer(**options)
    return framer.feed(data) + framer.close()


def in_chunks(data, cuts, **options):
    framer = LineFramer(**options)
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    lines = [line for a, b in itertools.pairwise(edges) for line in framer.feed(data[a:b])]
    return lines + framer.close()


def test_lines_are_numbered_and_blank_ones_count():
    assert [(line.number, line.data) for line in whole(b"a\n\n\nb\nc")] == [(1, b"a"), (4, b"b"), (5, b"c")]


def test_crlf_is_read_and_reported():
    first, second = whole(b"a\r\nb\n")
    assert (first.data, [oddity.kind for oddity in first.oddities], first.where) == (b"a", ["crlf"], "stdout line 1")
    assert second.oddities == ()


def test_a_carriage_return_within_a_line_is_no_ending():
    assert [line.data for line in whole(b"a\rb\n")] == [b"a\rb"]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_line_that_is_too_long_is_passed_over_and_the_next_one_read(size):
    data = b"ok\n" + b"x" * 100 + b"\nafter\n"
    framer = LineFramer(max_line=10)
    lines = [line for start in range(0, len(data), size) for line in framer.feed(data[start : start + size])]
    assert [(line.number, line.data) for line in lines] == [(1, b"ok"), (2, b""), (3, b"after")]
    assert [oddity.kind for oddity in lines[1].oddities] == ["oversized-line"]
    assert lines[1].oddities[0].detail == "x" * 80


def test_a_line_of_just_the_limit_is_read_and_a_longer_one_is_not():
    assert [line.data for line in whole(b"x" * 10 + b"\n", max_line=10)] == [b"x" * 10]
    assert [line.data for line in whole(b"x" * 11 + b"\n", max_line=10)] == [b""]


def test_an_endless_line_is_not_held():
    framer = LineFramer(max_line=1000)
    for _ in range(1000):
        assert framer.feed(b"y" * 1000) == []
    assert sum(map(len, framer._pieces)) <= 2000


@given(STREAMS, st.lists(st.integers(min_value=0)))
def test_chunks_make_no_difference(data, cuts):
    assert in_chunks(data, cuts, max_line=12) == whole(data, max_line=12)


@given(STREAMS)
def test_byte_by_byte_makes_no_difference(data):
    assert in_chunks(data, range(len(data))) == whole(data)


@given(STREAMS)
def test_nothing_is_lost(data):
    kept = b"".join(line.data for line in whole(data))
    assert kept.replace(b"\r", b"") == data.replace(b"\n", b"").replace(b"\r", b"")
