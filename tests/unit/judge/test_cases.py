"""Every case of tests/cases: a bundle as a customer would send it, and the verdict that it must get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnose.evidence.bundle_form import DEPTH, bundle_of
from diagnose.judge import diagnose
from diagnose.surface import parse_json

CASES = sorted((Path(__file__).parents[2] / "cases").glob("*.json"))


def read(path: Path) -> Any:
    return parse_json(path.read_bytes(), max_depth=DEPTH).value


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_gets_its_verdict(path):
    document = read(path)
    expect = document["expect"]
    right = [
        tuple(each.get(key) for key in ("state", "layer", "cause")) for each in (expect, *expect.get("accept", []))
    ]
    diagnosis = diagnose(bundle_of(document))
    verdict = diagnosis.verdict
    assert (verdict.state, verdict.layer, verdict.cause) in right
    assert diagnosis.exit_code == {"in-sync": 0, "stale": 1, "broken": 1, "inconclusive": 3}[verdict.state]
    assert not [check for check in diagnosis.checks if "fault of diagnose" in (check.why or "")]


def test_there_are_cases_of_every_kind():
    """Those below 200 are public reports; the others are ours, many of them with nothing stale, or nothing to decide."""
    ours = [read(path)["expect"]["state"] for path in CASES if path.stem >= "200"]
    assert len(CASES) - len(ours) > 100
    assert all(ours.count(state) > 20 for state in ("in-sync", "inconclusive", "stale"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_is_expected_is_not_read(path):
    document = read(path)
    told = diagnose(bundle_of(document))
    del document["expect"]
    assert diagnose(bundle_of(document)) == told
