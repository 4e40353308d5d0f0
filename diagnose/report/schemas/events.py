"""The schema of what `watch` writes, one document a line: `event/1`."""

from __future__ import annotations

from diagnose.freshness import Reason, State
from diagnose.jobs.watching import EventKind
from diagnose.observe.heard import ChannelKind
from diagnose.report.schemas.parts import (
    BOOL,
    CHANGE,
    COUNT,
    ERA,
    MOMENT,
    SHA256,
    TEXT,
    described,
    document,
    nullable,
    rows,
    words,
)

_SECONDS = {"type": "number", "minimum": 0}

EVENT = document(
    "event/1",
    {
        "event": words(EventKind),
        "at": MOMENT,
        "t": described(_SECONDS, "Seconds since the start of the watch."),
        "target": TEXT,
        "state": words(State),
        "era": ERA,
        "protocolVersion": TEXT,
        "connected": BOOL,
        "channel": words(ChannelKind),
        "listening": described(BOOL, "Whether a signal could be heard now."),
        "revision": nullable(SHA256),
        "digest": nullable(SHA256),
        "count": nullable(COUNT),
        "age": nullable(_SECONDS),
        "ttlLeft": nullable({"type": "number"}),
        "signals": COUNT,
        "lists": COUNT,
        "changesSeen": COUNT,
    },
    {
        "reason": described(words(Reason), "Why a list was read."),
        "announced": described(BOOL, "Of a change: whether the server had signalled it by then."),
        "rule": TEXT,
        "why": TEXT,
        "againIn": {"type": "number"},
        "deafFor": _SECONDS,
        "changes": rows(CHANGE),
    },
)
