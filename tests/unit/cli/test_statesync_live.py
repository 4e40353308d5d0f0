"""`diagnose statesync check` against running servers: an honest one, and one for each way to break the scheme."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.program import diagnose
from support.schemas import validated

from diagnose.reference.ledger import declaration
from diagnose.statesync import write_policies

LEDGER = Path(__file__).parents[2] / "support" / "ledger_stdio.py"
READ = 'billing.get_invoice={"id":"inv_7"}'
REFUND = 'billing.refund={"id":"inv_7"}'

#: What else each fault breaks, since one lack shows in several places.
COMPANIONS = {
    "directive-unstable": {"directive-differs"},
    "invalidation-missing": {"answer-changed-unannounced"},
    "invalidation-malformed": {"answer-changed-unannounced"},
    "immutable-mutation": {"directive-differs"},
    "invalidation-forged": {"invalidation-malformed"},
}
FAULTS = [
    "directive-differs",
    "directive-malformed",
    "directive-unstable",
    "immutable-mutation",
    "invalidation-missing",
    "invalidation-misplaced",
    "invalidation-malformed",
    "invalidation-forged",
    "invalidation-on-error",
    "invalidation-reaches-nothing",
    "answer-changed-unannounced",
    "failed-call-changed-state",
    "update-malformed",
    "update-of-nothing",
    "subscription-to-nothing",
]


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "policy.toml"
    path.write_text(write_policies(declaration()))
    return str(path)


def checked(policy: str, fault: str, *calls: str) -> tuple[int, Any]:
    options = [word for call in calls for word in ("--call", call)]
    ran = diagnose(
        *("statesync", "check", "--policy", policy, "--era", "legacy", "--format", "json", *options),
        *("--allow-mutations", "--", sys.executable, str(LEDGER), fault),
    )
    assert ran.out, ran.err
    return ran.code, validated(ran.out)


def test_an_honest_server_holds(policy: str) -> None:
    code, document = checked(policy, "", READ, REFUND, REFUND, 'stock.adjust={"sku":"nut","by":2}')
    assert (code, document["findings"], document["verdict"]["state"]) == (0, [], "in-sync")
    unverified = {check["rule"] for check in document["checks"] if check["outcome"] == "not-verified"}
    modern = {"listen-inert", "list-hints-wrong", "list-scope-differs"}
    assert unverified == modern | {"fusion-lock-inconsistent", "fusion-lock-differs"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_under_its_name(policy: str, fault: str) -> None:
    _, document = checked(policy, fault, READ, REFUND, REFUND)
    found = {finding["rule"] for finding in document["findings"]}
    assert fault in found
    assert found <= {fault, *COMPANIONS.get(fault, ())}


def test_nothing_that_may_change_anything_is_called_unasked(policy: str) -> None:
    server = ("--era", "legacy", "--", sys.executable, str(LEDGER))
    ran = diagnose("statesync", "check", "--call", REFUND, *server)
    assert ran.code == 2
    assert "--allow-mutations" in ran.err
    ran = diagnose("statesync", "check", "--allow-mutations", "--policy", policy, "--format", "json", *server)
    assert json.loads(ran.out)["verdict"]["state"] == "in-sync"


@pytest.mark.parametrize("call", ["billing.refund=[]", "billing.refund={", "={}", "billing.no_such_tool={}"])
def test_a_call_that_is_none_is_wrong_usage(call: str) -> None:
    ran = diagnose("statesync", "check", "--call", call, "--era", "legacy", "--", sys.executable, str(LEDGER))
    assert (ran.code, ran.out) == (2, "")
