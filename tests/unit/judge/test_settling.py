"""What an open verdict says would settle it: the layer that is missing, asked for in the order of a triage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diagnose.evidence.bundle_form import bundle_of
from diagnose.judge import diagnose

CASES = Path(__file__).parents[2] / "cases"
SETTLES = {
    "066": ["Ask the server itself", "Names prove no definitions"],
    "115": ["Names prove no definitions"],
    "268": ["Ask the server itself"],
    "270": ["Lay what the client holds", "Keep a snapshot"],
    "271": ["Ask the server itself", "Lay what the client holds"],
    "272": ["Ask the server itself", "Lay what Cursor holds (agent mcp list-tools <identifier>)"],
    "273": ["Record again"],
    "275": ["What was seen of Codex shows no list"],
    "276": ["Check that the server runs", "Ask through the gateway again", "Lay what the client holds"],
    "278": ["Read the server's list with the authorization that the client has"],
    "279": ["Save what Claude Code itself holds"],
    "287": ["Look again when the server is quiet", "Lay what the client holds", "Keep a snapshot"],
}


@pytest.mark.parametrize("number", SETTLES)
def test_an_open_verdict_says_what_would_settle_it(number):
    verdict = verdict_of(number)
    assert verdict.state == "inconclusive"
    said = SETTLES[number]
    assert [step[: len(start)] for step, start in zip(verdict.next, said, strict=True)] == said
    assert not any("{" in step for step in verdict.next)


def test_the_commands_are_those_of_the_target_and_the_client():
    steps = [step for number in ("066", "272") for step in verdict_of(number).next]
    assert any(step.endswith("diagnose triage --bundle FILE -- orchard-server") for step in steps)
    assert any(
        step.endswith("diagnose triage https://orchard.test/mcp --client cursor --registry FILE") for step in steps
    )


def verdict_of(number):
    (path,) = CASES.glob(f"{number}-*.json")
    return diagnose(bundle_of(json.loads(path.read_text()))).verdict


@pytest.mark.parametrize(
    ("number", "others"), [("015", "client-ignores-signal"), ("084", "listen-filter-exceeded"), ("002", None)]
)
def test_a_cause_that_has_no_more_evidence_than_another_says_so(number, others):
    verdict = verdict_of(number)
    tied = [limit for limit in verdict.limits if "as much evidence as" in limit]
    assert bool(tied) is (others is not None)
    assert all(
        limit.startswith(f"{others} at {verdict.layer} has as much evidence as {verdict.cause}") for limit in tied
    )
