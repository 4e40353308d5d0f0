"""`diagnose statesync` against the reference server with a ledger behind it, in both eras, over HTTP and stdio."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.faults import in_front_of
from support.program import diagnose
from support.schemas import validated
from support.state import GROUPS, TOKENS, locked, written_policy

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

ERAS = ["legacy", "modern"]
CALLS = ("--call", 'billing.get_invoice={"id":"inv_8"}', "--call", 'billing.refund={"id":"inv_8"}', "--allow-mutations")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    options = ServeOptions(
        ledger=True, token=TOKENS["ADMIN"], second_token=TOKENS["USER"], second_without="stock.adjust"
    )
    with embedded(options) as server:
        yield server.url


@pytest.fixture
def policy(tmp_path: Path) -> str:
    return written_policy(tmp_path)


def stated(*words: str) -> tuple[int, Any]:
    ran = diagnose("statesync", *words, "--format", "json", env=TOKENS)
    assert ran.out, ran.err
    return ran.code, validated(ran.out)


@pytest.mark.parametrize("era", ERAS)
def test_the_reference_server_holds_over_http(url: str, policy: str, era: str) -> None:
    code, document = stated("check", url, "--auth", "env:ADMIN", "--era", era, "--policy", policy, *CALLS)
    assert (code, document["findings"]) == (0, [])
    passed = {check["rule"] for check in document["checks"] if check["outcome"] == "passed"}
    assert {"subscription-to-nothing", "invalidation-missing", "answer-changed-unannounced"} <= passed


@pytest.mark.parametrize("era", ERAS)
def test_updates_are_heard_by_who_subscribed(policy: str, era: str) -> None:
    ran = diagnose(
        *("statesync", "check", "--era", era, "--policy", policy, "--format", "json", *CALLS),
        *("--", sys.executable, "-P", "-m", "diagnose", "serve", "--ledger", "--stdio"),
    )
    document = validated(ran.out)
    assert (ran.code, document["findings"]) == (0, [])
    outcome = {check["rule"]: check["outcome"] for check in document["checks"]}
    assert outcome["update-of-nothing"] == outcome["update-malformed"] == "passed"


@pytest.mark.parametrize("era", ERAS)
def test_a_manifest_is_that_of_each_caller(url: str, era: str) -> None:
    ways = ("--auth", "env:ADMIN", "--second-auth", "env:USER")
    code, document = stated("manifest", url, "--era", era, *ways)
    assert (code, document["verdict"]["state"]) == (0, "in-sync")
    assert "2 callers" in document["verdict"]["summary"]
    assert (
        diagnose("statesync", "manifest", url, "--auth", "env:USER", "--second-auth", "env:USER", env=TOKENS).code == 2
    )


def test_what_has_no_manifest_is_not_decided() -> None:
    code, document = stated("manifest", "demo")
    assert (code, document["verdict"]["state"]) == (3, "inconclusive")


def test_the_tour_shows_a_trusted_read_what_ends_it_and_a_fresh_one() -> None:
    ran = diagnose("demo", "statesync", columns=120)
    assert ran.code == 0, ran.err
    # The tag and the stale URI come on two streams, and either may be first.
    ended = r"billing\.refund said that billing\.\*|named billing\.\* \(billing\.refund\)"
    assert re.search(rf"IN SYNC.*({ended}).*nothing said that.*2 callers", " ".join(ran.out.split()))


def test_a_lock_file_is_held_against_itself_and_against_the_list(url: str, tmp_path: Path) -> None:
    path = tmp_path / "mcpfusion.lock"

    def found(body: dict[str, Any]) -> tuple[int, list[tuple[str, str]]]:
        path.write_text(json.dumps(body))
        code, document = stated("manifest", url, "--auth", "env:ADMIN", "--lock", str(path))
        return code, [(finding["rule"], finding["args"].get("name", "")) for finding in document["findings"]]

    assert found(locked(GROUPS)) == (0, [])
    assert found(locked({**GROUPS, "payroll": {"run": True}})) == (1, [("fusion-lock-differs", "payroll")])
    assert found(locked({**GROUPS, "stock": {"list": True, "adjust": True}})) == (
        1,
        # It neither destroys nor fails to only read.
        [("fusion-lock-differs", "stock.list"), ("fusion-lock-differs", "stock.list")],
    )
    tampered = locked(GROUPS)
    tampered["capabilities"]["tools"]["billing"]["integrityDigest"] = "sha256:" + "0" * 64
    assert found(tampered) == (1, [("fusion-lock-inconsistent", "")])
    path.write_text("{}")
    assert diagnose("statesync", "manifest", url, "--lock", str(path), env=TOKENS).code == 2


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        ("", 0, []),
        ("directive-differs:value", 0, [("reference.currencies", "compatible")]),
        ("immutable-mutation:annotated", 1, [("billing.refund", "behaviour")]),
        ("fusion-lock-differs:added", 0, [("payroll.run", "compatible")]),
        ("fusion-lock-differs:removed", 1, [("stock.list", "breaking")]),
    ],
)
def test_a_lock_file_of_our_own_is_held_against_lists_and_directives(
    url: str, tmp_path: Path, fault: str, code: int, told: list[tuple[str, str]]
) -> None:
    path = str(tmp_path / "tool-surface.lock.json")
    assert diagnose("lock", "write", url, "--auth", "env:ADMIN", "-o", path, env=TOKENS).code == 0
    with in_front_of(urlsplit(url).port, fault) if fault else nullcontext(url) as address:
        ended, document = stated("manifest", address, "--auth", "env:ADMIN", "--lock", path)
    assert ended == code
    assert [(finding["args"]["name"], finding["args"]["impact"]) for finding in document["findings"]] == told
