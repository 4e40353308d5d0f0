"""Real sessions, recorded: each must be judged as the analysis that lies beside it, and as nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.judge.looks import rules, tool
from unit.judge.timeline.play import MODERN, Play

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.recording import Recording
from diagnose.judge import Diagnosis, diagnose

SESSIONS = Path(__file__).parents[3] / "recordings" / "sessions"
PICK, PRUNE = tool("pick_apples"), tool("prune_tree")


def judged(name: str) -> Diagnosis:
    recording = Recording.of_lines((SESSIONS / f"{name}.jsonl").read_bytes().splitlines())
    target = Target(id="orchard", transport="http", endpoint="http://127.0.0.1/mcp")
    return diagnose(Bundle(created_at="2026-11-30T13:00:00Z", target=target, wire=(recording,)))


#: The verdict, the frames that it must rest on, and the rules that a naive reading would name as errors.
EXPECTED = {
    "01-codex-cursor-loop": (("broken", "origin", "cursor-loop"), {11}, {"page-truncated", "client-no-relist"}),
    "02-codex-ignores-signal": (
        ("stale", "wire", "client-ignores-signal"),
        {4, 15, 20, 22},
        {"stream-dropped", "capability-undeclared"},
    ),
    "03-ts2-pages-ttl-listen": (
        ("in-sync", None, None),
        set(),
        {"client-ignores-signal", "ttl-misuse", "stream-dropped", "page-truncated"},
    ),
    "04-py2-inside-ttl": (
        ("stale", "wire", "ttl-window"),
        {5, 17, 22, 23},
        {"client-ignores-signal", "client-no-relist", "session-lost", "scope-leak", "capability-undeclared"},
    ),
    "05-py1-relists-too-early": (
        ("broken", "origin", "server-signal-early"),
        {7, 9, 12, 14},
        {"client-ignores-signal", "client-no-relist"},
    ),
    "06-py1-session-lost": (("broken", "wire", "session-lost"), {22, 24, 26}, {"auth-blocked", "list-error"}),
    "08-ts1-undeclared-signal": (
        ("stale", "origin", "capability-undeclared"),
        {4, 9, 12},
        {"client-ignores-signal", "client-no-relist"},
    ),
    "10-gemini-first-page-only": (("stale", "wire", "page-truncated"), {7}, {"cursor-loop", "list-error"}),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_session_is_judged_as_its_analysis_says(name):
    expected, frames, naive = EXPECTED[name]
    diagnosis = judged(name)
    verdict = diagnosis.verdict
    assert (verdict.state, verdict.layer, verdict.cause) == expected
    told = {each for finding in diagnosis.findings if finding.rule == verdict.cause for each in finding.evidence}
    assert {f"wire:{frame}" for frame in frames} <= told
    assert not rules(diagnosis) & naive


def test_every_recording_is_expected():
    assert {path.stem for path in SESSIONS.glob("*.jsonl")} == set(EXPECTED)


def test_a_likely_verdict_says_so():
    assert judged("05-py1-relists-too-early").verdict.confidence == "likely"
    assert judged("10-gemini-first-page-only").verdict.confidence == "likely"


def test_what_the_analysis_adds_is_told_beside_the_verdict():
    inside = judged("04-py2-inside-ttl")
    assert rules(inside, "warning") == {"ttl-misuse"}
    assert rules(inside, "note") == {"stream-not-opened"}
    assert {"server-no-signal", "server-signal-early"} == rules(judged("05-py1-relists-too-early"))


def test_each_session_has_an_entry_with_a_verdict_of_its_own():
    entries = judged("04-py2-inside-ttl").sessions
    told = [(entry["client"]["name"], entry["era"], entry["verdict"]["cause"]) for entry in entries]
    assert told == [("cellar-console", "modern", "ttl-window"), ("barrow-bot", "legacy", None)]
    assert [entry["verdict"]["state"] for entry in entries] == ["stale", "in-sync"]


def test_a_modern_list_without_hints_is_the_servers_fault():
    """As a client of 2026-07-28 met it on stdio: two equal lists, and neither ttlMs nor cacheScope."""
    play = Play(client="cellar-console", version=MODERN).starts().handshake(list_changed=None)
    for _ in range(2):
        play.lists(PICK, PRUNE, ttlMs=None, cacheScope=None).wait(0.5)
    diagnosis = play.exits(0).ends("closed").judged()
    assert (diagnosis.verdict.state, diagnosis.verdict.layer, diagnosis.verdict.cause) == (
        "broken",
        "origin",
        "ttl-misuse",
    )
    assert rules(diagnosis) == {"ttl-misuse"}


def test_a_promise_without_a_channel_is_a_false_claim():
    """As a stateless server answers over HTTP: no session id, GET refused, two equal lists, hints where none belong."""
    play = Play("http").handshake(session=None)
    play.requests("GET").answers(status=405)
    play.lists(PICK, ttlMs=0, cacheScope="private").wait(4).lists(PICK, ttlMs=0, cacheScope="private")
    diagnosis = play.ends().judged()
    assert (diagnosis.verdict.state, diagnosis.verdict.cause) == ("broken", "capability-false-claim")
    assert rules(diagnosis) == {"capability-false-claim"}
    assert diagnosis.verdict.confidence == "proven"
