"""From bytes and messages to the lines of a recording: what stdio and HTTP have in common."""

from __future__ import annotations

import codecs
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, Literal

from diagnose.evidence.imprint import Imprint, raw_fields
from diagnose.evidence.omission import Omission, broken_json
from diagnose.evidence.redact import Redactor
from diagnose.surface import JsonError, parse_json
from diagnose.tap.writer import encode

#: So much is kept of bytes that are no message.
MAX_RAW: Final = 4_096
#: So many requests wait for their answer.
MAX_WAITING: Final = 10_000

Sender = Literal["client", "server", "tap"]
Put = Callable[[float, dict[str, Any]], None]


class Entries:
    """Puts events, redacted, where ``put(t, event)`` takes them."""

    def __init__(self, put: Put, *, key: bytes, redactor: Redactor, payloads: bool) -> None:
        self._put = put
        self._redactor = redactor
        self.imprint = Imprint(key, redactor)
        self.omission = Omission(self.imprint, redactor, payloads=payloads)
        self._waiting: OrderedDict[tuple[str, str], str] = OrderedDict()

    def put(self, t: float, sender: Sender, kind: str, **fields: Any) -> None:
        """Put an event; fields that are None are left out."""
        told = {name: value for name, value in fields.items() if value is not None}
        self._put(t, {"from": sender, "kind": kind, **told})

    def message(self, sender: Sender, value: Any, lane: str) -> Any:
        """Return a message without what is left out; requests are remembered by ``lane`` and sender until they are answered."""
        asker = "server" if sender == "client" else "client"
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict) and isinstance(entry.get("method"), str) and "id" in entry:
                self._waiting[f"{sender} {lane}", repr(entry["id"])] = entry["method"]
                if len(self._waiting) > MAX_WAITING:
                    self._waiting.popitem(last=False)
        return self.omission.message(value, lambda known: self._waiting.pop((f"{asker} {lane}", repr(known)), None))

    def raw(self, t: float, sender: Sender, data: bytes, *, lane: str = "", **fields: Any) -> None:
        """Put bytes that are no message: masked like one where they are nearly one, else without secrets."""
        ending = data[len(data.rstrip(b"\r\n")) :]
        body = data[: len(data) - len(ending)]
        message = None if _is_odd(body) else parsed(body)
        if message is not None:
            mark = codecs.BOM_UTF8 if body.startswith(codecs.BOM_UTF8) else b""
            kept = mark + encode(self.message(sender, message, lane)).rstrip(b"\n")
            self.put(t, sender, "raw", **raw_fields(kept + ending, len(kept) + len(ending)), **fields)
            return
        text = body[:MAX_RAW].decode("utf-8", "surrogateescape")
        text = broken_json(text) if text.lstrip()[:1] in {"{", "["} else self.omission.text(text)
        kept = text.encode("utf-8", "surrogateescape") + ending
        self.put(t, sender, "raw", **raw_fields(kept, MAX_RAW + len(ending)), **fields)

    def event(self, t: float, sender: Sender, kind: str, data: bytes, **fields: Any) -> None:
        """Put an event of a stream that is not of the type for messages, and so is none, whatever its data look like."""
        value = None if _is_odd(data) else parsed(data)
        text = data[:MAX_RAW].decode("utf-8", "replace")
        if value is not None:
            text = encode(self.omission.message(value, lambda _: None)).decode().rstrip("\n")
        elif text.lstrip()[:1] in {"{", "["}:
            text = broken_json(text)
        kept = self.omission.text(f"event: {kind}\ndata: ") + (text if value is not None else self.omission.text(text))
        self.put(t, sender, "raw", **raw_fields(kept.encode("utf-8", "surrogateescape"), MAX_RAW), **fields)


def _is_odd(data: bytes) -> bool:
    """Tell whether these bytes are no UTF-8: what is read from them is then not all that they hold."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def parsed(data: bytes) -> Any:
    """Return the JSON value of these bytes; None where they are none, for no message is null."""
    try:
        return parse_json(data).value
    except JsonError:
        return None


def clean(data: bytes) -> Any:
    """Return the same where nothing of the bytes is lost by reading them; None where a strict reader would stumble."""
    return None if data.startswith(codecs.BOM_UTF8) or _is_odd(data) else parsed(data)
