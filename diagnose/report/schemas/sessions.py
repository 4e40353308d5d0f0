"""The schemas of what a recording holds: its sessions, and what is told of the recording itself."""

from __future__ import annotations

from diagnose.evidence.observation import LAYERS
from diagnose.evidence.recording import HOPS
from diagnose.judge.diagnosis import Confidence, State
from diagnose.judge.timeline.news import Kind
from diagnose.report.schemas.parts import (
    AT,
    BOOL,
    COUNT,
    ERA,
    IMPACT,
    RECEIVED,
    SHA256,
    TEXT,
    Schema,
    described,
    document,
    nullable,
    record,
    rows,
    words,
)

_FRAME = described(COUNT, "A line of the recording, its header being 1.")
_SECONDS = described({"type": "number"}, "Seconds since the start of the recording, by its clock.")
_HERE: dict[str, Schema] = {"frame": _FRAME, "t": _SECONDS}
_CODE: Schema = {"type": ["integer", "null"]}
_REFUSED = nullable(record(**_HERE, status=_CODE, code=_CODE, message=TEXT))
_NAME = described(
    nullable(TEXT), "A, B, C, …: one name for a catalogue wherever it was seen; null where it is unknown."
)


def _some(item: Schema) -> Schema:
    """Return the first and the newest of many things, with how many there were."""
    return record(total=COUNT, shown=rows(item))


_STEP = record(
    kind=words(("discover", "initialize")),
    asked=AT,
    version=nullable(TEXT),
    answered=AT,
    versions=rows(TEXT),
    refused=_REFUSED,
)
_CHANGE = record(tool=nullable(TEXT), kind=words(("added", "removed", "changed", "renamed")), impact=IMPACT)
_CATALOGUE = record(
    name=_NAME,
    count=COUNT,
    revision=nullable(SHA256),
    digest=nullable(SHA256),
    pages=COUNT,
    ttlMs=RECEIVED,
    cacheScope=RECEIVED,
    first=described(AT, "The answer that brought it."),
    last=described(AT, "The last answer that brought it again, with no other in between."),
    lists=COUNT,
    changes=described(rows(_CHANGE), "Against the catalogue before it."),
)
_LIST = record(
    asked=AT,
    answered=AT,
    frames=rows(_FRAME),
    state=words(("asking", "open", "complete", "refused", "faulty")),
    pages=COUNT,
    count=nullable(COUNT),
    revision=nullable(SHA256),
    digest=nullable(SHA256),
    ttlMs=RECEIVED,
    cacheScope=RECEIVED,
    catalogue=_NAME,
    fault=nullable(TEXT),
    givenUp=described(nullable(AT), "When the client cancelled it: an answer after that counts for nothing."),
    refused=_REFUSED,
)
_SIGNAL = record(
    **_HERE,
    declared=nullable(BOOL),
    channel=nullable(TEXT),
    stream=described(nullable(words(("get", "listen"))), "The stream that it came on; null where there is none."),
    heeded=described(BOOL, "Whether a list was asked for afterwards."),
    list=described(AT, "The request of that list."),
)
_STREAM = record(
    purpose=words(("get", "listen")),
    asked=AT,
    opened=AT,
    acknowledged=AT,
    closed=AT,
    by=nullable(TEXT),
    clean=BOOL,
    signals=COUNT,
    refused=_REFUSED,
)
_CALL = record(
    {
        "arguments": described(rows(TEXT), "Names of arguments; values are not told."),
        "surplus": described(rows(TEXT), "Arguments that only an older definition names."),
        "catalogue": described(_NAME, "The newest list that the session had been sent."),
        "list": described(AT, "The answer that brought that list."),
        "refused": _REFUSED,
    },
    tool=TEXT,
    count=COUNT,
    asked=AT,
    last=AT,
    standing=words(("listed", "removed", "unlisted", "unknown")),
    outcome=words(("pending", "ok", "error", "refused")),
    definitions=described(rows(SHA256), "Digests of the definitions that were in force."),
)
_SPAN = record(
    **{
        "from": record(frame=nullable(_FRAME), t=_SECONDS),
        "to": record(**_HERE),
        "why": described(TEXT, "`announced`, `sent to another session`, or the cause of the verdict."),
    }
)

SESSION = record(
    id=TEXT,
    recording=TEXT,
    client=record(name=TEXT, version=nullable(TEXT)),
    agent=described(nullable(TEXT), "The product of the User-Agent."),
    transport=words(("stdio", "http")),
    principal=nullable(TEXT),
    sessionId=nullable(TEXT),
    era=nullable(ERA),
    protocolVersion=nullable(TEXT),
    listChanged=nullable(BOOL),
    server=described(nullable({"type": "object"}), "serverInfo, as received."),
    capabilities=described(nullable({"type": "object"}), "As received."),
    steps=rows(_STEP),
    first=AT,
    last=described(AT, "The last frame of the client's own."),
    ended=nullable(words(("deleted", "exited", "closed"))),
    end=AT,
    catalogues=_some(_CATALOGUE),
    lists=_some(_LIST),
    signals=_some(_SIGNAL),
    streams=_some(_STREAM),
    calls=described(rows(_CALL), "Those that went as they should by tool, the others one by one."),
    callsMade=COUNT,
    losses=_some(record(**_HERE, method=TEXT, refused=_REFUSED)),
    stale=described(rows(_SPAN), "When the client is shown to have held an old list."),
    verdict=record(
        state=words(State), layer=nullable(words(LAYERS)), cause=nullable(TEXT), confidence=words(Confidence)
    ),
)

RECORDING = record(
    name=described(TEXT, "What its frames are told with: `wire:17`."),
    source=described(TEXT, "Where it was read from."),
    startedAt=nullable(TEXT),
    offset=described(
        nullable({"type": "number"}), "Seconds from the start of the first recording to that of this one."
    ),
    transport=words(("stdio", "http")),
    hop=words(tuple(sorted(HOPS))),
    events=COUNT,
    last=AT,
    ended=described(nullable(TEXT), "Null where it was cut."),
    notes=rows(TEXT),
    processes=rows(record(**_HERE, event=TEXT, code=_CODE)),
    actions=rows(record(**_HERE, text=TEXT)),
)

LIVE = document(
    "live/1",
    {
        **_HERE,
        "event": words(Kind),
        "session": described(nullable(TEXT), "The session that it is about, if it is about one."),
        "client": nullable(TEXT),
        "says": described(TEXT, "What happened, in words."),
    },
)
