"""A reverse proxy for one MCP server: each connection of a client has one of its own to the server.

Bytes are sent on as they come; heads are written anew for the other address, and a framer beside the stream tells where
messages begin and end. When one side closes, stops to read or breaks off, so does the tap on the other side.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import ssl
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from diagnose.tap.address import Address
from diagnose.tap.framer import Body, Framer, FramingError, Head
from diagnose.tap.frames import CLIENT, FACT, SERVER
from diagnose.tap.guard import Guard
from diagnose.tap.rewriting import AsItIs, Passage, passage
from diagnose.tap.told import OAUTH, REFUSED, answer, why_not
from diagnose.tap.upstream import reach

#: Seconds to reach the server.
CONNECT_LIMIT: Final = 30.0
#: Seconds in which a client that was refused may go on writing.
LINGER: Final = 1.0
#: So much of a client waits here until the server is reached.
MAX_WAITING: Final = 1024 * 1024

News = tuple[bytes, bytes, int]


class Sink(Protocol):
    """Where copies of what passes go, as kind, bytes and exchange; it may not wait or fail."""

    def put_all(self, news: Iterable[News]) -> None:
        """Take copies, in their order."""
        ...


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request and its answer. ``whole`` says that the request has come to its end."""

    number: int
    asked: Head
    whole: bool = False
    passage: Passage = field(default_factory=AsItIs)


@dataclass(slots=True, kw_only=True)
class HttpTap:
    """What all connections share. ``tell`` says something to a person."""

    address: Address
    guard: Guard
    sink: Sink
    tell: Callable[[str], None]
    trust: ssl.SSLContext | None = None
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    connections: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    links: set[Link] = field(default_factory=set)
    told: set[str] = field(default_factory=set)

    def once(self, key: str, text: str) -> None:
        """Say something the first time that it happens."""
        if key not in self.told:
            self.told.add(key)
            self.tell(text)

    async def serve(self, server: asyncio.Server, stop: asyncio.Event) -> None:
        """Serve until ``stop``; connections that are open then are closed."""
        async with server:
            await stop.wait()
            for link in list(self.links):
                link.stop()
            await asyncio.sleep(0)

    def connection(self) -> asyncio.Protocol:
        """Return what takes care of a new connection."""
        return _Side(Link(self), "client")


class Link:
    """A connection of a client and its counterpart to the server."""

    def __init__(self, tap: HttpTap) -> None:
        self._tap = tap
        self._connection = next(tap.connections)
        self._client: asyncio.Transport | None = None
        self._server: asyncio.Transport | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._waiting = bytearray()
        self._requests = Framer("request")
        self._responses = Framer("response")
        self._open: deque[Exchange] = deque()
        self._asking: Exchange | None = None
        self._news: list[News] = []
        self._why_not: str | None = None
        self._refusing = False
        self._over = False
        self._half_closed = False

    # What comes from either side.

    def made(self, side: str, transport: asyncio.Transport) -> None:
        """Take in a new connection; the first is the client's."""
        if side == "server":
            self._server = transport
            self._reached(transport)
            return
        self._client = transport
        self._tap.links.add(self)
        self._connecting = asyncio.get_running_loop().create_task(self._connect())

    def came(self, side: str, data: bytes) -> None:
        """Take in bytes."""
        if self._over or (self._refusing and side == "client"):
            return
        try:
            if side == "client":
                self._to_server(b"".join(self._request_pieces(data)))
                self._answer_instead()
            else:
                self._to_client(b"".join(self._response_pieces(data)))
        except FramingError as error:
            self._broken(side, error)
        self._tap.sink.put_all(self._take_news())

    def ended(self, side: str) -> bool:
        """Take in that a side sends no more; tells whether its connection is to stay open for what it may yet receive."""
        if side == "server" or self._over or self._refusing:
            return False
        self._half_closed = True
        if self._server is not None and not self._server.can_write_eof():
            return False
        if self._server is not None:
            self._server.write_eof()
        return True

    def lost(self, side: str) -> None:
        """Take in that a connection is gone: the other one follows, once it has sent what it holds."""
        if side == "server" and not self._over:
            self._server_gone()
        self._finish("client" if side == "client" or self._half_closed else "server")

    def flow(self, side: str, *, stop: bool) -> None:
        """Let the side that sends wait while ``side`` cannot take more."""
        other = self._server if side == "client" else self._client
        if other is not None and not other.is_closing():
            (other.pause_reading if stop else other.resume_reading)()

    def stop(self) -> None:
        """End both connections, for the tap ends."""
        self._finish("tap")

    # Requests.

    def _request_pieces(self, data: bytes) -> Iterable[bytes]:
        for piece in self._requests.feed(data):
            if isinstance(piece, Head):
                yield self._asked(piece)
            elif isinstance(piece, Body):
                self._news.append((CLIENT, piece.data, self._number))
                yield piece.wire
            elif self._asking is not None:
                self._fact(self._asking.number, do="asked")
                self._asking.whole = True

    @property
    def _number(self) -> int:
        return self._asking.number if self._asking is not None else 0

    def _asked(self, head: Head) -> bytes:
        why = self._tap.guard.refuses(head)
        if why is not None:
            self._tap.once(why, f"refused a request: {why}")
            raise FramingError(why)
        exchange = self._asking = Exchange(number=next(self._tap.numbers), asked=head)
        self._open.append(exchange)
        self._responses.expect(head.method)
        told = {"method": head.method, "target": head.target, "headers": head.fields, "connection": self._connection}
        self._fact(exchange.number, do="request", **told)
        return self._tap.address.request(head)

    def _to_server(self, data: bytes) -> None:
        if self._why_not is not None:
            return
        if self._server is not None:
            self._server.write(data)
            return
        self._waiting += data
        if len(self._waiting) > MAX_WAITING and self._client is not None:
            self._client.pause_reading()

    async def _connect(self) -> None:
        tap = self._tap
        way = reach(tap.address.origin, tap.trust, tap.address.proxy, lambda: _Side(self, "server"))
        try:
            await asyncio.wait_for(way, CONNECT_LIMIT)
        except (OSError, TimeoutError, ssl.SSLError) as error:
            self._unreachable(error)

    def _reached(self, server: asyncio.Transport) -> None:
        """Send on what waited for the connection, before anything else can be sent on it."""
        if self._over:
            server.abort()
            return
        server.write(bytes(self._waiting))
        self._waiting.clear()
        if self._client is not None and not self._client.is_closing():
            self._client.resume_reading()
        if self._half_closed and server.can_write_eof():
            server.write_eof()

    # Responses.

    def _response_pieces(self, data: bytes) -> Iterable[bytes]:
        for piece in self._responses.feed(data):
            if not self._open:
                raise FramingError("it answers no request")
            exchange = self._open[0]
            if isinstance(piece, Head):
                yield self._answered(exchange, piece)
            elif isinstance(piece, Body):
                self._news.append((SERVER, piece.data, exchange.number))
                yield exchange.passage.body(piece)
            else:
                yield exchange.passage.end()
                self._done(exchange, by="server", whole=piece.whole)

    def _answered(self, exchange: Exchange, head: Head) -> bytes:
        if head.is_interim:
            return self._tap.address.response(head)
        self._fact(exchange.number, do="response", status=head.status, headers=head.fields)
        if head.status == 401:
            self._refused(exchange.asked, head)
        chunked, until_close = self._responses.chunked, self._responses.until_close
        sent, exchange.passage = passage(
            self._tap.address, exchange.asked, head, chunked=chunked, until_close=until_close
        )
        return sent

    def _refused(self, asked: Head, head: Head) -> None:
        """Tell a person what to do where the server wants a token that the tap's address may stand in the way of."""
        tap = self._tap
        if asked.get("authorization") is not None or tap.address.credential is not None:
            tap.once("refused", REFUSED.format(url=tap.address.url))
        elif "resource_metadata" in (head.get("www-authenticate") or ""):
            tap.once("oauth", OAUTH.format(url=tap.address.url))

    def _done(self, exchange: Exchange, *, by: str, whole: bool) -> None:
        self._open.popleft()
        self._fact(exchange.number, do="ended", by=by, whole=whole)

    def _to_client(self, data: bytes) -> None:
        if data and self._client is not None:
            self._client.write(data)

    # Ends.

    def _server_gone(self) -> None:
        rest = b""
        for piece in self._responses.close():
            if self._open and not isinstance(piece, Head | Body):
                rest += self._open[0].passage.end() if piece.whole else b""
                # A client that leaves ends its side first, and the server's end is the answer to that.
                by = "client" if self._half_closed and not piece.whole else "server"
                self._done(self._open[0], by=by, whole=piece.whole)
        self._to_client(rest)

    def _finish(self, by: str) -> None:
        """Close what is open, once."""
        if self._over:
            return
        self._over = True
        self._tap.links.discard(self)
        if self._connecting is not None:
            self._connecting.cancel()
        while self._open:
            self._done(self._open[0], by=by, whole=False)
        for transport in (self._client, self._server):
            if transport is not None:
                transport.close()
        self._tap.sink.put_all(self._take_news())

    def _broken(self, side: str, error: FramingError) -> None:
        """End a connection on which something came that cannot be sent on; the client is told why, if it still can be."""
        if side == "client":
            status = "403 Forbidden" if self._tap.guard.is_reason(str(error)) else "400 Bad Request"
            self._to_client(answer(status, error))
            self._linger()
            return
        self._tap.tell(f"an answer of the server cannot be passed on: {error}")
        self._finish("server")

    def _linger(self) -> None:
        """Let a client that still writes hear what it was answered (RFC 9112, 9.6): a reset would take that from it."""
        self._refusing = True
        if self._client is not None and self._client.can_write_eof():
            self._client.write_eof()
        asyncio.get_running_loop().call_later(LINGER, self._finish, "tap")

    def _unreachable(self, error: Exception) -> None:
        why = "the server refused the connection" if isinstance(error, ConnectionRefusedError) else why_not(error)
        self._tap.once(why, f"{self._tap.address.origin} cannot be reached: {why}")
        self._why_not = why
        self._waiting.clear()
        if self._client is not None and not self._client.is_closing():
            self._client.resume_reading()
        self._answer_instead()
        self._tap.sink.put_all(self._take_news())

    def _answer_instead(self) -> None:
        """Answer for a server that cannot be reached, once the request is whole: who still writes hears no answer."""
        if self._why_not is None or self._asking is None or not self._asking.whole:
            return
        for exchange in self._open:
            self._fact(exchange.number, do="failed", text=f"client connected; {self._why_not}")
        self._open.clear()
        self._to_client(answer("502 Bad Gateway", self._why_not))
        self._finish("tap")

    def _fact(self, number: int, **fact: Any) -> None:
        self._news.append((FACT, json.dumps(fact).encode(), number))

    def _take_news(self) -> list[News]:
        news, self._news = self._news, []
        return news


class _Side(asyncio.Protocol):
    """One of the two connections of a link."""

    def __init__(self, link: Link, side: str) -> None:
        self._link = link
        self._side = side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._link.made(self._side, transport)

    def data_received(self, data: bytes) -> None:
        self._link.came(self._side, data)

    def eof_received(self) -> bool:
        return self._link.ended(self._side)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._link.lost(self._side)

    def pause_writing(self) -> None:
        self._link.flow(self._side, stop=True)

    def resume_writing(self) -> None:
        self._link.flow(self._side, stop=False)
