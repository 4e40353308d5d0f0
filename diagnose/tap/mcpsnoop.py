"""A session log of mcpsnoop (JSON lines, one observed frame each; github.com/kerlenton/mcpsnoop, 0.18) read as a recording.

Over HTTP it keeps the bodies of POST requests and of all answers, by client connection: which of them were events of a
stream, and whether a client ever opened one of its own, has to be told from what came, and the second cannot always be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, Literal

from diagnose.errors import InputError
from diagnose.evidence.recording import Recording
from diagnose.tap.frames import CLIENT, SERVER, STDERR, Frame
from diagnose.tap.rebuilt import fact, moment, part, rebuilt, request

_SIDES: Final = {"c2s": CLIENT, "s2c": SERVER, "stderr": STDERR}
_JSON: Final = ("content-type", "application/json")
_EVENTS: Final = ("content-type", "text/event-stream")
_HEADERS: Final = {"mcp-method": "mcp_method", "mcp-name": "mcp_name", "mcp-protocol-version": "mcp_protocol_version"}


def is_mcpsnoop(value: Any) -> bool:
    """Tell whether a line is one of these."""
    return isinstance(value, Mapping) and {"session_id", "seq", "ts", "direction"} <= value.keys()


def recording_of_mcpsnoop(envelopes: Sequence[Mapping[str, Any]], key: bytes, *, source: str = "") -> Recording:
    """Read a log; secrets become fingerprints under ``key``, arguments and results are left out.

    Raises `InputError` where no line of it has a time.
    """
    session = envelopes[0].get("session_id") if envelopes else None
    mine = [each for each in envelopes if is_mcpsnoop(each) and each["session_id"] == session]
    timed = [(at, each) for each in mine if (at := moment(each["ts"])) is not None]
    if not timed:
        raise InputError("this log of mcpsnoop has no line with a time")
    start = timed[0][0]
    transport: Literal["stdio", "http"] = "http" if any(each.get("transport") == "http" for each in mine) else "stdio"
    whole = [(at - start, each) for at, each in timed if not each.get("truncated")]
    frames = _Exchanges().frames(whole) if transport == "http" else _lines(whole)
    header: dict[str, Any] = {"hides": ["GET"]} if transport == "http" else {}
    return rebuilt(
        frames,
        key,
        transport=transport,
        start=start,
        source=source,
        notes=_notes(envelopes, mine),
        target=_target(mine, transport),
        **header,
    )


def _notes(envelopes: Sequence[Mapping[str, Any]], mine: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    others = len(envelopes) - len(mine)
    if others:
        yield f"{others} lines are of another session, or no lines of mcpsnoop, and were passed over"
    numbers = [each["seq"] for each in mine if isinstance(each["seq"], int)]
    missing = max(numbers) - min(numbers) + 1 - len(set(numbers)) if numbers else 0
    if missing > 0:
        yield f"{missing} frames are missing: mcpsnoop drops some when it cannot keep up"
    cut = sum(bool(each.get("truncated")) for each in mine)
    if cut:
        yield f"{cut} frames were cut by mcpsnoop and passed over"


def _target(mine: Sequence[Mapping[str, Any]], transport: str) -> dict[str, Any]:
    command = next((part(each, "raw").get("command") for each in mine if each["direction"] == "meta"), None)
    name = command[0] if isinstance(command, list) and command and isinstance(command[0], str) else ""
    return {"transport": transport, **({"command": PurePath(name).name} if transport == "stdio" else {})}


def _lines(timed: Sequence[tuple[float, Mapping[str, Any]]]) -> Iterator[Frame]:
    for t, each in timed:
        side = _SIDES.get(str(each["direction"]))
        if side is not None:
            yield Frame(side, t, 0, _data(each) + b"\n")


def _data(envelope: Mapping[str, Any]) -> bytes:
    raw = envelope.get("raw")
    return (json.dumps(raw) if raw is not None else str(envelope.get("text", ""))).encode("utf-8", "surrogatepass")


def _joined(timed: Iterable[tuple[float, Mapping[str, Any]]]) -> list[tuple[float, Mapping[str, Any]]]:
    """Return the envelopes with the parts of one batch put together again."""
    whole: list[tuple[float, Mapping[str, Any]]] = []
    last: dict[str, Mapping[str, Any]] = {}
    for t, each in timed:
        connection = str(each.get("conn_id", ""))
        is_part = bool(each.get("batch")) and each["direction"] == "c2s"
        begun = last.get(connection)
        if is_part and begun is not None:
            begun["raw"].append(each.get("raw"))
            continue
        joined = {**each, "raw": [each.get("raw")]} if is_part else each
        whole.append((t, joined))
        if is_part:
            last[connection] = joined
        else:
            last.pop(connection, None)
    return whole


@dataclass(slots=True)
class _Exchange:
    number: int
    waits_for: set[str]
    streams: bool = False


class _Exchanges:
    """Puts frames of one connection together to exchanges: a POST and what came until its answer, or a stream of its own."""

    def __init__(self) -> None:
        self._open: dict[str, _Exchange] = {}
        self._numbers = 0

    def frames(self, timed: Sequence[tuple[float, Mapping[str, Any]]]) -> Iterator[Frame]:
        """Yield the frames that a tap would have seen."""
        for t, each in _joined(timed):
            connection = str(each.get("conn_id", ""))
            if each["direction"] == "c2s":
                yield from self._asked(connection, t, each)
            elif each["direction"] == "s2c":
                yield from self._came(connection, t, each)

    def _asked(self, connection: str, t: float, each: Mapping[str, Any]) -> Iterator[Frame]:
        raw = each.get("raw")
        messages = [message for message in (raw if isinstance(raw, list) else [raw]) if isinstance(message, Mapping)]
        waits_for = {repr(message["id"]) for message in messages if "id" in message and "method" in message}
        before = self._open.pop(connection, None)
        if before is not None:
            yield fact(before.number, t, do="ended", by="server", whole=False)
        exchange = self._open[connection] = self._begun(waits_for)
        headers = [(name, str(each[field])) for name, field in _HEADERS.items() if each.get(field)]
        given = each.get("mcp_param_headers")
        named = [pair for pair in given if isinstance(pair, Mapping)] if isinstance(given, list) else []
        headers += [(str(pair.get("name")), str(pair.get("value"))) for pair in named]
        yield request(exchange.number, t, "POST", "/", [_JSON, *headers])
        yield Frame(CLIENT, t, exchange.number, _data(each))
        yield fact(exchange.number, t, do="asked")

    def _came(self, connection: str, t: float, each: Mapping[str, Any]) -> Iterator[Frame]:
        exchange, message = self._open.get(connection), each.get("raw")
        if exchange is None:
            if not isinstance(message, Mapping):
                return  # the end of a DELETE, or a GET that was refused: which of them is not kept
            exchange = self._open[connection] = self._begun({"a stream"})
            yield request(exchange.number, t, "GET", "/", [("accept", "text/event-stream")])
            yield fact(exchange.number, t, do="asked")
        if isinstance(message, Mapping) and "method" not in message:
            exchange.waits_for.discard(repr(message.get("id")))
        is_last = not isinstance(message, Mapping) or not exchange.waits_for
        status = each.get("status") if isinstance(each.get("status"), int) else 200
        if not exchange.streams:
            exchange.streams = not is_last
            kind = [_EVENTS] if exchange.streams else [_JSON] if each.get("raw") is not None else []
            yield fact(exchange.number, t, do="response", status=status, headers=kind)
        data = _data(each)
        if data:
            whole = b"event: message\ndata: " + data + b"\n\n" if exchange.streams else data
            yield Frame(SERVER, t, exchange.number, whole)
        if is_last:
            del self._open[connection]
            yield fact(exchange.number, t, do="ended", by="server", whole=True)

    def _begun(self, waits_for: set[str]) -> _Exchange:
        self._numbers += 1
        return _Exchange(self._numbers, waits_for)
