"""Bytes that are no message: what a strict reader would refuse, and whether the other side ended for it."""

from __future__ import annotations

import json
from typing import Any

from diagnose.evidence.recording import Event
from diagnose.judge.timeline.deeds import Corruption, Moment, Side
from diagnose.judge.timeline.shelf import Shelf
from diagnose.wire.message import Message, read
from diagnose.wire.oddity import QUOTED, quote

#: Fields of an event stream that carry no message: comments, and the priming event with its id and retry time.
_STREAM_FIELDS = (b":", b"id:", b"event:", b"retry:", b"data:")


class Octets:
    """Keeps the corruptions of one recording; one is fatal if the other side says nothing more and then ends."""

    def __init__(self) -> None:
        self.found: Shelf[Corruption] = Shelf()
        self._unanswered: list[Corruption] = []

    def raw(self, event: Event, at: Moment, *, stdio: bool) -> tuple[Message, ...]:
        """Take in raw bytes, and return the messages that stand in them all the same."""
        data = event.data or b""
        if event.sender == "tap" or not data.strip() or (not stdio and _is_stream_field(data)):
            return ()
        line = data.rstrip(b"\r\n")
        if data.endswith((b"\r\n", b"\r")) or b"\r\n" in line:
            self._note(event, at, "crlf", quote(data))
        payload = read(line, f"frame {at.frame}")
        for oddity in payload.oddities:
            self._note(event, at, oddity.kind, oddity.detail)
        return payload.messages

    def no_message(self, event: Event, entry: Any, at: Moment) -> None:
        """Take in JSON that is no message."""
        self._note(event, at, "junk-line", json.dumps(entry)[:QUOTED])

    def heard(self, sender: str) -> None:
        """Take note that a side speaks: what the other side had sent did not end it."""
        self._unanswered = [corruption for corruption in self._unanswered if corruption.sender == sender]

    def over(self, side: str | None) -> None:
        """Take note that a side ended."""
        for corruption in self._unanswered:
            if side is None or corruption.sender != side:
                corruption.fatal = True
        self._unanswered = []

    def _note(self, event: Event, at: Moment, kind: str, detail: str) -> None:
        sender: Side = "server" if event.sender == "server" else "client"
        corruption = Corruption(at=at, sender=sender, kind=kind, detail=detail)
        self.found.put(corruption)
        if len(self._unanswered) < QUOTED:
            self._unanswered.append(corruption)


def _is_stream_field(data: bytes) -> bool:
    return data.lstrip().startswith(_STREAM_FIELDS)
