"""The few bodies that name the server's own address, written anew; every other passes as it came."""

from __future__ import annotations

from typing import Final, Protocol

from diagnose.tap.address import METADATA, Address
from diagnose.tap.framer import Body, Head

#: A longer document, or first event, is passed on as it is.
MAX_HELD: Final = 256 * 1024
_ENDPOINT: Final = (b"event: endpoint", b"event:endpoint")


class Passage(Protocol):
    """How one response reaches the client."""

    def body(self, piece: Body) -> bytes:
        """Return what is sent for a piece of the body."""
        ...

    def end(self) -> bytes:
        """Return what is sent at the end of the body."""
        ...


def passage(address: Address, asked: Head, head: Head, *, chunked: bool, until_close: bool) -> tuple[bytes, Passage]:
    """Return the head as it is sent to the client at once, and what becomes of the body."""
    kind = (head.get("content-type") or "").partition(";")[0].strip().lower()
    if asked.method == "GET" and head.get("content-encoding") in {None, "identity"}:
        if asked.target.startswith(METADATA) and head.status == 200 and kind == "application/json":
            return b"", Metadata(address, head)
        if kind == "text/event-stream" and (chunked or until_close):
            return address.response(head, chunked=chunked), FirstEvent(address, chunked=chunked)
    return address.response(head), AsItIs()


class AsItIs:
    """Sends the very bytes that came."""

    def body(self, piece: Body) -> bytes:
        """Return the piece, framing and all."""
        return piece.wire

    def end(self) -> bytes:
        """Return nothing: the end was among the bytes."""
        return b""


class Metadata:
    """Sends the metadata of a protected resource once it is complete, with the tap's address in it."""

    def __init__(self, address: Address, head: Head) -> None:
        self._address = address
        self._head = head
        self._held = bytearray()

    def body(self, piece: Body) -> bytes:
        """Hold the piece back."""
        self._held += piece.data
        return b""

    def end(self) -> bytes:
        """Return head and document."""
        held = bytes(self._held)
        document = self._address.metadata(held) if len(held) <= MAX_HELD else held
        return self._address.response(self._head, length=len(document)) + document


class FirstEvent:
    """Sends an event stream, whose first event may be the `endpoint` of HTTP+SSE (MCP 2024-11-05, basic/transports)."""

    def __init__(self, address: Address, *, chunked: bool) -> None:
        self._address = address
        self._chunked = chunked
        self._held = b""
        self._decided = False

    def body(self, piece: Body) -> bytes:
        """Return the piece; only while it may be an address that begins, nothing yet."""
        if self._decided:
            return self._framed(piece.data)
        self._held += piece.data
        start = self._held.lstrip(b"\r\n")
        begins = any(start.startswith(word) or word.startswith(start) for word in _ENDPOINT)
        whole = any(end in start for end in (b"\n\n", b"\r\r", b"\r\n\r\n"))
        if begins and not whole and len(start) <= MAX_HELD:
            return b""
        held, self._held, self._decided = self._held, b"", True
        if begins and whole:
            held = self._address.to_client(held.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        return self._framed(held)

    def end(self) -> bytes:
        """Return what was held back, and the last chunk."""
        rest = self._framed(self._held)
        return rest + b"0\r\n\r\n" if self._chunked else rest

    def _framed(self, data: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(data), data) if self._chunked and data else data
