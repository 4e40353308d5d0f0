"""Keeps what crosses the wire of our own sessions, as the recording that a tap would have made of them.

The rules that judge a customer's recording judge these too: there is one reading of frames, wherever they come from.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from diagnose.evidence.imprint import raw_fields
from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.evidence.secret import Secret
from diagnose.evidence.secret_names import is_secret_name
from diagnose.surface import JsonError, parse_json
from diagnose.wire.negotiation import CLIENT

#: How much one recording holds. What comes after that is no longer kept, and its `end` says `limit`.
MAX_EVENTS: Final = 200_000
MAX_BYTES: Final = 256 * 1024 * 1024
#: So much is kept of bytes that are no message.
MAX_RAW: Final = 4_096

Sender = Literal["client", "server", "tap"]
EndReason = Literal["stopped", "limit", "closed"]


class Recorder:
    """One recording in the making; several threads may add to it.

    ``key`` fingerprints session ids and credentials, so that equal ones stay tellable and none can be read;
    ``started_at`` is the wall clock (ISO 8601, UTC) of the moment in which ``clock`` (seconds, monotonic) starts to
    count; ``principal`` labels the authorization that every request is made with.
    """

    def __init__(
        self,
        *,
        transport: Literal["http", "stdio"],
        started_at: str,
        key: bytes,
        principal: str | None = None,
        target: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
        max_events: int = MAX_EVENTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._clock = clock
        self._start = clock()
        self._key = key
        self._principal = principal
        self._room = (max_events, max_bytes)
        self._lock = threading.Lock()
        self._exchanges = 0
        self._ended = False
        self._lines: list[dict[str, Any]] = [
            {
                "schema": SCHEMA,
                "startedAt": started_at,
                "transport": transport,
                "hop": "client-server",
                "client": {"id": CLIENT["name"], **CLIENT},
                "target": target,
            }
        ]

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def next_channel(self) -> str:
        """Return the name of a new HTTP exchange."""
        with self._lock:
            self._exchanges += 1
            return f"http:{self._exchanges}"

    def add(self, sender: Sender, kind: str, *, size: int = 0, **fields: Any) -> None:
        """Keep one event that happened just now; fields that are None are left out. ``size`` is what it weighs in bytes."""
        with self._lock:
            if self._ended:
                return
            events, room = self._room
            self._room = (events - 1, room - size)
            if events <= 1 or room < size:
                self._end("limit")
                return
            told = {name: value for name, value in fields.items() if value is not None}
            if self._principal is not None and sender == "client":
                told["principal"] = self._principal
            self._lines.append({"t": round(self.elapsed, 6), "from": sender, "kind": kind, **told})

    def raw(self, sender: Sender, data: bytes, *, limit: int = MAX_RAW, **fields: Any) -> None:
        """Keep bytes that are no message, at most the first ``limit`` of them."""
        self.add(sender, "raw", size=min(len(data), limit), **raw_fields(data, limit), **fields)

    def action(self, text: str) -> None:
        """Keep what was done beside the wire, such as the command that was run to provoke a change."""
        self.add("tap", "action", text=text)

    def end(self, reason: EndReason = "stopped") -> None:
        """Keep nothing more. Ending again does nothing."""
        with self._lock:
            if not self._ended:
                self._end(reason)

    def fingerprint(self, value: str) -> str:
        """Return what stands for a secret value."""
        return Secret(value).fingerprint(self._key)

    def headers(self, pairs: Mapping[str, str]) -> dict[str, str]:
        """Return header fields as they are kept: names in lower case, secret values as fingerprints."""
        named = {name.lower(): value for name, value in pairs.items()}
        return {name: self.fingerprint(value) if is_secret_name(name) else value for name, value in named.items()}

    def recording(self) -> Recording:
        """Return what has been kept so far; without an `end` it is one that was cut here."""
        return Recording.of_objects(self.lines(), source="own session")

    def lines(self) -> list[dict[str, Any]]:
        """Return the header and the events as the lines of a file would hold them."""
        with self._lock:
            return list(self._lines)

    def _end(self, reason: EndReason) -> None:
        self._ended = True
        self._lines.append({"t": round(self.elapsed, 6), "from": "tap", "kind": "end", "reason": reason})


def json_value(data: bytes) -> Any:
    """Return the JSON value of what crossed the wire, None where it is none: no message is null."""
    try:
        return parse_json(data).value
    except JsonError:
        return None
