"""`diagnose statesync` from the command line: recordings judged and told of, each in its forms."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.program import diagnose
from support.schemas import validated

SESSIONS = Path(__file__).parents[2] / "recordings" / "state-sync"
CLEAN, FAILED, STALE = (
    str(SESSIONS / f"{name}.jsonl")
    for name in ("01-dot-separator-clean", "05-failed-mutations", "07-stale-notifications")
)
POLICY = str(SESSIONS / "01-dot-separator-clean.toml")


@pytest.mark.parametrize(("recording", "code"), [(CLEAN, 0), (FAILED, 1), (STALE, 1)])
def test_a_recording_is_judged_and_the_document_is_by_its_schema(recording: str, code: int) -> None:
    ran = diagnose("statesync", "check", "--recording", recording, "--format", "json")
    document = validated(ran.out)
    assert (ran.code, document["exitCode"]) == (code, code)


def test_a_policy_is_held_to_and_a_broken_one_is_wrong_usage(tmp_path: Path) -> None:
    assert diagnose("statesync", "check", "--recording", CLEAN, "--policy", POLICY).code == 0
    wrong = tmp_path / "policy.toml"
    wrong.write_text('[[policies]]\nmatch = "billing.get_*"\n')
    ran = diagnose("statesync", "check", "--recording", CLEAN, "--policy", str(wrong))
    assert ran.code == 2
    assert "get_*" in ran.err


def test_trust_tells_what_ended_it() -> None:
    ran = diagnose("statesync", "trust", CLEAN, "--policy", POLICY, columns=200)
    assert ran.code == 0
    assert ran.out.startswith("9 answers read: 3 to be gone by, 3 went stale, 3 never to be kept")
    assert "billing.refund said that billing.* is stale" in ran.out
    document = validated(diagnose("statesync", "trust", CLEAN, "--format", "json").out)
    assert [entry["state"] for entry in document["trust"]].count("holds") == 3


def test_what_is_no_recording_is_wrong_usage(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text("{}\n")
    for path in (str(other), str(tmp_path / "missing.jsonl")):
        ran = diagnose("statesync", "trust", path)
        assert ran.code == 2, ran
        assert ran.out == ""
