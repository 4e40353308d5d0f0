"""JSON-RPC 2.0 messages as MCP uses them: built for sending, and read from what strangers send.

Reading keeps the raw value beside what was understood, and never fails: what is no message is an `Oddity`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias

from diagnose.record import record
from diagnose.surface.jsontext import JsonError, ParsedJson, parse_json
from diagnose.wire.oddity import Oddity, quote

Kind: TypeAlias = Literal["request", "notification", "result", "error"]

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602

#: The largest message that is read, in bytes.
MAX_MESSAGE: Final = 64 * 1024 * 1024
#: So many messages of one batch are read, and so many values that were joined; the rest is passed over.
MAX_BATCH: Final = 1000
MAX_JOINED: Final = 16


@record
class RpcErrorBody:
    """The ``error`` member of an answer. ``code`` is None where it is no integer, as it must be."""

    code: int | None
    message: str
    data: Any = None

    def __str__(self) -> str:
        said = "a JSON-RPC error without a valid code" if self.code is None else f"JSON-RPC error {self.code}"
        return f"{said}: {self.message}" if self.message else said


@record
class Message:
    """One message as received; ``id`` keeps its JSON type."""

    kind: Kind
    raw: Mapping[str, Any]
    id: Any = None
    method: str = ""

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of a request or notification; empty unless they are an object."""
        params = self.raw.get("params")
        return params if isinstance(params, dict) else {}

    @property
    def result(self) -> Any:
        """The result of an answer, as received."""
        return self.raw.get("result")

    @property
    def error(self) -> RpcErrorBody:
        """The error of an answer; a malformed one is told by ``code`` None."""
        body = self.raw.get("error")
        body = body if isinstance(body, dict) else {"message": json.dumps(body)[:200]}
        code = body.get("code")
        message = body.get("message")
        return RpcErrorBody(
            code=code if isinstance(code, int) and not isinstance(code, bool) else None,
            message=message if isinstance(message, str) else "",
            data=body.get("data"),
        )

    @property
    def is_answer(self) -> bool:
        """Whether this is the answer to some request."""
        return self.kind in {"result", "error"}

    def answers(self, request_id: int) -> bool:
        """Tell whether this is the answer to ``request_id``. JSON has one kind of number, so `1.0` is `1`; `"1"` is not."""
        return self.is_answer and not isinstance(self.id, bool | str) and bool(self.id == request_id)


@record
class Payload:
    """What one line, event or body held."""

    messages: tuple[Message, ...] = ()
    oddities: tuple[Oddity, ...] = ()
    size: int = 0
    value: Any = field(default=None, repr=False)
    """The JSON value as a whole, for what is JSON and yet no message; None where it is no JSON."""
    problem: JsonError | None = None
    """Why nothing could be read."""


def request(request_id: int, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Build a request. The id is an integer: every revision allows it, and null is forbidden."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message | {"params": dict(params)} if params is not None else message


def notification(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Build a notification."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return message | {"params": dict(params)} if params is not None else message


def answer(request_id: Any, result: Mapping[str, Any]) -> dict[str, Any]:
    """Build the answer to a server's request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": dict(result)}


def refusal(request_id: Any, code: int, message: str) -> dict[str, Any]:
    """Build the error answer to a server's request."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def encode(message: Mapping[str, Any]) -> bytes:
    """Return the bytes of a message, in one line.

    ASCII only, so that a server's own text goes back to it unharmed (a cursor with a lone surrogate, U+2028).
    """
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def read(data: bytes | str, where: str, *, max_bytes: int = MAX_MESSAGE) -> Payload:
    """Read one message, a batch of them (2025-03-26 and before), or several that were joined by mistake.

    ``where`` names the place on the wire, for the oddities. Never raises.
    """
    messages: list[Message] = []
    oddities: list[Oddity] = []
    value: Any = None
    problem: JsonError | None = None
    rest = data
    for _ in range(MAX_JOINED):
        piece = rest
        try:
            parsed, rest = _first_value(piece, max_bytes)
        except JsonError as error:
            oddities.append(Oddity(kind=_junk(piece), where=where, detail=quote(piece)))
            problem = error
            break
        value = parsed.value
        oddities += [
            Oddity(kind=defect.kind, where=where, pointer=defect.pointer or "", detail=defect.detail)
            for defect in parsed.defects
        ]
        found, strange = _messages(value, where)
        messages += found
        oddities += strange
        if not rest:
            break
        oddities.append(Oddity(kind="joined-json", where=where, detail=quote(rest)))
    return Payload(messages=tuple(messages), oddities=tuple(oddities), size=len(data), value=value, problem=problem)


def _first_value(data: bytes | str, max_bytes: int) -> tuple[ParsedJson, str]:
    """Read the first JSON value, and return it with the text after it."""
    try:
        return parse_json(data, max_bytes=max_bytes), ""
    except JsonError as error:
        if error.reason != "joined":
            raise
        text = data if isinstance(data, str) else data.decode(errors="surrogateescape").removeprefix("\ufeff")
        return parse_json(text[: error.offset], max_bytes=max_bytes), text[error.offset :]


def _messages(value: Any, where: str) -> tuple[list[Message], list[Oddity]]:
    """Take a JSON value for a message or a batch of them; what is neither is an oddity."""
    messages: list[Message] = []
    oddities: list[Oddity] = []
    for entry in value[:MAX_BATCH] if isinstance(value, list) else [value]:
        message = understand(entry)
        if message is None:
            oddities.append(Oddity(kind="junk-line", where=where, detail=quote(json.dumps(entry))))
        else:
            messages.append(message)
    return messages, oddities


def understand(entry: Any) -> Message | None:
    """Take a JSON value for a message; None if it is none (JSON-RPC 2.0, sections 4 and 5)."""
    if not isinstance(entry, dict) or entry.get("jsonrpc") != "2.0":
        return None
    method = entry.get("method")
    if isinstance(method, str):
        kind: Kind = "request" if "id" in entry else "notification"
        return Message(kind=kind, raw=entry, id=entry.get("id"), method=method)
    if "result" in entry and entry.get("error") is None:
        return Message(kind="result", raw=entry, id=entry.get("id"))
    if "error" in entry:
        return Message(kind="error", raw=entry, id=entry.get("id"))
    return None


def _junk(data: bytes | str) -> str:
    """Name what is no JSON: a message that was damaged, or text that never was one."""
    return "invalid-json" if quote(data).lstrip("\ufeff \t\r")[:1] in {"{", "["} else "junk-line"
