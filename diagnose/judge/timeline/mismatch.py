"""Requests whose HTTP headers and body say two things, or whose version is not the one that was agreed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from diagnose.judge.timeline.deeds import Mismatch, Moment
from diagnose.judge.timeline.lanes import PROTOCOL_VERSION
from diagnose.judge.timeline.model import Session
from diagnose.wire.headers import VERSION, modern_headers
from diagnose.wire.message import Message
from diagnose.wire.negotiation import INITIALIZE


def mismatches(session: Session, message: Message, headers: Mapping[str, str], at: Moment) -> Iterator[Mismatch]:
    """Yield what disagrees (MCP 2026-07-28, transports/streamable-http; 2025-11-25, basic/transports).

    A header that is missing is none: older versions have none of them, and a recorder may leave headers out.
    """
    meta = message.params.get("_meta")
    spoken = meta.get(PROTOCOL_VERSION) if isinstance(meta, Mapping) else None
    if isinstance(spoken, str):
        expected = modern_headers(message.raw, spoken)
    elif session.version is not None and message.method != INITIALIZE:
        expected = {VERSION: session.version}
    else:
        return
    for name, value in expected.items():
        said = headers.get(name.lower())
        if said is not None and said != value:
            yield Mismatch(asked=at, header=name, said=said, body=value)
