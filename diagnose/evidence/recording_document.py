"""A recording as the objects of its lines, the way back from `Recording.of_objects`."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from diagnose.evidence.recording import Event, Recording

_FIELDS = (
    "channel",
    "connection",
    "method",
    "path",
    "status",
    "purpose",
    "by",
    "clean",
    "event",
    "code",
    "session",
    "principal",
)


def recording_document(recording: Recording) -> Iterator[dict[str, Any]]:
    """Yield the header and the events of a recording as objects; what was not told is left out."""
    yield dict(recording.header.raw)
    for event in recording.events:
        yield {name: value for name, value in _event(event).items() if value is not None}


def _event(event: Event) -> dict[str, Any]:
    told = {"t": event.t, "from": event.sender, "kind": event.kind, "message": event.message, "reason": event.reason}
    told |= {name: getattr(event, name) for name in _FIELDS}
    told["headers"] = dict(event.headers) or None
    if event.data is not None and event.text is None:
        told["base64"] = base64.b64encode(event.data).decode("ascii")
    return {**told, "text": event.text}
