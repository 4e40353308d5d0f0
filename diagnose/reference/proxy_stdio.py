"""A fault in front of the reference server over stdio: the server is a child of this process, and stays honest."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer, Ask
from diagnose.reference.faults import Fault
from diagnose.reference.launch import child_command, child_environment, child_options
from diagnose.reference.options import ServeOptions
from diagnose.reference.outlet import Message, Outlet
from diagnose.reference.relay import Relay
from diagnose.wire.subscription import SUBSCRIPTION_ID

#: The id of the proxy's own requests; a client's are numbers or its own words.
OWN_ID = "diagnose-reference-fault"
INITIALIZED = "notifications/initialized"


class StdioUpstream:
    """The honest server behind two pipes. Requests may be put from several threads."""

    def __init__(self, options: ServeOptions, told: Callable[[Any], None]) -> None:
        self._child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            child_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment(os.environ)
        )
        self._told = told
        self._waiting: dict[Any, queue.SimpleQueue[bytes]] = {}
        self._writing = threading.Lock()
        self._asking = threading.Lock()
        self._meta: Any = None
        self.send(child_options(options, stdio=True))

    def start(self) -> None:
        """Begin to read what the server says."""
        threading.Thread(target=self._read, name="server", daemon=True).start()

    def answer(self, ask: Ask) -> Answer:
        """Put the request to the server and wait for the response to it."""
        self._meta = ask.params.get("_meta")
        coming: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._waiting[ask.message["id"]] = coming
        self.send(ask.body)
        return Answer(body=coming.get())

    def tools(self) -> list[ToolDict]:
        """Return the definitions that the server holds, by a request of our own in the era of the client's last one."""
        params = {} if self._meta is None else {"_meta": self._meta}
        message = {"jsonrpc": "2.0", "id": OWN_ID, "method": "tools/list", "params": params}
        with self._asking:
            result = self.answer(Ask.of(message, transport="stdio")).result or {}
        tools: list[ToolDict] = result.get("tools", [])
        return tools

    def send(self, line: bytes) -> None:
        """Write one line to the server."""
        pipe = _open(self._child.stdin)
        with self._writing:
            pipe.write(line.rstrip(b"\n") + b"\n")
            pipe.flush()

    def close(self) -> None:
        """Close the server's stdin and wait for it to end."""
        _open(self._child.stdin).close()
        self._child.wait()

    def _read(self) -> None:
        for line in _open(self._child.stdout):
            message = json.loads(line)
            waiting = None if "method" in message else self._waiting.pop(message.get("id"), None)
            if waiting is None:
                self._told(message)
            else:
                waiting.put(line.rstrip(b"\n"))


def serve_stdio_fault(options: ServeOptions, fault: Fault) -> None:
    """Stand between stdin and stdout and a server of our own until stdin ends."""
    client = _Client(options, fault)
    for line in sys.stdin.buffer:
        client.take(line)
    client.server.close()


class _Client:
    """The one client of a stdio server, and the fault before it."""

    def __init__(self, options: ServeOptions, fault: Fault) -> None:
        self._writing = threading.Lock()
        self.server = StdioUpstream(options, self._told)
        self._relay = Relay(fault, self.server)
        self._session = self._relay.reserve(None)  # it opens with the handshake, which the modern era has not
        self.server.start()

    def take(self, line: bytes) -> None:
        """Take one line of the client's."""
        message = _read_message(line)
        if message is None or "id" not in message:
            self.server.send(line)
            if message is not None and message["method"] == INITIALIZED:
                self._relay.opened(self._session)
            return
        if message["method"] == "initialize":
            self._session.pipe = _LinePipe(self)
        ask = Ask(transport="stdio", body=line.rstrip(b"\r\n"), message=message)
        outlet = self._relay.reserve(ask) if ask.is_listen else None
        if outlet is not None:
            outlet.pipe = _LinePipe(self)
        # A subscription is answered at its end only, so that no request may wait for another.
        threading.Thread(target=self._answer, args=(ask, outlet), daemon=True).start()

    def write(self, line: bytes) -> None:
        """Write one line, or several that a fault made of one."""
        with self._writing:
            sys.stdout.buffer.write(line.rstrip(b"\n") + b"\n")
            sys.stdout.buffer.flush()

    def _answer(self, ask: Ask, outlet: Outlet | None) -> None:
        answer = self._relay.answer(ask, outlet)
        if answer.ending == "hang-up":
            os._exit(1)  # to hang up is to end; the server behind us ends with its stdin
        if answer.ending == "silence":
            return
        if outlet is None:
            self.write(answer.body)
        else:
            self._relay.tell(outlet, answer.value)
            self._relay.release(outlet)

    def _told(self, message: dict[str, Any]) -> None:
        """Take what the server tells: it belongs to a subscription, or to the session."""
        meta = (message.get("params") or {}).get("_meta") or {}
        named = [each for each in self._relay.outlets if each.subscription == meta.get(SUBSCRIPTION_ID)]
        for outlet in named or [self._session]:
            self._relay.tell(outlet, message)


class _LinePipe:
    """Standard output, for the session or for one subscription."""

    def __init__(self, client: _Client) -> None:
        self._client = client

    def send(self, message: Message) -> None:
        """Write one message."""
        self._client.write(Answer.of(message).body)

    def finish(self, *, clean: bool) -> None:
        """Do nothing: what is said no more on a pipe is over, and only the process can break off."""


def _read_message(line: bytes) -> dict[str, Any] | None:
    """Return the request or notification in this line; None for anything else."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and isinstance(message.get("method"), str) else None


def _open(pipe: Any) -> BinaryIO:
    assert pipe is not None
    stream: BinaryIO = pipe
    return stream
