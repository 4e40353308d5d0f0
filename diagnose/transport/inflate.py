"""Undoing a content coding piece by piece, so that a small body cannot become a large one unseen."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

PIECE = 64 * 1024
"""No piece that is handed on is larger than this."""
MAX_CODINGS = 2
"""Codings that may be stacked; each layer multiplies what a bomb can do."""

_GZIP = 16 + zlib.MAX_WBITS
_ZLIB = zlib.MAX_WBITS
_ZLIB_HEADER = 2


class CodingError(Exception):
    """The body is not in the coding that its headers name, or in one that we never asked for."""


class Inflater:
    """Undo one gzip or deflate coding (RFC 9110, 8.4.1). Feed it bytes, take pieces of at most `PIECE` bytes."""

    def __init__(self, coding: str) -> None:
        self._wbits = _GZIP if coding in {"gzip", "x-gzip"} else _ZLIB
        self._stream = zlib.decompressobj(self._wbits)
        self._head = b""
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what ``data`` decodes to; raises CodingError where it is not in this coding."""
        if not self._started:
            data = self._head + data
            if len(data) < _ZLIB_HEADER:
                self._head = data
                return
            self._start(data)
        while data:
            if self._stream.eof:
                if self._wbits != _GZIP:
                    return
                # RFC 1952, 2.2: a gzip file is a series of members.
                self._stream = zlib.decompressobj(_GZIP)
            piece = self._inflate(data)
            data = self._stream.unconsumed_tail or self._stream.unused_data
            if piece:
                yield piece

    def finish(self) -> None:
        """Raise CodingError if the body ended in the middle. A body without any byte is whole."""
        if (self._started or self._head) and not self._stream.eof:
            raise CodingError("it ends in the middle of the compressed data")

    def _start(self, data: bytes) -> None:
        self._started = True
        # "deflate" means zlib, and some servers have always sent the bare stream (RFC 9110, 8.4.1.2): a zlib header is
        # told by its check bits (RFC 1950, 2.2).
        if self._wbits == _ZLIB and (data[0] & 0x0F != zlib.DEFLATED or int.from_bytes(data[:2]) % 31):
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)

    def _inflate(self, data: bytes) -> bytes:
        try:
            return self._stream.decompress(data, PIECE)
        except zlib.error as error:
            raise CodingError("its compressed data is damaged") from error


def decoded(chunks: Iterator[bytes], content_encoding: str) -> Iterator[bytes]:
    """Yield the body behind ``chunks``; ``content_encoding`` is the header's value.

    Raises CodingError for damaged data, for codings other than gzip and deflate, and for more than `MAX_CODINGS`.
    """
    codings = [
        name for name in (part.strip().lower() for part in content_encoding.split(",")) if name not in {"", "identity"}
    ]
    if len(codings) > MAX_CODINGS:
        raise CodingError(f"it is encoded {len(codings)} times over")
    for coding in reversed(codings):
        if coding not in {"gzip", "x-gzip", "deflate"}:
            raise CodingError("it is in a content coding that was not asked for")
        chunks = _undo(chunks, Inflater(coding))
    return chunks


def _undo(chunks: Iterator[bytes], inflater: Inflater) -> Iterator[bytes]:
    for chunk in chunks:
        yield from inflater.feed(chunk)
    inflater.finish()
