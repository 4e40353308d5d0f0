"""Where HTTP/1.1 messages begin and end in a stream of bytes (RFC 9112). Sans-IO.

Bodies are handed out as they come, both as they stood on the wire and without their framing, so that they can be sent on
unchanged and read beside.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

#: The largest head, and the largest line of chunked framing, in bytes.
MAX_HEAD: Final = 128 * 1024
MAX_LINE: Final = 8 * 1024

_REQUEST: Final = re.compile(rb"([!-~]+) ([!-~\x80-\xff]+) HTTP/1\.([01])")
_STATUS: Final = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: [^\r\n]*)?")
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")
_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_LENGTH: Final = re.compile(r"[0-9]{1,18}", re.ASCII)

Pairs: TypeAlias = tuple[tuple[str, str], ...]


class FramingError(Exception):
    """The bytes are no HTTP/1.1 that two readers would read alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a request (``method``, ``target``) or of a response (``status``); ``first`` is its first line."""

    first: bytes
    fields: Pairs
    method: str = ""
    target: str = ""
    status: int = 0

    def get(self, name: str) -> str | None:
        """Return the values of a field, joined; None where it is absent. ``name`` is in lower case."""
        values = [value for key, value in self.fields if key.lower() == name]
        return ", ".join(values) if values else None

    @property
    def is_interim(self) -> bool:
        """Whether a further head follows in answer to the same request (1xx)."""
        return 100 <= self.status < 200


@dataclass(frozen=True, slots=True)
class Body:
    """A piece of a body: ``wire`` as it came, ``data`` without chunked framing."""

    wire: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class End:
    """The end of a message; ``whole`` is False where the connection ended in the middle of it."""

    whole: bool


Piece: TypeAlias = Head | Body | End
_Mode: TypeAlias = Literal["head", "length", "size", "chunk", "chunk-end", "trailer", "until-close"]


class Framer:
    """Reads one direction of a connection. For responses, tell each request's method with `expect` when it is sent."""

    def __init__(self, side: Literal["request", "response"]) -> None:
        self._side = side
        self._buffer = bytearray()
        self._mode: _Mode = "head"
        self._left = 0
        self._methods: deque[str] = deque()

    def expect(self, method: str) -> None:
        """Tell that a response to such a request is due."""
        self._methods.append(method)

    @property
    def chunked(self) -> bool:
        """Whether the body that is being read is chunked."""
        return self._mode in {"size", "chunk", "chunk-end", "trailer"}

    @property
    def until_close(self) -> bool:
        """Whether the body that is being read ends with the connection."""
        return self._mode == "until-close"

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take in bytes, and yield what they complete. Raises FramingError; what it said before still stands.

        To be read to its end before the next call.
        """
        if self._mode == "until-close":
            yield Body(data, data)
            return
        self._buffer += data
        while self._buffer:
            if self._mode == "head":
                head = self._head()
                if head is None:
                    return
                yield head
                if self._mode == "head" and not head.is_interim:
                    yield End(True)
            else:
                before = len(self._buffer)
                body, over = self._body()
                if body.wire:
                    yield body
                if over:
                    yield End(True)
                elif len(self._buffer) == before:
                    return

    def close(self) -> Iterator[Piece]:
        """Tell that the connection has ended."""
        if self._mode != "head":
            whole, self._mode = self._mode == "until-close", "head"
            yield End(whole)
        elif self._buffer:
            self._buffer.clear()
            yield End(False)

    def _head(self) -> Head | None:
        while self._buffer.startswith(b"\r\n"):  # RFC 9112, 2.2: may stand before a request
            del self._buffer[:2]
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 or end > MAX_HEAD:
            if len(self._buffer) > MAX_HEAD:
                raise FramingError("its head is too large")
            return None
        first, *lines = bytes(self._buffer[:end]).split(b"\r\n")
        del self._buffer[: end + 4]
        head = _request(first, _fields(lines)) if self._side == "request" else _response(first, _fields(lines))
        self._begin(head)
        return head

    def _begin(self, head: Head) -> None:
        if head.is_interim:
            return
        asked = self._methods.popleft() if self._methods else ""
        coding, length = head.get("transfer-encoding"), head.get("content-length")
        if self._side == "response" and (asked == "HEAD" or head.status in {204, 304}):
            return
        if coding is not None:
            self._begin_coded(coding, length)
        elif length is not None:
            lengths = {part.strip() for part in length.split(",")}
            if len(lengths) > 1 or not _LENGTH.fullmatch(length := lengths.pop()):
                raise FramingError("its length is no number, or there are two")
            self._left = int(length)
            self._mode = "length" if self._left else "head"
        elif self._side == "response":
            self._mode = "until-close"

    def _begin_coded(self, coding: str, length: str | None) -> None:
        if length is not None:
            raise FramingError("it has both a length and a transfer coding")  # RFC 9112, 6.3: request smuggling
        if coding.lower().strip() == "chunked":
            self._mode = "size"
        elif self._side == "response":
            self._mode = "until-close"
        else:
            raise FramingError("its transfer coding is not chunked")

    def _body(self) -> tuple[Body, bool]:
        """Return what of the buffer belongs to the body, and whether that is its end."""
        if self._mode == "until-close":
            data = self._take(len(self._buffer))
            return Body(data, data), False
        if self._mode == "length":
            data = self._take(self._left)
            self._left -= len(data)
            if not self._left:
                self._mode = "head"
            return Body(data, data), not self._left
        wire: list[bytes] = []
        payload: list[bytes] = []
        while self._buffer and self._mode != "head":
            if not self._step(wire, payload):
                break
        return Body(b"".join(wire), b"".join(payload)), self._mode == "head"

    def _step(self, wire: list[bytes], payload: list[bytes]) -> bool:
        """Take one part of chunked framing; False where it has not come whole."""
        if self._mode == "chunk":
            data = self._take(self._left)
            self._left -= len(data)
            wire.append(data)
            payload.append(data)
            self._mode = "chunk" if self._left else "chunk-end"
            return True
        end = self._buffer.find(b"\r\n")
        if end < 0 or end > MAX_LINE:
            if len(self._buffer) > MAX_LINE:
                raise FramingError("a line of its chunked framing is too long")
            return False
        line = self._take(end + 2)
        wire.append(line)
        if self._mode == "chunk-end":
            if end:
                raise FramingError("a chunk is longer than it says")
            self._mode = "size"
        elif self._mode == "size":
            size = _SIZE.fullmatch(line[:-2])
            if size is None:
                raise FramingError("the size of a chunk is no number")
            self._left = int(size[1], 16)
            self._mode = "chunk" if self._left else "trailer"
        elif not end:
            self._mode = "head"
        return True

    def _take(self, count: int) -> bytes:
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data


def _request(first: bytes, fields: Pairs) -> Head:
    found = _REQUEST.fullmatch(first)
    if found is None:
        raise FramingError("it is no request of HTTP/1.1")
    return Head(first=first, fields=fields, method=found[1].decode(), target=found[2].decode("latin-1"))


def _response(first: bytes, fields: Pairs) -> Head:
    found = _STATUS.fullmatch(first)
    if found is None:
        raise FramingError("it is no response of HTTP/1.1")
    return Head(first=first, fields=fields, status=int(found[2]))


def _fields(lines: list[bytes]) -> Pairs:
    fields: list[tuple[str, str]] = []
    for line in lines:
        found = _FIELD.fullmatch(line)
        if found is None:
            raise FramingError("a line of its head is no field")  # folded lines are none either: RFC 9112, 5.2
        fields.append((found[1].decode(), found[2].decode("latin-1")))
    return tuple(fields)
