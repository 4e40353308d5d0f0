"""Decoding gives the same bytes however they arrive, in small pieces, or says that it cannot."""

from __future__ import annotations

import contextlib
import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.transport.inflate import PIECE, CodingError, decoded

CODINGS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": lambda data: zlib.compress(data)[2:-4],
    "members": lambda data: gzip.compress(data[:7]) + gzip.compress(b"") + gzip.compress(data[7:]),
}


def header(coding):
    return {"raw deflate": "deflate", "members": "gzip"}.get(coding, coding)


@given(st.binary(max_size=500), st.sampled_from(sorted(CODINGS)), st.integers(1, 60))
def test_any_chunking_gives_the_same(data, coding, size):
    packed = CODINGS[coding](data)
    chunks = iter([packed[start : start + size] for start in range(0, len(packed), size)])
    assert b"".join(decoded(chunks, header(coding))) == data


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "deflate, gzip"]))
def test_any_bytes_decode_or_are_refused(data, coding):
    with contextlib.suppress(CodingError):
        b"".join(decoded(iter([data]), coding))


@pytest.mark.parametrize("coding", sorted(CODINGS))
def test_a_cut_is_noticed(coding):
    packed = CODINGS[coding](b"hello" * 100)
    for end in range(1, len(packed) - 1 if coding != "members" else 10):
        with pytest.raises(CodingError, match="ends in the middle"):
            list(decoded(iter([packed[:end]]), header(coding)))


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_body_without_bytes_is_empty(coding):
    assert list(decoded(iter([]), coding)) == []


def test_no_piece_is_large_however_well_it_was_packed():
    pieces = list(decoded(iter([gzip.compress(b"\0" * 10_000_000)]), "gzip"))
    assert max(map(len, pieces)) <= PIECE
    assert sum(map(len, pieces)) == 10_000_000


@pytest.mark.parametrize("coding", ["", "identity", " Identity , ", "identity,identity"])
def test_without_a_coding_the_bytes_are_the_body(coding):
    assert list(decoded(iter([b"ab", b"c"]), coding)) == [b"ab", b"c"]
