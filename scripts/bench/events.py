"""A long recording: several clients over HTTP, as a tap writes them down, with lists, signals, calls and sessions that end.

Every event is one that a real session has: requests and answers with their headers, streams, page after page of the list,
a change now and then, a client that does not heed it, payloads left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CLIENTS = 40
#: A session has so many rounds, then its client begins another one.
ROUNDS = 400
#: Rounds between two changes of the list.
_CHANGE = 100
_LEFT_OUT = {"$omitted": {"bytes": 12, "mac": "0123456789ab", "type": "string"}}


def write(path: Path, events: int, *, rounds: int = ROUNDS) -> int:
    """Write a recording of so many events, with sessions of so many rounds; returns its size in bytes."""
    header = {
        "schema": "diagnose.recording/1",
        "startedAt": "2026-11-30T12:00:00.000Z",
        "transport": "http",
        "client": {},
    }
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        file.write(json.dumps(header) + "\n")
        count = 0
        for count, event in enumerate(_traffic(rounds), start=1):
            file.write(json.dumps({"t": count / 100, **event}) + "\n")
            if count >= events:
                break
        file.write(json.dumps({"t": count / 100, "from": "tap", "kind": "end", "reason": "stopped"}) + "\n")
    return path.stat().st_size


def tools(change: int) -> list[dict[str, Any]]:
    """Return the list after so many changes: twenty tools, of which the last one's name moves on."""
    return [
        {
            "name": f"orchard_{number}" if number < 19 else f"orchard_new_{change % 50}",
            "description": f"Picks the apples of row {number} and lays them down in the cellar.",
            "inputSchema": {"type": "object", "properties": {"row": {"type": "integer"}, "kind": {"type": "string"}}},
        }
        for number in range(20)
    ]


def _traffic(rounds: int) -> Iterator[dict[str, Any]]:
    clients = [_Client(number, rounds) for number in range(CLIENTS)]
    turn = 0
    while True:
        for client in clients:
            yield from client.round(turn)
        turn += 1


class _Client:
    """One client, and what it does in a round; every fourth one passes over signals."""

    def __init__(self, number: int, rounds: int) -> None:
        self._number = number
        self._rounds = rounds
        self._exchanges = self._ids = self._sessions = 0
        self._stream = self._session = ""

    def round(self, turn: int) -> Iterator[dict[str, Any]]:
        place, since = turn % self._rounds, turn % _CHANGE
        if place == 0:
            yield from self._begin()
        if place == 0 or (since == 1 and turn > 1 and self._number % 4):
            yield from self._list(tools(turn // _CHANGE))
        elif since == 0:
            yield self._event(
                "server", "message", self._stream, message=_message(method="notifications/tools/list_changed")
            )
        yield from self._call(f"orchard_{turn % 19}")
        if place == self._rounds - 1:
            yield self._event("server", "stream-close", self._stream, by="server", clean=True)

    def _begin(self) -> Iterator[dict[str, Any]]:
        self._sessions += 1
        self._session = f"fp:{self._number:04d}{self._sessions:06d}"
        info = {"name": f"desk-{self._number}", "version": "1.0"}
        said = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        told = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "orchard", "version": "2"},
        }
        yield from self._exchange("initialize", said, told, named=False)
        yield self._request("GET")
        self._stream = self._channel
        yield self._event("tap", "stream-open", self._stream, status=200, purpose="get")

    def _list(self, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        yield from self._exchange("tools/list", {}, {"tools": found[:10], "nextCursor": "10"})
        yield from self._exchange("tools/list", {"cursor": "10"}, {"tools": found[10:]})

    def _call(self, name: str) -> Iterator[dict[str, Any]]:
        asked = {"name": name, "arguments": {"row": _LEFT_OUT, "kind": _LEFT_OUT}}
        yield from self._exchange(
            "tools/call", asked, {"content": [{"type": "text", "text": _LEFT_OUT}], "isError": False}
        )

    def _exchange(self, method: str, params: Any, result: Any, *, named: bool = True) -> Iterator[dict[str, Any]]:
        self._ids += 1
        yield self._request("POST", message=_message(id=self._ids, method=method, params=params), named=named)
        channel = self._channel
        headers = {"content-type": "text/event-stream", "mcp-session-id": self._session}
        yield self._event("tap", "stream-open", channel, status=200, headers=headers, purpose="response")
        yield self._event("server", "message", channel, message=_message(id=self._ids, result=result))
        yield self._event("server", "stream-close", channel, by="server", clean=True)

    def _request(self, method: str, *, named: bool = True, **fields: Any) -> dict[str, Any]:
        self._exchanges += 1
        known = {"mcp-session-id": self._session, "mcp-protocol-version": "2025-11-25"} if named else {}
        headers = {"user-agent": f"desk-{self._number}/1.0", "content-type": "application/json", **known}
        return self._event("client", "request", self._channel, method=method, path="/mcp", headers=headers, **fields)

    @property
    def _channel(self) -> str:
        return f"http:{self._number}.{self._exchanges}"

    def _event(self, sender: str, kind: str, channel: str, **fields: Any) -> dict[str, Any]:
        return {"from": sender, "kind": kind, "channel": channel, "session": self._session, **fields}


def _message(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **members}
