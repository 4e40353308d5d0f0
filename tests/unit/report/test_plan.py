"""The plan as text and as a document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.schemas import validated

from diagnose.evidence.bundle import Target
from diagnose.evidence.harmless import display_width
from diagnose.evidence.redact import Redactor
from diagnose.freshness import PlanPin, check_plan, relying
from diagnose.jobs.plan import PlanLook
from diagnose.report.plan import plan_json, plan_text
from diagnose.surface import Surface

TARGET = Target(id="example.test/mcp", transport="http", endpoint="https://example.test/mcp")
RENDER: dict[str, Any] = {
    "name": "render",
    "description": "To image/png.",
    "inputSchema": {"type": "object", "properties": {"width": {"type": "integer", "maximum": 4096}, "seed": {}}},
}
NARROW = {**RENDER, "inputSchema": {"type": "object", "properties": {"width": {"type": "integer", "maximum": 10}}}}
UPLOAD = {"name": "up\x1bload", "inputSchema": {"type": "object"}}
OLD = Surface.of([RENDER, UPLOAD])


def look(*now: dict[str, Any], running: bool = False) -> PlanLook:
    relies_on = relying(RENDER, arguments=["width"], limits=["/inputSchema/properties/width/maximum"])
    one = PlanPin.of(OLD, "render", step="1", relies_on=relies_on)
    two = PlanPin.of(OLD, "up\x1bload", step="2", relies_on=relying(UPLOAD, steps=["1"]))
    steps = (one.start(OLD) if running else one, two)
    surface = Surface.of(now)
    checks = check_plan(steps, surface)
    return PlanLook(target=TARGET, at="2026-11-30T11:22:33.123Z", surface=surface, steps=steps, checks=checks)


def text(shown: PlanLook, width: int = 100) -> str:
    return plan_text(shown, Redactor(), width=width)


def test_a_plan_that_may_go_on() -> None:
    seedless = {
        **RENDER,
        "inputSchema": {"type": "object", "properties": {"width": {"type": "integer", "maximum": 4096}}},
    }
    assert text(look(seedless, UPLOAD)).splitlines() == [
        "all 2 steps may go on as planned",
        "",
        "compatible 1  render",
        "    The definition changed, in nothing that this step relies on.",
        "unchanged  2  up\\x1bload",
    ]


def test_a_plan_that_is_to_be_made_anew_says_why() -> None:
    assert text(look(NARROW, UPLOAD)).splitlines() == [
        "2 of 2 steps must be planned anew",
        "",
        "re-plan    1  render",
        "    The limit /inputSchema/properties/width/maximum was 4096 and is 10 now.",
        "    breaking   ~ render  changed",
        "        /inputSchema/properties/width/maximum  breaking",
        "          - 4096",
        "          + 10",
        "re-plan    2  up\\x1bload",
        "    It is composed of the result of step 1, which cannot go on.",
    ]


def test_a_tool_that_is_gone_and_a_step_that_runs() -> None:
    assert text(look(RENDER)).splitlines()[:1] == [
        "1 of 2 steps must be planned anew, 1 of them because the tool is gone"
    ]
    assert text(look(UPLOAD, running=True)).splitlines() == [
        "all 2 steps may go on as planned",
        "",
        "gone       1  render  running: it goes on with what it started with",
        "    There is no tool render; no other takes its place.",
        "unchanged  2  up\\x1bload",
    ]


@pytest.mark.parametrize("width", [40, 60])
def test_it_keeps_to_the_page(width: int) -> None:
    for shown in (look(NARROW, UPLOAD), look(), look(RENDER, RENDER), look(UPLOAD, running=True)):
        assert all(display_width(line) <= width for line in text(shown, width).splitlines())


def test_colour_says_nothing_that_the_words_do_not() -> None:
    coloured = plan_text(look(NARROW, UPLOAD), Redactor(), width=100, colour=True)
    assert "\x1b[1;31mre-plan   \x1b[0m" in coloured
    for code in ("\x1b[1;31m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == text(look(NARROW, UPLOAD))


@pytest.mark.parametrize("now", [[RENDER, UPLOAD], [NARROW, UPLOAD], [], [RENDER, RENDER]])
def test_the_document_is_the_one_that_is_published(now: list[dict[str, Any]]) -> None:
    shown = look(*now)
    document = validated(plan_json(shown, Redactor()))
    assert [step["outcome"] for step in document["steps"]] == [check.outcome for check in shown.checks]
    assert document["exitCode"] == shown.exit_code == (0 if now == [RENDER, UPLOAD] else 1)


def test_a_pinned_plan_has_no_outcome() -> None:
    pinned = PlanLook(target=TARGET, at="2026-11-30T11:22:33.123Z", surface=OLD, steps=look(RENDER).steps)
    document = validated(plan_json(pinned, Redactor()))
    assert "exitCode" not in document
    assert all("outcome" not in step for step in document["steps"])
    assert json.loads(plan_json(look(RENDER, UPLOAD), Redactor()))["catalogue"]["count"] == 2
