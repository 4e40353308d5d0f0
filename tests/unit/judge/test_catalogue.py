"""The catalogue: complete, in words, and in step with the checks."""

import pytest

from diagnose.evidence.observation import LAYERS
from diagnose.judge.catalogue import CATALOGUE, CAUSES, RULES
from diagnose.judge.checks import CHECKS

#: Checks that stand for no cause: each says something beside the verdict, or is a cause by its own name (rule 5).
OF_THEIR_OWN = {
    "call-by-old-schema": "a trace of an older list; the cause is where that is held",
    "call-of-removed-tool": "a trace of an older list; the cause is where that is held",
    "lists-overtook": "what a client makes of it is seen in its registry only",
    "changed-while-observed": "a change during the observation is no fault",
    "endpoint-corrupt": "corrupt JSON beside MCP; wire-corrupt is about messages",
    "eras-differ": "a difference between eras is a note",
    "expected-build-unknown": "an expectation that cannot be judged",
    "health-degraded": "degraded is not stale",
    "newer-build": "the opposite of server-old-build",
    "not-observed": "failures without a name of their own",
    "revision-blind-spot": "what a revision does not see",
    "tunnel-degraded": "degraded is not stale",
    "walk-failed": "a list that was had before or after is no list-error",
    "wrong-id": "a rule of JSON-RPC without a row",
}


def test_there_are_sixty_causes_and_four_rules():
    assert len(CAUSES) == 60
    assert {row.name for row in RULES} == {"unreachable", "handshake-failed", "timed-out", "limit-exceeded"}


@pytest.mark.parametrize("row", CATALOGUE.values(), ids=CATALOGUE)
def test_a_row_is_whole(row):
    assert set(row.layers) <= set(LAYERS)
    assert set(row.behind) <= set(CATALOGUE)
    assert row.name not in row.behind
    for text in (row.meaning, row.shown, row.remedy, *row.next):
        assert text[0] == text[0].upper()
        assert text.endswith((".", "{target}", "{again}", "{save}", "URL-OF-OTHER")), text
    for step in row.next:
        step.format_map({"target": "demo", "again": "diagnose surface demo", "save": "diagnose surface demo --save"})


def test_every_check_has_a_row_or_a_reason_to_have_none():
    assert set(CHECKS) - set(CATALOGUE) == set(OF_THEIR_OWN), "a stale reason, or a check without one"


@pytest.mark.parametrize("name", sorted(set(CHECKS) & set(CATALOGUE)))
def test_check_and_row_agree(name):
    row, check = CATALOGUE[name], CHECKS[name]
    if row.kind == "rule":
        assert check.severity == "warning"
        return
    assert check.layer in row.layers
    assert (check.severity == "error") == (row.state is not None)
    assert row.next or row.state is None, "a cause that can be found tells what to do next"


def test_no_two_causes_explain_each_other():
    for row in CATALOGUE.values():
        for other in row.behind:
            assert row.name not in CATALOGUE[other].behind
