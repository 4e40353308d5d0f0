"""Diagnoses to show: one of each state, with what a report has to cope with."""

from __future__ import annotations

from dataclasses import replace

from unit.judge.looks import (
    ORCHARD,
    PICK,
    PRESS,
    PRUNE,
    RIPEN,
    advertised,
    baseline,
    build,
    bundle,
    deployed,
    failing,
    manifest,
    origin,
    tool,
    walks,
)

from diagnose.evidence.observation import Anomaly, Build
from diagnose.judge import Diagnosis, diagnose
from diagnose.judge.checks import suited

CAPABILITIES = {"tools": {"listChanged": True}}
NEEDY = tool(
    "pick_apples",
    "Pick apples from the trees of one row, and put them into baskets that stand below the trees.",
    inputSchema={
        "type": "object",
        "properties": {"row": {"type": "integer", "minimum": 1}, "basket": {"type": "string"}},
        "required": ["row", "basket"],
    },
)
EASY = tool(
    "pick_apples",
    "Pick apples from the trees of one row.",
    inputSchema={"type": "object", "properties": {"row": {"type": "integer"}}, "required": ["row"]},
)
NASTY = tool("evil\x1b[2Jtool\u202e\nnext", annotations="Bearer sk_live_0123456789abcdef")
UNTYPED = {"name": "ripen", "inputSchema": {"anyOf": [{"type": "object"}]}}


def judged(**layers) -> Diagnosis:
    """Judge as `surface` does."""
    return diagnose(bundle(**layers), checks=suited(tried=False, wire=False))


def in_sync() -> Diagnosis:
    seen = origin(
        capabilities=CAPABILITIES, advertised=advertised(), ttl_ms=60000, cache_scope="public", era="modern",
        protocol_version="2026-07-28",
    )  # fmt: skip
    return judged(deployed=deployed(build(), build()), manifest=manifest(), baseline=baseline(), origin=seen)


def changed() -> Diagnosis:
    seen = origin([NEEDY, RIPEN, PRESS], capabilities=CAPABILITIES)
    return judged(deployed=deployed(build()), baseline=baseline([EASY, PRUNE, RIPEN]), origin=seen)


def old_build() -> Diagnosis:
    expected = Build(version="0.3.0", build="f00dfeed0001")
    return judged(
        deployed=deployed(build(), expected=expected),
        manifest=manifest(),
        origin=origin(advertised=advertised(count=4)),
        notes=("no target was named: this is the embedded reference server",),
    )


def corrupt() -> Diagnosis:
    junk = Anomaly(kind="junk-line", where="stdout line 1", detail="Starting \x1b[31morchard\x1b[0m on port 7878")
    return judged(
        transport="stdio",
        endpoint="python server.py",
        origin=walks([NASTY, UNTYPED], [NASTY, UNTYPED], anomalies=(junk,)),
    )


def unreachable() -> Diagnosis:
    said = "https://orchard.test refused the connection: nobody listens on port 443."
    return judged(
        origin=failing("origin", "unreachable", said),
        unobserved={"manifest": "GET /tools could not be reached", "deployed": "GET /health could not be reached"},
    )


def undecided() -> Diagnosis:
    return judged(
        origin=walks(ORCHARD, [*ORCHARD, PRESS]), manifest=failing("manifest", "timed-out", "GET /tools took too long.")
    )


def long_list() -> Diagnosis:
    many = [tool(f"tool_{number}") for number in range(40)]
    return judged(baseline=baseline([*ORCHARD, PICK]), origin=replace(origin(many), at=None))


SCENES = {scene.__name__: scene for scene in (in_sync, changed, old_build, corrupt, unreachable, undecided, long_list)}
