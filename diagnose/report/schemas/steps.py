"""The schemas of the single steps: `health/1`, `version/1`, `manifest/1` and `revision/1`."""

from __future__ import annotations

from diagnose.report.schemas.parts import (
    ADVERTISED,
    COUNT,
    ERA,
    MOMENT,
    SHA256,
    STAMP,
    TARGET,
    TEXT,
    described,
    document,
    nullable,
    record,
    rows,
)
from diagnose.report.schemas.parts import (
    HEALTH as HEALTH_WORD,
)
from diagnose.surface import ALGORITHM

_ASKED = {"tool": STAMP, "at": MOMENT, "target": TARGET}
_SAMPLE = record(
    source=TEXT,
    health=nullable(HEALTH_WORD),
    version=nullable(TEXT),
    build=nullable(TEXT),
    startedAt=nullable(TEXT),
)
_SAMPLES = {"samples": rows(_SAMPLE), "notes": rows(TEXT)}
_COUNTS = {"count": nullable(COUNT), "revision": nullable(SHA256), "digest": nullable(SHA256)}

HEALTH = document("health/1", {**_ASKED, "health": nullable(HEALTH_WORD), "service": nullable(TEXT), **_SAMPLES})
VERSION = document(
    "version/1",
    {**_ASKED, "version": nullable(TEXT), "build": nullable(TEXT), "startedAt": nullable(TEXT), **_SAMPLES},
)
MANIFEST = document(
    "manifest/1",
    {**_ASKED, "source": TEXT, **_COUNTS, "tools": described(rows({"type": "object"}), "As received.")},
)
REVISION = document(
    "revision/1",
    {
        "tool": STAMP,
        "source": TEXT,
        **_COUNTS,
        "algorithm": {"const": ALGORITHM},
        "tools": rows(record(name=TEXT, digest=nullable(SHA256))),
    },
    {
        "at": MOMENT,
        "target": TARGET,
        "era": nullable(ERA),
        "protocolVersion": nullable(TEXT),
        "advertised": ADVERTISED,
    },
)
