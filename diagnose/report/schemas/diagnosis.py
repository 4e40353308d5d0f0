"""The schemas of what was compared: `diagnosis/1` and `diff/1`."""

from __future__ import annotations

from diagnose.evidence.observation import LAYERS
from diagnose.judge.diagnosis import Confidence, Outcome, Severity, State
from diagnose.judge.trust.tracker import Basis, End
from diagnose.report.schemas.parts import (
    ADVERTISED,
    AT,
    BOOL,
    CHANGE,
    COUNT,
    ERA,
    HEALTH,
    IMPACT,
    MOMENT,
    RECEIVED,
    RELATION,
    SHA256,
    STAMP,
    TARGET,
    TEXT,
    described,
    document,
    nullable,
    record,
    rows,
    words,
)
from diagnose.report.schemas.sessions import RECORDING, SESSION

_LAYER = words(LAYERS)

#: A row says what its layer has to say; the keys that are only of some layers may be missing.
_ROW = record(
    {
        "why": described(TEXT, "Why the layer was not observed."),
        "source": TEXT,
        "health": nullable(HEALTH),
        "version": nullable(TEXT),
        "build": nullable(TEXT),
        "at": nullable(TEXT),
        "era": nullable(ERA),
        "protocolVersion": nullable(TEXT),
        "pages": nullable(COUNT),
        "count": nullable(COUNT),
        "revision": nullable(SHA256),
        "digest": nullable(SHA256),
        "clients": described(rows(TEXT), "Of recordings: the clients in them; the counts are over all."),
        "sessions": COUNT,
        "lists": COUNT,
        "signals": COUNT,
        "advertised": ADVERTISED,
        "listChanged": nullable(BOOL),
        "ttlMs": RECEIVED,
        "cacheScope": RECEIVED,
    },
    layer=_LAYER,
    observed=BOOL,
)
_COMPARISON = record(
    {"why": TEXT},
    **{
        "from": described(TEXT, "A layer; a walk of it is `origin#2`."),
        "to": TEXT,
        "relation": RELATION,
        "changes": rows(CHANGE),
    },
)
_FINDING = record(
    {"session": described(TEXT, "The session of a recording that it is about, by its id.")},
    rule=TEXT,
    severity=words(Severity),
    layer=_LAYER,
    message=TEXT,
    args={"type": "object"},
    evidence=rows(TEXT),
    remedy=TEXT,
    fingerprint=described(
        {"type": "string", "pattern": "^[0-9a-f]{32}$"}, "Over rule, layer and args, never over the words."
    ),
)
_CHECK = {
    **record({"why": TEXT}, rule=TEXT, outcome=words(Outcome)),
    "if": {"properties": {"outcome": {"const": "not-verified"}}},
    "then": {"required": ["why"]},
}
_CANDIDATE = record(
    cause=TEXT,
    state=words(State),
    layer=_LAYER,
    confidence=words(Confidence),
    evidence=rows(TEXT),
    summary=TEXT,
)
_VERDICT = {
    **record(
        state=words(State),
        layer=nullable(_LAYER),
        cause=nullable(TEXT),
        confidence=words(Confidence),
        candidates=rows(_CANDIDATE),
        summary=TEXT,
        next=rows(TEXT),
        limits=rows(TEXT),
    ),
    "if": {"properties": {"state": {"enum": ["in-sync", "inconclusive"]}}},
    "then": {"properties": {"layer": {"type": "null"}, "cause": {"type": "null"}}},
    "else": {"properties": {"layer": {"type": "string"}, "cause": {"type": "string"}}},
}

_TRUST = record(
    session=TEXT,
    principal=nullable(TEXT),
    kind=described(words(("call", "read")), "`read` is the read of a resource."),
    tool=described(TEXT, "The name of the tool on the wire; of a resource, its address."),
    action=described(nullable(TEXT), "What a grouped tool was told to do."),
    arguments=described({"type": "object"}, "The digest of each argument, under a key that is not kept."),
    request=described({"type": ["integer", "string", "null"]}, "The JSON-RPC id."),
    asked=AT,
    read=AT,
    answer=described(nullable(TEXT), "The digest of the answer."),
    basis=words(Basis),
    state=words(("holds", "stale", "never-kept")),
    until=described(AT, "From when the answer is not to be gone by; null where it holds to the end."),
    endedBy=nullable(words(End)),
    domain=nullable(TEXT),
    cause=nullable(TEXT),
    usedStale=described(AT, "The request that went by the answer when it was stale already."),
)

DIAGNOSIS = document(
    "diagnosis/1",
    {
        "tool": STAMP,
        "at": MOMENT,
        "target": TARGET,
        "layers": rows(_ROW),
        "comparisons": rows(_COMPARISON),
        "findings": rows(_FINDING),
        "checks": rows(_CHECK),
        "verdict": _VERDICT,
        "exitCode": described(words((0, 1, 3, 4, 70)), "The exit code of the program."),
    },
    {
        "sessions": described(rows(SESSION), "Of recordings: each session, with a verdict of its own."),
        "recordings": described(rows(RECORDING), "The recordings themselves, by the names that frames are told with."),
        "trust": described(rows(_TRUST), "Of `statesync trust`: each answer that was read, oldest first."),
    },
)

_SIDE = record(source=TEXT, at=nullable(TEXT), count=COUNT, revision=nullable(SHA256), digest=nullable(SHA256))
DIFF = document(
    "diff/1",
    {
        "tool": STAMP,
        "from": _SIDE,
        "to": _SIDE,
        "relation": RELATION,
        "impact": described(nullable(IMPACT), "The worst of all changes; null where there is none."),
        "changes": rows(CHANGE),
    },
)
