"""A choice of checks, findings that are kept back, and the exit code that `--fail-on` decides."""

import pytest
from unit.judge.looks import bundle, failing, origin, tool, walks

from diagnose.errors import UsageError
from diagnose.evidence.probes import Probes
from diagnose.judge.checks import CHECKS
from diagnose.judge.contract import CONTRACT, WHOLE, Selection, hold_to_contract

BAD = [tool("pick", inputSchema={"type": "string"})]
TWINS = [tool("pick"), tool("Pick")]


def held(origin_seen, *, select=(), ignore=(), fail_on="error"):
    evidence = bundle(origin=origin_seen, probes=Probes(), live=True)
    return hold_to_contract(evidence, Selection.of(select, ignore, fail_on))


def test_a_contract_is_about_servers():
    names = {each.name for each in CONTRACT}
    assert {"mixed-builds", "manifest-gated", "invalid-definition", "server-no-signal", "stream-dropped"} <= names
    assert names.isdisjoint({"client-ignores-signal", "surface-changed", "proxy-frozen", "cursor-invented"})


def test_a_choice_names_checks_and_families():
    assert [each.name for each in Selection.of(["cursor-unchecked"]).checks] == ["cursor-unchecked"]
    paging = {each.name for each in Selection.of(["paging"]).checks}
    assert {"cursor-loop", "cursor-unchecked", "page-scope-differs"} <= paging
    assert {each.family for each in Selection.of(["paging", "eras"]).checks} == {"paging", "eras"}
    rest = Selection.of([], ["paging"])
    assert {each.family for each in rest.ignored} == {"paging"}
    assert set(rest.checks) | set(rest.ignored) == set(WHOLE.checks)


@pytest.mark.parametrize(
    ("select", "ignore", "words"),
    [
        (["cursor-uncheckd"], [], "'cursor-uncheckd' is neither"),
        ([], ["nothing"], "--ignore takes names"),
        (["client-ignores-signal"], [], "judges a client, a path or the past"),
        (["paging"], ["paging"], "leave no check to run"),
    ],
)
def test_a_choice_that_is_none_is_refused(select, ignore, words):
    with pytest.raises(UsageError, match=words):
        Selection.of(select, ignore)


def test_a_near_name_is_proposed():
    with pytest.raises(UsageError) as caught:
        Selection.of(["cursor-uncheckd"])
    assert "cursor-unchecked" in caught.value.diagnostics()


@pytest.mark.parametrize(
    ("tools", "fail_on", "code"),
    [
        (BAD, "error", 1), (BAD, "warning", 1), (BAD, "never", 0),
        (TWINS, "error", 0), (TWINS, "warning", 1), (TWINS, "never", 0),
        ([tool("a")], "warning", 0),
    ],
)  # fmt: skip
def test_fail_on_alone_decides_between_0_and_1(tools, fail_on, code):
    diagnosis = held(walks(tools, tools), fail_on=fail_on)
    assert diagnosis.exit_code == code
    assert any(map(diagnosis.fails, diagnosis.findings)) == bool(code)


def test_what_is_kept_back_is_counted_and_fails_nothing():
    diagnosis = held(walks(BAD, BAD), ignore=["invalid-definition"])
    assert diagnosis.exit_code == 0
    assert {finding.rule for finding in diagnosis.findings} == set()
    result = next(each for each in diagnosis.checks if each.rule == "invalid-definition")
    assert (result.outcome, result.why) == ("suppressed", "1 finding not shown")
    assert any("1 finding of 1 check not shown" in limit for limit in diagnosis.verdict.limits)
    assert diagnosis.verdict.state == "in-sync"


def test_what_was_not_chosen_is_not_mentioned():
    diagnosis = held(walks(BAD, BAD), select=["name-case-twins"])
    assert [each.rule for each in diagnosis.checks] == ["name-case-twins"]
    assert diagnosis.exit_code == 0


@pytest.mark.parametrize("fail_on", ["error", "warning", "never"])
def test_a_run_in_which_nothing_was_verified_is_no_success(fail_on):
    assert held(origin(), select=["scope-leak"], fail_on=fail_on).exit_code == 3
    silent = failing("origin", "unreachable", "Nobody is there.")
    assert held(silent, fail_on=fail_on).exit_code == 3
    assert held(silent, select=["endpoint-corrupt", "tunnel-degraded"], fail_on=fail_on).exit_code == 3


def test_a_refused_credential_has_its_own_code():
    refused = failing("origin", "auth-blocked", "The server asks for a credential.", status=401)
    assert held(refused, fail_on="never").exit_code == 4


def test_a_check_that_crashes_is_a_fault_of_ours(monkeypatch):
    def crash(_):
        raise KeyError("x")

    monkeypatch.setattr("diagnose.judge.contract.CONTRACT", (_with(CHECKS["name-unusual"], crash),))
    assert held(walks(BAD, BAD)).exit_code == 70


def _with(check, look):
    from dataclasses import replace

    return replace(check, look=look)
