"""A plain client for the reference server over stdio, which `trial` can judge through."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .conftest import HANDSHAKE, META
from .trial import PROMPT, SUBSCRIPTION, Ear

LIMIT = 20


@dataclass
class StdioClient:
    """One client of one child; `era` decides how it talks."""

    process: subprocess.Popen[bytes]
    era: str
    ears: list[Ear] = field(default_factory=list)
    answers: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)

    def rpc(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Send a request and return the whole response message."""
        self.send({"id": 1, "method": method, "params": self.marked(params or {})})
        return self.answers.get(timeout=LIMIT)

    def marked(self, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "_meta": META} if self.era == "modern" else params

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def handshake(self) -> Any:
        if self.era == "modern":
            return self.rpc("server/discover")["result"]
        result = self.rpc("initialize", HANDSHAKE)["result"]
        self.send({"method": "notifications/initialized"})
        return result

    def tools(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = self.rpc("tools/list")["result"]["tools"]
        return tools

    def change(self, change: dict[str, Any]) -> None:
        assert "result" in self.rpc("reference/control", {"change": change})

    def open_ear(self, name: int | str | None, wanted: dict[str, Any] | None) -> Ear:
        """Subscribe; a session of the handshake era hears as it is."""
        ear = Ear(name, kind="text/event-stream")
        self.ears.append(ear)
        if wanted is not None:
            params = self.marked({"notifications": wanted})
            self.send({"id": name, "method": "subscriptions/listen", "params": params})
            ear.until(lambda: bool(ear.frames or ear.ended), PROMPT)
        return ear

    def read(self) -> None:
        """Give each message to whom it belongs, until the child ends."""
        for line in self.process.stdout or ():
            message = json.loads(line)
            if "method" in message:
                self.ear_of(message).take(b"data:" + line)
            elif message["id"] == 1:
                self.answers.put(message)
            else:
                self.over(next(ear for ear in self.ears if ear.name == message["id"]), message)

    def ear_of(self, message: dict[str, Any]) -> Ear:
        params = message.get("params", {})
        named = params.get("_meta", {}).get(SUBSCRIPTION) if isinstance(params, dict) else None
        theirs = [ear for ear in self.ears if named is not None and str(ear.name) == str(named).lower()]
        return (theirs or self.ears)[0]

    def over(self, ear: Ear, message: dict[str, Any]) -> None:
        """Take the answer to a subscription: its end, or a refusal."""
        if "error" in message:
            ear.kind = "refused"
        ear.end("clean", message)


@contextmanager
def serving(era: str, *options: str) -> Iterator[StdioClient]:
    """Start a server, and end it by closing its stdin; it must say nothing on stderr."""
    process = subprocess.Popen(
        [sys.executable, "-m", "diagnose", "serve", "--stdio", "--control", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            client = StdioClient(process, era)
            threading.Thread(target=client.read, daemon=True).start()
            yield client
            process.stdin.close()
            assert process.wait(LIMIT) == 0
            assert process.stderr.read() == b""
        finally:
            process.kill()
