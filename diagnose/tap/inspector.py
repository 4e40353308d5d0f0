"""What the page of MCP Inspector saves (its Protocol and its Network tab, JSON arrays; 2.12) read as a recording.

The Protocol tab keeps messages without their way, so they are read as those of a pipe. The Network tab keeps exchanges, but
nothing of what came on a GET stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from diagnose.errors import InputError
from diagnose.evidence.recording import Recording
from diagnose.tap.frames import CLIENT, SERVER, Frame
from diagnose.tap.rebuilt import answered, fact, moment, part, rebuilt, request

NAME: Final = "inspector-client"
_PIPE_NOTE: Final = "the Protocol tab keeps no connections: what was refused or cut on the way is not in it"
_NETWORK_NOTE: Final = "the Network tab keeps nothing of what came on a GET stream, so signals are not in it"


def is_protocol(value: Any) -> bool:
    """Tell whether an entry is one of the Protocol tab."""
    return isinstance(value, Mapping) and {"timestamp", "direction", "message"} <= value.keys()


def is_network(value: Any) -> bool:
    """Tell whether an entry is one of the Network tab."""
    return isinstance(value, Mapping) and {"timestamp", "method", "url", "requestHeaders"} <= value.keys()


def recording_of_inspector(entries: Sequence[Mapping[str, Any]], key: bytes, *, source: str = "") -> Recording:
    """Read what was saved; secrets become fingerprints under ``key``, arguments and results are left out.

    Raises `InputError` where no entry of it has a time.
    """
    wanted = is_protocol if is_protocol(entries[0]) else is_network
    timed = [(at, each) for each in entries if wanted(each) and (at := moment(each["timestamp"])) is not None]
    if not timed:
        raise InputError("of what MCP Inspector saved, no entry has a time")
    timed.sort(key=lambda pair: pair[0])
    start = timed[0][0]
    if wanted is is_protocol:
        said = sorted((line for at, each in timed for line in _said(at - start, each)), key=lambda frame: frame.t)
        return rebuilt(said, key, transport="stdio", start=start, source=source, notes=(_PIPE_NOTE,))
    frames = (frame for number, (at, each) in enumerate(timed, 1) for frame in _exchange(number, at - start, each))
    return rebuilt(frames, key, transport="http", start=start, source=source, notes=(_NETWORK_NOTE,))


def _said(t: float, entry: Mapping[str, Any]) -> Iterator[Frame]:
    """Yield an entry's message, and the answer that was put beside its request."""
    message = part(entry, "message")
    by_client = entry.get("origin", "client" if entry["direction"] == "request" else "server") == "client"
    yield _line(CLIENT if by_client else SERVER, t, message)
    answer = entry.get("response")
    if isinstance(answer, Mapping):
        yield _line(SERVER if by_client else CLIENT, t + _spent(entry), answer)


def _line(side: bytes, t: float, message: Any) -> Frame:
    return Frame(side, t, 0, json.dumps(message).encode() + b"\n")


def _spent(entry: Mapping[str, Any]) -> float:
    spent = entry.get("duration")
    return spent / 1000 if isinstance(spent, int | float) and 0 <= spent < 1e9 else 0.0


def _exchange(number: int, t: float, entry: Mapping[str, Any]) -> Iterator[Frame]:
    yield request(number, t, str(entry["method"]), str(entry["url"]), _fields(entry, "requestHeaders"))
    if isinstance(entry.get("requestBody"), str):
        yield Frame(CLIENT, t, number, entry["requestBody"].encode("utf-8", "surrogatepass"))
    yield fact(number, t, do="asked")
    end, status, body = t + _spent(entry), entry.get("responseStatus"), entry.get("responseBody")
    if not isinstance(status, int) or not 100 <= status < 600:
        yield fact(number, end, do="failed", text="client connected; no answer came")
        return
    headers = _fields(entry, "responseHeaders")
    data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else b""
    yield from answered(number, end, str(entry["method"]), status, headers, data)


def _fields(entry: Mapping[str, Any], name: str) -> list[tuple[str, str]]:
    gone = {"content-encoding", "transfer-encoding", "content-length"}
    return [(str(key).lower(), str(value)) for key, value in part(entry, name).items() if str(key).lower() not in gone]
