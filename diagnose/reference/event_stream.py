"""The event stream between the honest server and a fault: taken apart into what it is made of, and put together again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from diagnose.reference.outlet import Message

#: The blank line behind an event or a comment, as either library of the server writes it.
_GAP = re.compile(rb"\r\n\r\n|\n\n")


def blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield each event and each comment as it comes, whole, without the blank line behind it."""
    held = b""
    for piece in pieces:
        *whole, held = _GAP.split(held + piece)
        yield from whole


def message_in(block: bytes) -> Any:
    """Return the message of an event; None for a comment and for an event without data."""
    data = [line[5:] for line in block.splitlines() if line.startswith(b"data:")]
    return json.loads(b"\n".join(data)) if data else None


def event_of(message: Message) -> bytes:
    """Return the event that carries this message."""
    data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"
