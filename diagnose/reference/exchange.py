"""One request on its way to the reference server and what comes back, alike for HTTP and for stdio."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from diagnose.reference.contract import VERSION, ToolDict

Transport = Literal["http", "stdio"]
#: How an answer ends: sent whole; the connection closed instead; or nothing at all, with the connection left open.
Ending = Literal["whole", "hang-up", "silence"]

JSON_HEADERS = (("content-type", "application/json"),)
HANDSHAKES = ("initialize", "server/discover")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request: an HTTP one, or a line of stdio (`verb` and `path` are then those that HTTP would have)."""

    transport: Transport = "http"
    verb: str = "POST"
    path: str = "/mcp"
    headers: tuple[tuple[str, str], ...] = JSON_HEADERS
    body: bytes = b""
    message: Any = None
    """The JSON-RPC message in the body; None where there is none."""
    connection: int = 0
    """The number of the connection that it came on."""

    @classmethod
    def of(cls, message: Any, **fields: Any) -> Ask:
        """Make the request that carries this JSON-RPC message."""
        return cls(message=message, body=json.dumps(message).encode(), **fields)

    @property
    def method(self) -> str | None:
        """The JSON-RPC method; None for anything else."""
        return self.message.get("method") if isinstance(self.message, dict) else None

    @property
    def params(self) -> Mapping[str, Any]:
        """The JSON-RPC parameters; empty where there are none."""
        params = self.message.get("params") if isinstance(self.message, dict) else None
        return params if isinstance(params, dict) else {}

    @property
    def is_modern(self) -> bool:
        """Whether this is a request of the modern era, which says so itself."""
        meta = self.params.get("_meta")
        return self.method == "server/discover" or (isinstance(meta, dict) and VERSION in meta)

    @property
    def is_listen(self) -> bool:
        """Whether this asks for a subscription."""
        return self.method == "subscriptions/listen"

    @property
    def asks_for_outlet(self) -> bool:
        """Whether this asks for a stream of what the server tells."""
        return self.is_listen or (self.verb == "GET" and self.path == "/mcp")

    @property
    def is_list(self) -> bool:
        """Whether this asks for a page of the tools."""
        return self.method == "tools/list"

    @property
    def is_handshake(self) -> bool:
        """Whether this opens a session of either era."""
        return self.method in HANDSHAKES

    @property
    def is_manifest(self) -> bool:
        """Whether this asks for the list outside MCP."""
        return self.verb == "GET" and self.path == "/tools"

    @property
    def cursor(self) -> str | None:
        """The cursor of a list request."""
        return self.params.get("cursor")

    def header(self, name: str) -> str | None:
        """Return the value of a header, by its name in lower case."""
        return dict(self.headers).get(name)

    def without_cursor(self) -> Ask:
        """Return the same list request for the first page."""
        params = {key: value for key, value in self.params.items() if key != "cursor"}
        message = {**self.message, "params": params}
        return replace(self, message=message, body=json.dumps(message).encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back. `body` is sent as it is, so that a fault may send bytes that are no message."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = JSON_HEADERS
    body: bytes = b""
    stream: Iterator[bytes] | None = field(default=None, compare=False)
    """The pieces of an open stream, passed on as they come; None where the body is whole."""
    ending: Ending = "whole"

    @classmethod
    def of(cls, value: Any, **fields: Any) -> Answer:
        """Make an answer whose body is this value as JSON, text outside ASCII raw."""
        return cls(body=json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), **fields)

    @classmethod
    def refusal(cls, ask: Ask, code: int, message: str, *, status: int = 200) -> Answer:
        """Make the JSON-RPC error that answers a request."""
        error = {"code": code, "message": message}
        return cls.of({"jsonrpc": "2.0", "id": ask.message.get("id"), "error": error}, status=status)

    @property
    def value(self) -> Any:
        """The JSON in the body; None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def result(self) -> dict[str, Any] | None:
        """The result of a JSON-RPC response; None for an error or anything else."""
        value = self.value
        result = value.get("result") if isinstance(value, dict) else None
        return result if isinstance(result, dict) else None

    def header(self, name: str) -> str | None:
        """Return the value of a header, by its name in lower case."""
        return dict(self.headers).get(name)

    def with_result(self, result: Mapping[str, Any]) -> Answer:
        """Return the same response with another result."""
        return replace(self, body=Answer.of({**self.value, "result": result}).body)


class Upstream(Protocol):
    """The honest server, as a fault sees it."""

    def answer(self, ask: Ask) -> Answer:
        """Put a request to the server and return what it answers."""
        ...

    def tools(self) -> list[ToolDict]:
        """Return the definitions that the server holds now, all of them."""
        ...
