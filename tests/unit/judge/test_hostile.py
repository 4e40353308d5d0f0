"""Whatever a server says, the judge answers: no check crashes, and the report of it can be written.

The evidence is drawn from a seeded generator, not from hypothesis: bundles this large take longer to draw and shrink
than to judge.
"""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from unit.judge.looks import bundle, deployed, manifest, origin

from diagnose.evidence.observation import Advertised, Anomaly, Build, Observation, Page
from diagnose.evidence.redact import Redactor
from diagnose.judge import diagnose
from diagnose.report.json_ import diagnosis_json
from diagnose.report.text import diagnosis_text

ROUNDS = 15
WORDS = ["object", "string", "int", "#/$defs/x", "#", "#/", "#x", "", "a__b", "read_file", "{0}", "{tool}", "\x1b[31m",
         "\ud800", "é", "2025-11-25", "2026-07-28", "0.1.9", "v1", "0a1b2c3d4e5f"]  # fmt: skip
KEYS = ["name", "type", "inputSchema", "outputSchema", "properties", "required", "$ref", "$defs", "anyOf", "items", "enum",
        "annotations", "description", "$id", "$anchor", "$schema", "x-mcp-header", "dependencies", "minLength", "default",
        "tools", "listChanged", "meridian/toolManifest", "meridian/tunnelHealth", "tunnel", "toolManifestRevision"]  # fmt: skip
NUMBERS = [0, -1, 3, 2**70, 600.0, 0.5, float("nan"), float("inf")]


class Draw:
    """Draws evidence at random."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def value(self, depth: int = 3) -> Any:
        kind = self.random.randrange(4 if depth == 0 else 7)
        if kind == 0:
            return self.random.choice([None, True, False])
        if kind == 1:
            return self.random.choice(NUMBERS)
        if kind < 4:
            return self.word()
        if kind == 4:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        return self.object(depth - 1)

    def object(self, depth: int = 3) -> dict[str, Any]:
        return {self.random.choice(KEYS): self.value(depth) for _ in range(self.random.randrange(6))}

    def word(self) -> str:
        return self.random.choice(WORDS)

    def maybe(self, value: Any) -> Any:
        return self.random.choice([None, value])

    def tools(self) -> list[Any]:
        entries = [self.random.choice([self.value(4), {**self.object(4), "name": self.word()}]) for _ in range(5)]
        return entries[: self.random.randrange(6)]

    def advertised(self) -> Advertised:
        return Advertised(
            initialize=self.value(1), initialize_meta=self.value(1), list=self.value(1), count=self.value(1)
        )

    def pages(self) -> tuple[Page, ...]:
        page = [
            Page(cursor=self.maybe(self.word()), names=(self.value(0), self.word()), revision=self.value(1))
            for _ in range(3)
        ]
        return tuple(page[: self.random.randrange(4)])

    def build(self) -> Build:
        said = {key: self.maybe(self.word()) for key in ("version", "build", "started_at", "at")}
        return Build(source=self.word(), **said)

    def walk(self) -> Observation:
        kinds = ["junk-line", "bom", "wrong-id", "kind-of-tomorrow"]
        return origin(
            self.tools(),
            era=self.random.choice(["modern", "legacy", None]),
            protocol_version=self.maybe(self.word()),
            session=self.maybe(self.word()),
            advertised=self.advertised(),
            pages=self.pages(),
            anomalies=(Anomaly(kind=self.random.choice(kinds), where=self.word(), detail=self.word()),),
            meta=self.maybe(self.object()),
            server_info=self.maybe({**self.object(), "name": self.random.choice(["meridian", "orchard"])}),
            capabilities=self.maybe(self.object()),
            ttl_ms=self.value(1),
            cache_scope=self.value(1),
        )


@pytest.mark.parametrize("seed", range(20))
def test_the_judge_answers_whatever_was_said(seed):
    draw = Draw(seed)
    for _ in range(ROUNDS):
        walks = [draw.walk() for _ in range(draw.random.randrange(1, 5))]
        layers = {
            "origin": replace(walks[-1], samples=tuple(walks) if len(walks) > 1 else ()),
            "manifest": draw.maybe(manifest(draw.tools(), advertised=draw.advertised())),
            "baseline": draw.maybe(replace(draw.walk(), layer="baseline")),
            "deployed": deployed(
                *(draw.build() for _ in range(draw.random.randrange(3))), expected=draw.maybe(draw.build())
            ),
            "transport": draw.random.choice(["http", "stdio"]),
        }
        diagnosis = diagnose(bundle(**layers))
        assert [result for result in diagnosis.checks if "fault of diagnose" in (result.why or "")] == []
        assert diagnosis.exit_code in {0, 1, 3}
        assert json.loads(diagnosis_json(diagnosis, Redactor()))["exitCode"] == diagnosis.exit_code
        assert "\x1b" not in diagnosis_text(diagnosis, Redactor(), width=60)
