"""A HAR file (HTTP Archive 1.2, as browsers and proxies save it) read as the recording that a tap would have made.

When the events of a stream came is not in it: they count as come when the stream ended, which accuses nobody too early.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from diagnose.errors import InputError
from diagnose.evidence.recording import Recording
from diagnose.surface import JsonError, parse_json
from diagnose.tap.frames import CLIENT, Frame
from diagnose.tap.rebuilt import answered, fact, moment, part, rebuilt, request

MAX_ENTRIES: Final = 100_000
#: HAR holds bodies as they were before their content coding; fields of HTTP/2 begin with a colon.
_UNDONE: Final = frozenset({"content-encoding", "transfer-encoding", "content-length"})


def recording_of_har(data: bytes, key: bytes, *, source: str = "") -> Recording:
    """Read a HAR file; secrets become fingerprints under ``key``, arguments and results are left out.

    Raises `InputError` where it is none.
    """
    try:
        log = parse_json(data).value["log"]
        entries = [entry for entry in log["entries"][:MAX_ENTRIES] if isinstance(entry, Mapping)]
    except (JsonError, KeyError, TypeError) as error:
        raise InputError("this is no HAR file: expected an object with log.entries", advice="Save it anew.") from error
    times = ((moment(entry.get("startedDateTime")), entry) for entry in entries)
    timed = sorted(((at, entry) for at, entry in times if at is not None), key=lambda pair: pair[0])
    start = timed[0][0] if timed else 0.0
    frames = (frame for number, (at, entry) in enumerate(timed, 1) for frame in _frames(number, at - start, entry))
    return rebuilt(frames, key, transport="http", start=start, source=source)


def _frames(number: int, t: float, entry: Mapping[str, Any]) -> Iterator[Frame]:
    asked, answer = part(entry, "request"), part(entry, "response")
    posted, content = part(asked, "postData"), part(answer, "content")
    spent = entry.get("time")
    end = t + (spent / 1000 if isinstance(spent, int | float) and 0 < spent < 1e9 else 0.0)
    status = answer.get("status")
    yield request(number, t, str(asked.get("method", "GET")), str(asked.get("url", "/")), _fields(asked))
    if isinstance(posted.get("text"), str):
        yield Frame(CLIENT, t, number, posted["text"].encode("utf-8", "surrogatepass"))
    yield fact(number, t, do="asked")
    if isinstance(status, int) and 100 <= status < 600:
        yield from answered(number, end, str(asked.get("method", "GET")), status, _fields(answer), _body(content))
    else:
        yield fact(number, end, do="failed", text="client connected; no answer came")


def _body(content: Mapping[str, Any]) -> bytes:
    text = content.get("text")
    if not isinstance(text, str):
        return b""
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(text)
        except (binascii.Error, ValueError):
            return b""
    return text.encode("utf-8", "surrogatepass")


def _fields(part: Mapping[str, Any]) -> list[tuple[str, str]]:
    headers = part.get("headers")
    pairs = (
        [_pair(field) for field in headers] if isinstance(headers, Sequence) and not isinstance(headers, str) else []
    )
    return [(name, value) for name, value in pairs if name and name[0] != ":" and name.lower() not in _UNDONE]


def _pair(field: Any) -> tuple[str, str]:
    return (str(field.get("name", "")), str(field.get("value", ""))) if isinstance(field, Mapping) else ("", "")
