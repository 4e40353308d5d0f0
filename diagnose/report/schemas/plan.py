"""The schema of `plan/1`, as it was pinned or as it was checked."""

from __future__ import annotations

from diagnose.freshness.plan import Outcome, StepState
from diagnose.freshness.reliance import ObstacleKind
from diagnose.report.schemas.parts import (
    BOOL,
    CHANGE,
    COUNT,
    MOMENT,
    RECEIVED,
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

_RELIANCE = record(
    arguments=described(nullable(rows(TEXT)), "Null if nobody said: then the whole definition counts."),
    mediaTypes=rows(TEXT),
    limits=rows(record(path=described(TEXT, "JSON Pointer into the definition."), value={"type": "number"})),
    steps=described(rows(TEXT), "The steps whose results this one is composed of."),
)
_OBSTACLE = record(
    {"from": RECEIVED, "to": described(RECEIVED, "Left out where there is nothing any more.")},
    kind=words(ObstacleKind),
    what=described(TEXT, "The tool, media type, pointer or step that it is about."),
)
_STEP = record(
    {
        "outcome": described(words(Outcome), "Of a check, like the keys beside it."),
        "mayRun": described(BOOL, "Whether it goes on; a running step does, with what it started with."),
        "obstacles": rows(_OBSTACLE),
        "change": described(nullable(CHANGE), "What concerns this step of the change of its tool."),
    },
    step=TEXT,
    tool=TEXT,
    state=described(words(StepState), "Set it to `running` when the step has begun."),
    revision=described(nullable(TEXT), "Of the catalogue that the step was planned with."),
    digest=SHA256,
    reliesOn=_RELIANCE,
    definition=described({"type": "object"}, "As it was when the step was pinned; a redacted one says so."),
)

PLAN = document(
    "plan/1",
    {
        "tool": STAMP,
        "at": MOMENT,
        "target": TARGET,
        "catalogue": record(revision=nullable(SHA256), digest=nullable(SHA256), count=COUNT),
        "steps": rows(_STEP),
    },
    {"exitCode": described({"enum": [0, 1]}, "Of a check.")},
)
