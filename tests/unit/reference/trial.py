"""A small judge of what a server tells by itself: it listens, changes the list, and names what is wrong with what comes.

It shares nothing with the program, as `look` does not.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .conftest import META, Client, listening

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
CHANGED = "notifications/tools/list_changed"
NONSENSE = "made-up:///nothing"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
#: Seconds: what comes later than the first is late, and what has not come by the second comes no more.
PROMPT, NEVER = 0.5, 1.5
GRANTS = {CHANGED: "toolsListChanged", "notifications/prompts/list_changed": "promptsListChanged"}
WANTED: dict[int | str, dict[str, Any]] = {
    7: {"toolsListChanged": True},
    "seven": {"toolsListChanged": True},
    "none": {},
    "unknown": {"toolsListChanged": True, "example.test/unknown": True},
    "nonsense": {"resourceSubscriptions": [NONSENSE]},
}


@dataclass
class Ear:
    """One stream, read by a thread until it ends."""

    name: int | str | None = None
    status: int = 0
    kind: str = ""
    frames: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    comments: int = 0
    ended: str | None = None
    connection: Any = None
    heard: threading.Condition = field(default_factory=threading.Condition)

    @property
    def signals(self) -> list[tuple[float, dict[str, Any]]]:
        return [(at, frame) for at, frame in self.frames if frame.get("method") == CHANGED]

    def until(self, done: Callable[[], bool], seconds: float) -> bool:
        with self.heard:
            return self.heard.wait_for(done, seconds)

    def read(self, answer: http.client.HTTPResponse) -> None:
        end, held = "clean", b""
        try:
            while piece := answer.read1():
                *lines, held = (held + piece).split(b"\n")
                for line in lines:
                    self.take(line)
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            end = "broken"
        self.end(end)

    def end(self, how: str, last: dict[str, Any] | None = None) -> None:
        with self.heard:
            self.frames += [] if last is None or "error" in last else [(time.monotonic(), last)]
            self.ended = how
            self.heard.notify_all()

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()

    def take(self, line: bytes) -> None:
        with self.heard:
            if line.startswith(b"data:"):
                self.frames.append((time.monotonic(), json.loads(line[5:])))
            self.comments += line.startswith(b":")
            self.heard.notify_all()


class Talker(Protocol):
    """A client over either transport."""

    era: str

    def handshake(self) -> Any: ...

    def tools(self) -> list[dict[str, Any]]: ...

    def open_ear(self, name: int | str | None, wanted: dict[str, Any] | None) -> Ear:
        """Ask for a stream; a subscription where something is wanted, else that of the handshake era."""
        ...


class HttpTalker(Client):
    """The client over HTTP."""

    def open_ear(self, name: int | str | None, wanted: dict[str, Any] | None) -> Ear:
        if wanted is None:
            verb, headers, message = "GET", {"accept": "text/event-stream", "mcp-session-id": self.session or ""}, None
        else:
            verb, headers, message = listening(name or 0, {"_meta": META, "notifications": wanted})
        connection = self.connect()
        body = None if message is None else json.dumps(message)
        connection.request(verb, "/mcp", body=body, headers={"content-type": "application/json", **headers})
        answer = connection.getresponse()
        ear = Ear(name, kind=answer.headers.get_content_type(), status=answer.status, connection=connection)
        if ear.kind == "text/event-stream":
            threading.Thread(target=ear.read, args=(answer,), daemon=True).start()
            ear.until(lambda: bool(wanted is None or ear.frames or ear.ended), PROMPT)
        return ear


def trial(client: Talker, change: Callable[[], None]) -> set[str]:
    """Listen, list, change the list, and return the names of what is wrong."""
    declared = client.handshake()["capabilities"]
    asked: list[tuple[int | str | None, Any]] = [*WANTED.items()] if client.era == "modern" else [(None, None)]
    ears = [client.open_ear(name, wanted) for name, wanted in asked]
    try:
        return _judged(client, ears, declared, change)
    finally:
        for ear in ears:
            ear.close()


def _judged(client: Talker, ears: list[Ear], declared: dict[str, Any], change: Callable[[], None]) -> set[str]:
    promised = declared.get("tools", {}).get("listChanged", False)
    wrong = set() if "tools" in declared else {"tools-capability-missing"}
    wrong |= _refusals(client, ears, promised=promised)
    open_ears = [ear for ear in ears if ear.kind == "text/event-stream"]
    if not open_ears or "capability-false-claim" in wrong:
        return wrong
    wrong |= _storm(client, open_ears[0])
    if not wrong:
        wrong |= _change(client, open_ears[0], change, promised=promised)
    for ear in open_ears:
        ear.until(lambda ear=ear: ear.ended is not None, 0 if wrong else PROMPT)
        wrong |= _ends(ear)
        if ear.name is not None:
            wrong |= _frames(ear)
    return wrong


def _refusals(client: Talker, ears: list[Ear], *, promised: bool) -> set[str]:
    refused = [ear for ear in ears if ear.kind != "text/event-stream"]
    if client.era == "legacy" and refused:
        claim = {"capability-false-claim"} if promised else set()
        return claim if refused[0].status == 405 else {"stream-missing", *claim}
    if len(refused) == len(ears) or all(ear.until(lambda ear=ear: ear.ended, 0.01) for ear in ears):
        return {"capability-false-claim"}
    if [ear.name for ear in refused] == ["unknown"]:
        return {"listen-unknown-field"}
    return {"listen-one-only"} if refused else set()


def _storm(client: Talker, ear: Ear) -> set[str]:
    """List three times while nothing changes."""
    for number in range(3):
        client.tools()
        if not ear.until(lambda number=number: len(ear.signals) > number, PROMPT / 2):
            return set()
    return {"server-signal-storm"}


def _change(client: Talker, ear: Ear, change: Callable[[], None], *, promised: bool) -> set[str]:
    old, before, began = client.tools(), len(ear.signals), time.monotonic()
    change()
    if not ear.until(lambda: len(ear.signals) > before, NEVER):
        return {"server-no-signal"} if promised and ear.ended is None else set()
    at, signal = ear.signals[before]
    wrong = set() if promised else {"capability-undeclared"}
    if at - began > PROMPT:
        wrong.add("proxy-buffers")
    if client.tools() == old and client.tools() != old:
        wrong.add("server-signal-early")
    if not isinstance(signal.get("params", {}), dict):
        wrong.add("notification-invalid")
    return wrong


def _ends(ear: Ear) -> set[str]:
    if ear.ended is None or (ear.frames and "result" in ear.frames[-1][1]):
        return set()
    return {"listen-end-without-result" if ear.ended == "clean" else "stream-dropped"}


def _frames(ear: Ear) -> set[str]:
    """Hold every frame of a subscription to what was granted, and to its id."""
    wrong: set[str] = set()
    granted: dict[str, Any] | None = None
    asked = WANTED[ear.name]
    for _, frame in ear.frames:
        holder = frame.get("params", frame.get("result"))
        name = holder.get("_meta", {}).get(SUBSCRIPTION)
        if name is None:
            wrong.add("listen-id-missing")
        elif (name, type(name)) != (ear.name, type(ear.name)):
            wrong.add("listen-wrong-id")
        if frame.get("method") == ACKNOWLEDGED:
            granted = holder["notifications"]
            if not granted.keys() <= asked.keys():
                wrong.add("listen-filter-exceeded")
            if NONSENSE in granted.get("resourceSubscriptions", ()):
                wrong.add("listen-nonsense-uri")
        elif "method" in frame and (granted is None or not granted.get(GRANTS[frame["method"]])):
            wrong.add("stream-no-ack")
    return wrong if granted is not None or ear.ended else wrong | {"stream-no-ack"}


def is_kept_alive(client: Talker, seconds: float) -> bool:
    """Tell whether anything comes on a quiet stream within so many seconds."""
    client.handshake()
    ear = client.open_ear(7, None if client.era == "legacy" else WANTED[7])
    try:
        return ear.until(lambda: ear.comments > 0, seconds)
    finally:
        ear.close()
