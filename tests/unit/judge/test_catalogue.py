"""The catalogue: complete, in words, and in step with the checks."""

import pytest

from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import LAYERS
from diagnose.judge.advice import commands
from diagnose.judge.catalogue import CATALOGUE, CAUSES, RULES
from diagnose.judge.checks import ALL, CHECKS, of_state

#: Checks that stand for no cause: each says something beside the verdict, or is a cause by its own name (rule 5).
OF_THEIR_OWN = {
    "call-by-old-schema": "a trace of an older list; the cause is where that is held",
    "call-of-removed-tool": "a trace of an older list; the cause is where that is held",
    "lists-overtook": "what a client makes of it is seen in its registry only",
    "cache-hints-legacy": "a habit of servers that serve both eras, and harmless",
    "cache-hints-missing-elsewhere": "a rule of results that are no tool list",
    "cache-scope-invalid": "ttl-misuse in a bundle; `check` tells time and scope apart",
    "changed-while-observed": "a change during the observation is no fault",
    "endpoint-corrupt": "corrupt JSON beside MCP; wire-corrupt is about messages",
    "cursor-unstable": "a rule of cursors that costs no client its list",
    "definition-too-large": "a matter of room, no fault",
    "discover-incomplete": "a rule of discovery; negotiation goes on without it",
    "discover-overclaims": "a rule of discovery; a client that fails for it is era-fallback-fail",
    "eras-differ": "a difference between eras is a note",
    "expected-build-unknown": "an expectation that cannot be judged",
    "expected-tool": "an answer to a question, beside the verdict",
    "header-annotation-invalid": "invalid-definition in a bundle; `check` tells the parts apart",
    "header-mismatch-accepted": "what the server lets pass; header-mismatch is about the client",
    "health-degraded": "degraded is not stale",
    "initialize-unhelpful": "words for people",
    "invisible-characters": "a matter of trust, not of age",
    "keep-alive-missing": "what it may lead to is stream-dropped",
    "list-too-large": "a matter of room, no fault",
    "listen-end-without-result": "stream-dropped is about a client that does not open it again",
    "listen-filter-exceeded": "stream-no-ack is about what then comes; this is about what was granted",
    "listen-id-missing": "a rule of subscriptions without a row",
    "listen-nonsense-uri": "a rule of subscriptions that is not about tools",
    "listen-one-only": "a rule of subscriptions without a row",
    "listen-unknown-field": "a rule of subscriptions for revisions to come",
    "listen-wrong-id": "a rule of subscriptions without a row",
    "manifest-unreadable": "what could not be read is no cause; a page in its place is manifest-gated",
    "name-case-twins": "two names for a machine, one for a reader",
    "name-unusual": "a rule of names; name-mangled is what clients make of them",
    "newer-build": "the opposite of server-old-build",
    "not-observed": "failures without a name of their own",
    "notification-invalid": "what a client makes of it is client-ignores-signal",
    "number-precision": "a hop that rewrites it is revision-mismatch",
    "page-sizes": "how many tools a page holds is the server's to choose",
    "private-identical": "a hint that could be wider",
    "private-without-credential": "a hint that contradicts what the server does",
    "removed-method-wrong": "a rule of refusals",
    "revision-blind-spot": "what a revision does not see",
    "revision-places-differ": "revision-mismatch in a bundle; `check` says which places disagree",
    "schema-invalid": "invalid-definition in a bundle; `check` tells the parts apart",
    "stream-missing": "with listChanged declared it is capability-false-claim; without, the answer is wrong all the same",
    "tools-capability-missing": "capability-undeclared in a recording; here no client is needed to see it",
    "tools-hidden-on-purpose": "what the configuration means to hide is no fault",
    "ttl-on-varying-list": "a hint that is not true, beside what makes the list vary",
    "ttl-too-long": "allowed, and hard on whoever believes it",
    "ttl-unit": "allowed, and hardly meant",
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
        assert text.endswith((".", "{target}", "{again}", "{expecting}", "{save}", "URL-OF-OTHER")), text
    for step in row.next:
        step.format_map(commands(Target(transport="http", endpoint="demo", id="demo")))


def test_every_check_has_a_row_or_a_reason_to_have_none():
    assert len(ALL) == len(CHECKS)
    # What a server says of its state is never the cause of an old list.
    of_tools = set(CHECKS) - {each.name for each in of_state()}
    assert of_tools - set(CATALOGUE) == set(OF_THEIR_OWN), "a stale reason, or a check without one"


#: Seen at the origin it is as it may be; it is a cause only where a client holds the list of an older grant.
AS_IT_MAY_BE = {"auth-view-diff"}


@pytest.mark.parametrize("name", sorted(set(CHECKS) & set(CATALOGUE) - AS_IT_MAY_BE))
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
