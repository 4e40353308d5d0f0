"""Steps for one client and its version: what is known to help, and never that a version is to blame."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diagnose.evidence.bundle_form import bundle_of
from diagnose.judge import diagnose

CASES = Path(__file__).parents[2] / "cases"


def steps(number, client=None, version=None):
    (path,) = CASES.glob(f"{number}-*.json")
    document = json.loads(path.read_text())
    if client is not None:
        document["client"] = {"id": client, **({"version": version} if version else {})}
    return diagnose(bundle_of(document)).verdict.next


@pytest.mark.parametrize(
    ("client", "version", "says"),
    [
        ("claude-code", "2.0.9", "Claude Code 2.0.9: Use 2.1.0 or a newer version, which is known to list again"),
        (
            "claude-code",
            "2.1.0",
            "Claude Code 2.1.0: It is known to list again when it is told of a change since 2.1.0: report",
        ),
        ("claude-code", None, "since 2.1.0: look which version runs."),
        ("gemini-cli", "0.9", "since March 2026: look which version runs."),
        ("codex", "0.171.0", "Codex: No version is known to list again when it is told of a change."),
    ],
)
def test_an_unheeded_signal_is_told_with_what_versions_can_do(client, version, says):
    told = steps("026", client, version)
    assert any(says in step for step in told), told
    assert not any("older" in step or "too old" in step for step in told)


def test_unread_pages_are_told_with_the_version_that_follows_cursors():
    assert any("Use 2.1.144 or a newer version" in step for step in steps("002", "claude-code", "2.1.100"))
    assert not any("nextCursor since" in step for step in steps("002", "codex"))


@pytest.mark.parametrize(("number", "there"), [("059", True), ("118", True), ("139", False), ("020", False)])
def test_a_broken_cause_that_a_client_has_to_recover_from_says_how(number, there):
    assert any(step.startswith("Claude Code: ") for step in steps(number, "claude-code")) is there
