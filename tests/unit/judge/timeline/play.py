"""Writes recordings that read like a sequence diagram: each method is one thing that a client or a server does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.observation import Observation
from diagnose.evidence.recording import Recording
from diagnose.judge import Diagnosis, diagnose
from diagnose.judge.timeline import Timeline, read

STARTED = "2026-11-30T12:00:00.000Z"
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"


class Play:
    """One recording under way. Over HTTP every request is an exchange of its own, as a tap records it."""

    def __init__(
        self,
        transport: str = "stdio",
        *,
        client: str = "orchard-desk",
        hop: str = "client-server",
        version: str = "2025-11-25",
        started: str = STARTED,
        principal: str | None = None,
    ) -> None:
        header = {"schema": "diagnose.recording/1", "startedAt": started, "transport": transport, "hop": hop}
        self.lines: list[dict[str, Any]] = [{**header, "client": {"name": client}}]
        self.http = transport == "http"
        self.client, self.version, self.principal = client, version, principal
        self.session: str | None = None
        self.stream: str | None = None
        self.t = 0.0
        self.ids = 0
        self.channels = 0

    @property
    def modern(self) -> bool:
        return self.version == MODERN

    @property
    def frame(self) -> int:
        """The frame that was written last."""
        return len(self.lines)

    # What crosses.

    def write(self, sender: str, kind: str = "message", **fields: Any) -> Play:
        self.t = round(self.t + 0.01, 3)
        told = {"principal": self.principal} if self.principal and sender == "client" else {}
        event = {"t": self.t, "from": sender, "kind": kind, **told, **fields}
        self.lines.append({key: value for key, value in event.items() if value is not None})
        return self

    def wait(self, seconds: float) -> Play:
        self.t += seconds
        return self

    def asks(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> Play:
        self.ids += 1
        given = dict(params or {})
        if self.modern and method != "initialize":
            info = {"name": self.client, "version": "1.0"}
            given["_meta"] = {f"{META}protocolVersion": MODERN, f"{META}clientInfo": info}
        message = {"jsonrpc": "2.0", "id": self.ids, "method": method, "params": given}
        if not self.http:
            return self.write("client", message=message)
        return self.requests("POST", message=message, **headers)

    def requests(self, method: str, message: Any = None, **headers: str) -> Play:
        self.channels += 1
        known = {"mcp-session-id": self.session} if self.session else {}
        return self.write(
            "client",
            "request",
            channel=f"h{self.channels}",
            session=self.session,
            method=method,
            path="/mcp",
            headers={
                "user-agent": f"{self.client}/1.0",
                **known,
                **{k.replace("_", "-"): v for k, v in headers.items()},
            },
            message=message,
        )

    def answers(self, body: dict[str, Any] | None = None, *, status: int = 200, ask: int | None = None) -> Play:
        """Answer the newest request, or the one with the id ``ask``; ``body`` is `result` or `error`."""
        message = {"jsonrpc": "2.0", "id": ask or self.ids, **body} if body is not None else None
        if not self.http:
            return self.write("server", message=message)
        channel = f"h{self.channels - (self.ids - ask)}" if ask else f"h{self.channels}"
        return self.write(
            "server", "response", channel=channel, session=self.session, status=status, headers={}, message=message
        )

    def result(self, **result: Any) -> Play:
        return self.answers({"result": {**({"resultType": "complete"} if self.modern else {}), **result}})

    def error(self, code: int, message: str = "No.", *, status: int = 200, **data: Any) -> Play:
        return self.answers(
            {"error": {"code": code, "message": message, **({"data": data} if data else {})}}, status=status
        )

    # What it means.

    def handshake(self, *, list_changed: bool | None = True, session: str | None = "fp:s1", tools: bool = True) -> Play:
        """Shake hands, or discover where the play is modern; a ``session`` is issued over HTTP."""
        declared: dict[str, Any] = {} if list_changed is None else {"listChanged": list_changed}
        said: dict[str, Any] = {"capabilities": {"tools": declared} if tools else {}}
        info = {"name": "orchard", "version": "2.4.0"}
        if self.modern:
            meta = {f"{META}serverInfo": info}
            return self.asks("server/discover").result(
                **said, supportedVersions=[MODERN], ttlMs=0, cacheScope="private", _meta=meta
            )
        self.session = None
        self.asks(
            "initialize", {"protocolVersion": self.version, "capabilities": {}, "clientInfo": {"name": self.client}}
        )
        if self.http:
            self.session = session
        self.result(**said, protocolVersion=self.version, serverInfo=info)
        return self.notifies("notifications/initialized") if not self.http else self

    def notifies(self, method: str) -> Play:
        return self.write("client", message={"jsonrpc": "2.0", "method": method})

    def page(self, tools: Sequence[Any], cursor: str | None = None, following: Any = None, **hints: Any) -> Play:
        """Ask for a page and be sent it; a modern one has hints unless these are given as None."""
        self.asks("tools/list", {} if cursor is None else {"cursor": cursor})
        given = {"ttlMs": 0, "cacheScope": "private"} if self.modern else {}
        hints = {key: value for key, value in {**given, **hints}.items() if value is not None}
        return self.result(tools=list(tools), **({} if following is None else {"nextCursor": following}), **hints)

    def lists(self, *tools: Any, **hints: Any) -> Play:
        """Ask for the list and be sent it on one page."""
        return self.page(tools, **hints)

    def calls(self, name: str, **arguments: Any) -> Play:
        """Call a tool that works."""
        return self.asks("tools/call", {"name": name, "arguments": arguments}).result(content=[])

    def listens(self, *, granted: bool | None = True, channel: bool = True) -> Play:
        """Open the channel of the era; ``granted`` None leaves the subscription without acknowledgement."""
        if not self.modern:
            self.requests("GET")
            self.stream = f"h{self.channels}"
            return self.opens(self.stream)
        wanted = {"toolsListChanged": True}
        self.asks("subscriptions/listen", {"notifications": wanted})
        self.stream = f"h{self.channels}" if self.http else None
        if self.http and channel:
            self.opens(f"h{self.channels}")
        self.subscription = self.ids
        if granted is None:
            return self
        method, given = (
            "notifications/subscriptions/acknowledged",
            wanted if granted else {"resourcesListChanged": True},
        )
        return self.notice(method, notifications=given)

    def opens(self, channel: str | None) -> Play:
        return self.write("tap", "stream-open", channel=channel, session=self.session, status=200, purpose="response")

    def closes(self, by: str = "server", *, clean: bool = False) -> Play:
        """End the open channel."""
        return self.write(
            "server" if by == "server" else "client", "stream-close", channel=self.stream, by=by, clean=clean
        )

    def notice(self, method: str, **params: Any) -> Play:
        meta = {"_meta": {f"{META}subscriptionId": self.subscription}} if self.modern else {}
        message = {"jsonrpc": "2.0", "method": method, "params": {**params, **meta}}
        return self.write("server", channel=self.stream, session=self.session, message=message)

    def signals(self) -> Play:
        return self.notice("notifications/tools/list_changed")

    def acts(self, text: str) -> Play:
        return self.write("tap", "action", text=text)

    def starts(self) -> Play:
        return self.write("tap", "process", event="start")

    def exits(self, code: int = 0) -> Play:
        return self.write("tap", "process", event="exit", code=code)

    def deletes(self) -> Play:
        return self.requests("DELETE").answers(status=200)

    def ends(self, reason: str = "stopped") -> Play:
        return self.write("tap", "end", reason=reason)

    # What comes of it.

    @property
    def recording(self) -> Recording:
        """The recording, stopped now unless it ended before."""
        ended = self.lines[-1].get("kind") == "end"
        stop = {"t": round(self.t, 3), "from": "tap", "kind": "end", "reason": "stopped"}
        return Recording.of_objects(self.lines if ended else [*self.lines, stop])

    @property
    def cut(self) -> Recording:
        """The recording as it is left by a recorder that was killed."""
        return Recording.of_objects(self.lines)

    @property
    def timeline(self) -> Timeline:
        return read(self.recording)

    def judged(self, *others: Play, **layers: Observation) -> Diagnosis:
        """Judge this recording, with others and further layers beside it."""
        target = Target(
            id="orchard.test/mcp", transport="http" if self.http else "stdio", endpoint="https://orchard.test/mcp"
        )
        recordings = tuple(play.recording for play in (self, *others))
        return diagnose(Bundle(created_at=STARTED, target=target, wire=recordings, **layers))  # type: ignore[arg-type]
