"""A fault in front of the reference server over HTTP: the server stays honest, what passes through here does not."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

from diagnose.reference.contract import ToolDict
from diagnose.reference.door import HOP, Door, DoorHandler
from diagnose.reference.event_stream import blocks, message_in
from diagnose.reference.exchange import Answer, Ask
from diagnose.reference.faults import Fault
from diagnose.reference.outlet import Outlet
from diagnose.reference.relay import Relay

PIECE = 65_536


class HttpUpstream:
    """The honest server at a port of this machine."""

    def __init__(self, port: int) -> None:
        self._port = port

    def answer(self, ask: Ask) -> Answer:
        """Put the request to the server; an event stream is handed on open, anything else is read whole."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        connection.request(ask.verb, ask.path, body=ask.body or None, headers=dict(ask.headers))
        response = connection.getresponse()
        headers = tuple((name.lower(), value) for name, value in response.getheaders() if name.lower() not in HOP)
        if response.headers.get_content_type() == "text/event-stream":
            return Answer(status=response.status, headers=headers, stream=_pieces(connection, response))
        try:
            return Answer(status=response.status, headers=headers, body=response.read())
        finally:
            connection.close()

    def tools(self) -> list[ToolDict]:
        """Return the definitions that the server holds, from its manifest."""
        tools: list[ToolDict] = json.loads(self.answer(Ask(verb="GET", path="/tools", headers=())).body)
        return tools


def _pieces(connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> Iterator[bytes]:
    try:
        while piece := response.read1(PIECE):
            yield piece
    except (OSError, http.client.HTTPException):
        return  # the server has ended; so does the stream
    finally:
        connection.close()


class FaultProxy(Door):
    """Listens where the client connects."""

    def __init__(self, listener: socket.socket, upstream: HttpUpstream, fault: Fault) -> None:
        super().__init__(listener, _Handler)
        self.relay = Relay(fault, upstream)


class _Handler(DoorHandler):
    server: FaultProxy

    def respond(self) -> None:
        """Let the fault answer one request."""
        ask = self.ask()
        if not ask.asks_for_outlet:
            self._pass(self.server.relay.answer(ask))
            return
        outlet = self.server.relay.reserve(ask)
        try:
            answer = self.server.relay.answer(ask, outlet)
            if answer.stream is None:
                self._pass(answer)
            else:
                self._hold(answer, answer.stream, outlet)
        finally:
            self.server.relay.release(outlet)

    def _pass(self, answer: Answer) -> None:
        if answer.ending == "silence":
            self.rfile.read(1)  # until the client gives up
        if answer.ending != "whole":
            self.close_connection = True
        elif answer.stream is not None:
            self._stream(answer, answer.stream)
        else:
            self.send(answer)

    def _stream(self, answer: Answer, pieces: Iterator[bytes]) -> None:
        """Pass a stream on that answers an ordinary request."""
        pipe = self.begin(answer)
        for piece in pieces:
            pipe.write(piece)
        pipe.finish(clean=True)

    def _hold(self, answer: Answer, pieces: Iterator[bytes], outlet: Outlet) -> None:
        """Let what comes on a stream for signals pass the fault, until either side ends it."""
        relay = self.server.relay
        pipe = outlet.pipe = self.begin(answer)
        threading.Thread(target=self._watch, args=(outlet,), daemon=True).start()
        if outlet.subscription is None:
            relay.opened(outlet)
        for block in blocks(pieces):
            message = message_in(block)
            if message is not None:
                relay.tell(outlet, message)
            elif relay.fault.keeps_alive:
                pipe.write(block + b"\r\n\r\n")
            if outlet.closed:
                break
        outlet.close()
        self.close_connection = True

    def _watch(self, outlet: Outlet) -> None:
        """Take note at once when the client leaves a stream: nothing else comes from it any more."""
        with suppress(OSError, ValueError):
            self.rfile.read(1)
        outlet.gone()
