"""Every fault of state is found by `statesync`, under its own name, and nothing else is an error; over HTTP, both eras.

`tests/interop/test_state_faults.py` has the same over stdio, where every one takes two processes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.faults import in_front_of
from support.program import diagnose
from support.schemas import validated
from support.state import READ, REFUND, STATE_FAULTS, TOKENS, holds_to_its_name, looked, written_policy

from diagnose.jobs import statesync as job
from diagnose.jobs.embedded import Embedded, embedded
from diagnose.judge.checks import of_state, of_subscriptions
from diagnose.reference.options import ServeOptions

#: What no server has alone: a file that was altered, a client that goes by what it was told is stale, and tools that change
#: while they are tried.
OF_NO_SERVER = {"fusion-lock-inconsistent", "stale-answer-used", "definition-lags"}
OVER_HTTP = [(name, era) for name, fault in STATE_FAULTS.items() for era in fault.eras]


@pytest.fixture(scope="module")
def honest() -> Iterator[Embedded]:
    tokens = {"token": TOKENS["ADMIN"], "second_token": TOKENS["USER"], "second_without": "stock.adjust"}
    with embedded(ServeOptions(ledger=True, control=True, **tokens)) as server:
        yield server


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An update travels beside the answer, and may be later on a machine that has much to do."""
    monkeypatch.setattr(job, "SETTLE", 0.8)
    monkeypatch.setattr(job, "PATIENCE", 0.8)


@pytest.mark.parametrize(("name", "era"), OVER_HTTP)
def test_a_fault_is_found_under_its_name(honest: Embedded, tmp_path: Path, name: str, era: str) -> None:
    honest.change({"restore": True})
    with in_front_of(urlsplit(honest.url).port, name) as url:
        document = looked(name, era, tmp_path, url, callers=True)
    holds_to_its_name(document, name)


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_every_check_passes_on_the_honest_server(honest: Embedded, tmp_path: Path, era: str) -> None:
    honest.change({"restore": True})
    calls = [word for call in (READ, REFUND, REFUND) for word in ("--call", call)]
    ran = diagnose(
        *("statesync", "check", honest.url, "--era", era, "--auth", "env:ADMIN", "--format", "json"),
        *("--policy", written_policy(tmp_path), *calls, "--allow-mutations"),
        env=TOKENS,
    )
    document = validated(ran.out)
    assert (ran.code, document["findings"], document["verdict"]["state"]) == (0, [], "in-sync")
    passed = {check["rule"] for check in document["checks"] if check["outcome"] == "passed"}
    modern = {"list-hints-wrong", "list-scope-differs"}
    unseen = {
        "fusion-lock-inconsistent",
        "fusion-lock-differs",
        "definition-lags",
        *(modern if era == "legacy" else ()),
    }
    subscriptions = {each.name for each in of_subscriptions()} if era == "modern" else set()
    assert passed == {each.name for each in of_state()} - unseen | subscriptions


def test_every_check_has_a_fault() -> None:
    assert {fault.rule for fault in STATE_FAULTS.values()} == {each.name for each in of_state()} - OF_NO_SERVER
