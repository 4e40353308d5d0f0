"""`diagnose statesync check` against running servers over stdio: an honest one, faults, and what it does not do unasked."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.program import diagnose
from support.state import READ, REFUND, holds_to_its_name, looked, written_policy

SERVE = (sys.executable, "-P", "-m", "diagnose", "serve", "--ledger", "--stdio")
#: Each is two processes, so that one of each kind is tried here; `tests/interop/test_state_faults.py` has them all.
FAULTS = [
    ("directive-differs:lost", "modern"),
    ("answer-changed-unannounced:uncovered", "legacy"),
    ("update-differs-from-tag:order", "modern"),
    ("listen-inert:silent", "legacy"),
    ("manifest-leak:enum", "legacy"),
]


@pytest.mark.parametrize(("fault", "era"), FAULTS)
def test_a_fault_over_stdio_is_found_under_its_name(tmp_path: Path, fault: str, era: str) -> None:
    holds_to_its_name(looked(fault, era, tmp_path, "--", *SERVE, "--fault", fault, callers=False), fault)


def test_nothing_that_may_change_anything_is_called_unasked(tmp_path: Path) -> None:
    ran = diagnose("statesync", "check", "--call", REFUND, "--", *SERVE)
    assert ran.code == 2
    assert "--allow-mutations" in ran.err
    policy = written_policy(tmp_path)
    ran = diagnose("statesync", "check", "--allow-mutations", "--policy", policy, "--format", "json", "--", *SERVE)
    assert json.loads(ran.out)["verdict"]["state"] == "in-sync"


@pytest.mark.parametrize("call", ["billing.refund=[]", "billing.refund={", "={}", "billing.no_such_tool={}"])
def test_a_call_that_is_none_is_wrong_usage(call: str) -> None:
    ran = diagnose("statesync", "check", "--call", READ, "--call", call, "--", *SERVE)
    assert (ran.code, ran.out) == (2, "")


SHORT_LIVED = """
import json, sys
TOOL = {"name": "stock.get", "description": "Count. [Cache-Control: immutable]", "inputSchema": {"type": "object"}}
ABLE = {"tools": {}, "resources": {}}
ANSWERS = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": ABLE, "serverInfo": {"name": "a", "version": "1"}},
    "tools/list": {"tools": [TOOL]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "resources/list":
        sys.exit(3)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": ANSWERS[asked["method"]]}), flush=True)
"""


def test_a_trial_that_ended_early_has_verified_nothing() -> None:
    command = ("--era", "legacy", "--", sys.executable, "-c", SHORT_LIVED)
    ran = diagnose("statesync", "check", "--format", "json", *command)
    verdict = json.loads(ran.out)["verdict"]
    assert (ran.code, verdict["state"]) == (3, "inconclusive")
    assert any("ended early" in limit and "resources/list" in limit for limit in verdict["limits"])
