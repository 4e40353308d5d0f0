"""A check whose need was not met is not verified, and says what was missing."""

import pytest
from unit.judge.looks import (
    PICK,
    advertised,
    baseline,
    build,
    bundle,
    deployed,
    failing,
    judged,
    manifest,
    origin,
    tool,
)

from diagnose.evidence.observation import Build, Deployment
from diagnose.judge.case import Case
from diagnose.judge.checks import CHECKS, probed
from diagnose.judge.checks.capability import declared_tools
from diagnose.judge.checks.needs import origin_list, two_walks

MISSING = [
    ("invalid-definition", {}, "the origin was not observed"),
    ("invalid-definition", {"unobserved": {"origin": "the deadline ended it"}}, "the deadline ended it"),
    ("invalid-definition", {"origin": failing("origin", "timed-out")}, "the origin gave no answer to judge (timed-out)"),
    ("invalid-definition", {"origin": failing("origin", "cursor-loop")}, "no complete list was read (cursor-loop)"),
    ("invalid-definition", {"origin": origin(names_only=True)}, "only the names of the tools are known"),
    ("list-error", {"origin": failing("origin", "auth-blocked")}, "the origin refused the credential"),
    ("list-error", {"origin": failing("origin", "handshake-failed")}, "the origin gave no answer to judge (handshake-failed)"),
    ("replica-skew", {"origin": origin()}, "the list was read once"),
    ("replica-skew", {"origin": failing("origin", "list-error")}, "no complete list was read (list-error)"),
    ("manifest-disagrees", {"origin": origin()}, "there is no manifest"),
    ("manifest-disagrees", {"origin": origin(), "unobserved": {"manifest": "GET /tools answered 404"}}, "GET /tools answered 404"),
    ("manifest-disagrees", {"manifest": failing("manifest", "manifest-gated")}, "the manifest was not read (manifest-gated)"),
    ("manifest-gated", {"manifest": failing("manifest", "unreachable")}, "the manifest gave no answer to judge (unreachable)"),
    ("manifest-gated", {}, "there is no manifest"),
    ("surface-changed", {"origin": origin()}, "there is no past to compare with"),
    ("surface-changed", {"origin": origin(), "baseline": failing("baseline", "x")}, "the baseline holds no complete list"),
    ("surface-changed", {"baseline": baseline()}, "the origin was not observed"),
    ("server-old-build", {"deployed": deployed(build())}, "no version or build was expected"),
    ("server-old-build", {}, "no version or build was expected"),
    ("server-old-build", {"deployed": Deployment(expected=Build(version="1"))}, "no endpoint told the build"),
    ("server-old-build", {"deployed": deployed(build(None), expected=Build(version="1"))}, "nothing told what can be held to the expectation"),
    ("mixed-builds", {}, "no endpoint told the build"),
    ("mixed-builds", {"unobserved": {"deployed": "a stdio server tells no build"}}, "a stdio server tells no build"),
    ("revision-mismatch", {"origin": origin()}, "the server advertises no revision"),
    ("revision-mismatch", {"origin": failing("origin", "list-error")}, "no complete list was read (list-error)"),
    (
        "revision-mismatch",
        {"origin": origin([tool("a", "half \ud83c")], advertised=advertised([PICK]))},
        "the revision of this list cannot be computed",
    ),
    ("count-mismatch", {"origin": origin()}, "the server advertises no count"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "layers", "why"), MISSING, ids=[f"{row[0]}: {row[2]}" for row in MISSING])
def test_what_is_missing_is_said(name, layers, why):
    result = next(each for each in judged(**layers).checks if each.rule == name)
    assert (result.outcome, result.why) == ("not-verified", why)


#: What only `check` brings along.
NOT_HERE = {each for each in vars(probed).values() if (getattr(each, "__doc__", "") or "").startswith("Require")}
NOT_HERE = NOT_HERE - {origin_list} | {declared_tools}


def test_what_is_there_is_asked():
    whole = judged(
        deployed=deployed(build(), expected=Build(version="0.2.0")),
        manifest=manifest(),
        baseline=baseline(),
        origin=origin(advertised=advertised()),
    )
    of_the_wire = {
        each.name for each in CHECKS.values() if {"timeline", "views"} & set(each.look.__module__.split("."))
    }
    unmet = {each.rule for each in whole.checks if each.outcome == "not-verified"} - of_the_wire
    of_more = {each.name for each in CHECKS.values() if {two_walks, *NOT_HERE} & set(each.needs)}
    assert unmet == of_more - of_the_wire


def test_a_need_of_two_walks_is_met_by_two():
    looks = (origin(session="1"), origin(session="2"))
    assert two_walks(Case.of(bundle(origin=origin(samples=looks)))) is None
