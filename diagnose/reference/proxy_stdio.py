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
from diagnose.reference.faults import Fault, Memory, Passing
from diagnose.reference.launch import child_command, child_environment, child_options
from diagnose.reference.options import ServeOptions

#: The id of the proxy's own requests; a client's are numbers or its own words.
OWN_ID = "diagnose-reference-fault"


class StdioUpstream:
    """The honest server behind two pipes. Requests may be put from several threads."""

    def __init__(self, options: ServeOptions, outward: Callable[[bytes], None]) -> None:
        self._child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            child_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment(os.environ)
        )
        self._outward = outward
        self._waiting: dict[Any, queue.SimpleQueue[bytes]] = {}
        self._writing = threading.Lock()
        self._asking = threading.Lock()
        self._meta: Any = None
        self.send(child_options(options, stdio=True))
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
                self._outward(line)
            else:
                waiting.put(line.rstrip(b"\n"))


def serve_stdio_fault(options: ServeOptions, fault: Fault) -> None:
    """Stand between stdin and stdout and a server of our own until stdin ends."""
    memory = Memory()
    writing = threading.Lock()

    def outward(line: bytes) -> None:
        with writing:
            sys.stdout.buffer.write(line.rstrip(b"\n") + b"\n")
            sys.stdout.buffer.flush()

    upstream = StdioUpstream(options, outward)

    def relay(ask: Ask) -> None:
        answer = fault.answer(Passing(ask=ask, server=upstream, memory=memory))
        if answer.ending == "whole":
            outward(answer.body)
        elif answer.ending == "hang-up":
            os._exit(1)  # to hang up is to end; the server behind us ends with its stdin

    for line in sys.stdin.buffer:
        ask = _ask(line)
        if ask is None:
            upstream.send(line)
        else:
            # A subscription is answered at its end only, so that no request may wait for another.
            threading.Thread(target=relay, args=(ask,), daemon=True).start()
    upstream.close()


def _ask(line: bytes) -> Ask | None:
    """Return the request in this line; None for anything that wants no answer."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return None
    return Ask(transport="stdio", body=line.rstrip(b"\r\n"), message=message)


def _open(pipe: Any) -> BinaryIO:
    assert pipe is not None
    stream: BinaryIO = pipe
    return stream
