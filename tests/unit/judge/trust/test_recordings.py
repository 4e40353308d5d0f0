"""Sessions of real servers that speak the scheme: each is judged as the analysis beside it says, and nothing more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.recording import Recording
from diagnose.judge.trust.judge import judge_state, trust_in, witnessed
from diagnose.statesync import read_policies

SESSIONS = Path(__file__).parents[3] / "recordings" / "state-sync"
NAMES = sorted(path.stem for path in SESSIONS.glob("*.jsonl"))

#: What must be found, by rule, what it is about, and JSON-RPC ids in its evidence; `+` marks what needs the policy.
EXPECTED = {
    "01-dot-separator-clean": set(),
    "02-lost-hints-read-first": {
        ("immutable-mutation", "billing.refund", (8,)),
        ("answer-changed-unannounced", "billing.get_invoice", (4, 5, 6)),
        ("+invalidation-missing", "billing.refund", (5,)),
        ("+directive-differs", "billing.refund", (8,)),
    },
    "03-underscore-wrong-directive": {
        ("+directive-differs", "reference_currencies", (15,)),
        ("+directive-differs", "rates", (15,)),
        ("directive-malformed", "stock_levels", (15,)),
        ("directive-malformed", "stock_reserve", (15,)),
        ("invalidation-reaches-nothing", "billing_refund", (7,)),
        ("invalidation-malformed", "archive", (12,)),
    },
    "04-grouped-ignores-hints": {
        ("+directive-differs", "billing", (10,)),
        ("+invalidation-missing", "billing", (4,)),
        ("answer-changed-unannounced", "billing", (3, 4, 5)),
        ("invalidation-forged", "stock", (6, 7, 9)),
    },
    "05-failed-mutations": {
        ("failed-call-changed-state", "billing.get_invoice", (6, 7, 8)),
        ("invalidation-on-error", "billing.void", (10,)),
    },
    "06-forged-tag": {
        ("invalidation-forged", "mail.read", (6,)),
        ("invalidation-malformed", "mail.read", (6,)),
        ("invalidation-misplaced", "notes.post", (8,)),
    },
    "07-stale-notifications": {
        ("update-of-nothing", "mcpfusion://stale/stock.list", ("frame 19",)),
        ("update-of-nothing", "mcpfusion://stale/dashboard.stock", ("frame 20",)),
        ("update-of-nothing", "mcpfusion://stale/billing.get_invoice", ("frame 35",)),
        ("update-of-nothing", "mcpfusion://stale/stock.list", ("frame 44",)),
        ("update-of-nothing", "mcpfusion://stale/dashboard.stock", ("frame 45",)),
        ("update-differs-from-tag", "billing.refund", (15, "frame 35", 15)),
        ("subscription-to-nothing", "mcpfusion://stale/dashboard.stock", (18, 18)),
        ("answer-changed-unannounced", "stock.value", (6, 8, 11)),
    },
    "08-listen-inert-list-hints": {
        ("listen-inert", "watch-1", ("watch-1", "frame 30", "watch-1", 6, 12)),
        ("list-scope-differs", "", (2, 3, 4, 5)),
    },
    "09-manifest-unfiltered": {
        ("manifest-leak", "payroll", (4, 8)),
        ("manifest-unfiltered", "mcpfusion://manifest.json", (4, 8)),
    },
}


def recorded(name: str, *, policy: bool) -> Any:
    lines = (SESSIONS / f"{name}.jsonl").read_bytes().splitlines()
    declared = SESSIONS / f"{name}.toml"
    known = read_policies(declared.read_text()) if policy and declared.exists() else None
    line = witnessed(Recording.of_lines(lines), policy=known)
    ids = {number: (json.loads(text).get("message") or {}).get("id") for number, text in enumerate(lines, 1)}
    return line, ids


def judged(line: Any) -> Any:
    target = Target(id="ledger", transport=line.header.transport, endpoint="ledger")
    return judge_state(Bundle(created_at="2026-11-30T13:00:00Z", target=target), [line])


def told(finding: Any, ids: dict[int, Any]) -> tuple[str, str, tuple[Any, ...]]:
    about = finding.args.get("tool") or finding.args.get("uri") or finding.args.get("subscription") or ""
    frames = [int(each.partition(":")[2]) for each in finding.evidence]
    return finding.rule, about, tuple(ids[frame] if ids[frame] is not None else f"frame {frame}" for frame in frames)


@pytest.mark.parametrize("policy", [False, True], ids=["recording", "policy"])
@pytest.mark.parametrize("name", NAMES)
def test_a_session_is_judged_as_its_analysis_says(name: str, policy: bool) -> None:
    line, ids = recorded(name, policy=policy)
    diagnosis = judged(line)
    wanted = {(rule.lstrip("+"), *rest) for rule, *rest in EXPECTED[name] if policy or not rule.startswith("+")}
    assert {told(finding, ids) for finding in diagnosis.findings} == wanted
    errors = any(finding.severity == "error" for finding in diagnosis.findings)
    assert diagnosis.verdict.state == ("broken" if errors else "in-sync")
    assert diagnosis.exit_code == int(errors)


def trusted(name: str, tool: str) -> list[tuple[Any, ...]]:
    line, ids = recorded(name, policy=True)
    return [
        (entry["request"], entry["state"], ids[entry["until"]["frame"]] if entry["until"] else None, entry["cause"])
        for entry in trust_in([line])
        if entry["tool"] == tool
    ]


def test_an_answer_holds_until_an_invalidation_reaches_it_and_through_calls_that_failed() -> None:
    assert trusted("01-dot-separator-clean", "billing.get_invoice") == [
        (5, "stale", 7, "billing.refund"),
        (8, "stale", 15, "billing.write_off"),
        (12, "stale", 15, "billing.write_off"),
        (16, "holds", None, None),
    ]
    assert {state for _, state, *_ in trusted("01-dot-separator-clean", "reference.currencies")} == {"holds"}
    assert {state for _, state, *_ in trusted("01-dot-separator-clean", "stock.list")} == {"never-kept"}


def test_a_forged_tag_makes_nothing_stale() -> None:
    assert trusted("06-forged-tag", "billing.get_invoice") == [
        (3, "stale", 10, "billing.refund"),
        (7, "stale", 10, "billing.refund"),
        (11, "holds", None, None),
    ]


def test_a_stale_uri_ends_trust_as_the_call_that_it_came_with() -> None:
    line, _ = recorded("07-stale-notifications", policy=False)
    first = next(entry for entry in trust_in([line]) if entry["request"] == 5)
    assert (first["until"]["frame"], first["endedBy"], first["cause"]) == (19, "notification", "stock.adjust")


def test_no_answer_and_no_argument_is_kept_as_it_was() -> None:
    line, _ = recorded("06-forged-tag", policy=True)
    assert "inv_7" not in repr(list(line.state.ledger.deeds))
