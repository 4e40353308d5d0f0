"""Checks that say something beside the verdict: each with what shows it, and with what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.judge.looks import (
    ORCHARD,
    PICK,
    PRESS,
    SHA_A,
    advertised,
    baseline,
    build,
    deployed,
    failing,
    judged,
    manifest,
    origin,
    walks,
)

from diagnose.evidence.observation import Anomaly, Build, Deployment
from diagnose.surface import Surface

GROWN = [*ORCHARD, PRESS]
NAN = Anomaly(kind="non-finite-number", where="GET /tools /0/inputSchema/properties/s/default", detail="NaN")
STRAY = Anomaly(kind="wrong-id", where="answer 3", detail="an answer with id 7 where 2 was asked")
STEADY = walks(ORCHARD, ORCHARD)


def by_era(modern, legacy, **rest):
    looks = (origin(modern, era="modern", **rest), origin(legacy, era="legacy", principal="a"))
    return replace(looks[1], samples=looks)


SHOWN = [
    ("changed-while-observed", "note", {"origin": walks(ORCHARD, GROWN, GROWN)}),
    ("eras-differ", "note", {"origin": by_era(GROWN, ORCHARD, principal="a")}),
    (
        "expected-build-unknown",
        "warning",
        {"origin": STEADY, "deployed": deployed(build(None, SHA_A), expected=Build(version="1.0"))},
    ),
    ("expected-build-unknown", "warning", {"origin": STEADY, "deployed": deployed(expected=Build(build=SHA_A))}),
    ("newer-build", "warning", {"origin": STEADY, "deployed": deployed(build("2.0"), expected=Build(version="1.0"))}),
    ("health-degraded", "note", {"origin": STEADY, "deployed": deployed(build(health="degraded"))}),
    (
        "tunnel-degraded",
        "note",
        {"origin": walks(ORCHARD, ORCHARD, meta={"meridian/tunnelHealth": {"status": "error"}})},
    ),
    ("revision-blind-spot", "note", {"origin": origin([{**PICK, "title": "P"}]), "manifest": manifest([PICK])}),
    (
        "walk-failed",
        "warning",
        {"origin": replace(origin(), samples=(origin(), failing("origin", "list-error"), origin()))},
    ),
    ("wrong-id", "error", {"origin": walks(ORCHARD, ORCHARD, anomalies=(STRAY,))}),
    ("endpoint-corrupt", "error", {"origin": STEADY, "manifest": manifest(anomalies=(NAN,))}),
    ("endpoint-corrupt", "warning", {"origin": STEADY, "deployed": Deployment(anomalies=(NAN,))}),
    ("not-observed", "warning", {"origin": failing("origin", "rule-of-tomorrow", "It was odd.")}),
    ("order-unstable", "warning", {"origin": walks(ORCHARD, ORCHARD[::-1])}),
    (
        "cursor-rejected",
        "note",
        {"origin": replace(origin(), samples=(failing("origin", "cursor-rejected"), origin()))},
    ),
    ("wire-corrupt", "note", {"origin": walks(ORCHARD, ORCHARD, anomalies=(Anomaly(kind="crlf", where="stdout"),))}),
    ("wire-corrupt", "warning", {"origin": walks(ORCHARD, ORCHARD, anomalies=(Anomaly(kind="bom", where="stdout"),))}),
    ("auth-blocked", "warning", {"origin": STEADY, "manifest": failing("manifest", "auth-blocked", status=403)}),
    ("manifest-unreadable", "warning", {"origin": STEADY, "manifest": failing("manifest", "manifest-unreadable")}),
    ("list-error", "note", {"origin": failing("origin", "list-error", code=-32601, capabilities={})}),
    ("surface-changed", "note", {"origin": origin(GROWN, principal="a"), "baseline": baseline(principal="b")}),
]

NOT_SHOWN = [
    ("changed-while-observed", {"origin": walks(ORCHARD, GROWN)}),
    ("changed-while-observed", {"origin": STEADY}),
    ("eras-differ", {"origin": by_era(ORCHARD, ORCHARD, principal="a")}),
    ("eras-differ", {"origin": by_era(GROWN, ORCHARD, principal="b")}),  # it may be the principal
    ("expected-build-unknown", {"origin": STEADY, "deployed": deployed(build(), expected=Build(version="1.0"))}),
    ("expected-build-unknown", {"origin": STEADY, "deployed": deployed(build(None, None))}),
    ("newer-build", {"origin": STEADY, "deployed": deployed(build("1.0.0"), expected=Build(version="1.0"))}),
    ("health-degraded", {"origin": STEADY, "deployed": deployed(build())}),
    ("tunnel-degraded", {"origin": walks(ORCHARD, ORCHARD, meta={"meridian/toolManifest": {}})}),
    ("revision-blind-spot", {"origin": origin(GROWN), "manifest": manifest()}),
    ("revision-blind-spot", {"origin": origin(), "manifest": manifest()}),
    ("walk-failed", {"origin": failing("origin", "list-error")}),
    ("wrong-id", {"origin": STEADY}),
    ("endpoint-corrupt", {"origin": walks(ORCHARD, ORCHARD, anomalies=(NAN,)), "manifest": manifest(anomalies=(NAN,))}),
    ("not-observed", {"origin": failing("origin", "list-error")}),
    ("not-observed", {"origin": failing("origin", "timed-out")}),
    ("count-mismatch", {"origin": walks(ORCHARD, ORCHARD, advertised=advertised())}),
    ("count-mismatch", {"origin": walks(ORCHARD, ORCHARD, advertised=advertised(count=3.0))}),
]


def severities(name, layers):
    return {finding.severity for finding in judged(**layers).findings if finding.rule == name}


@pytest.mark.parametrize(("name", "severity", "layers"), SHOWN, ids=[f"{row[0]}-{row[1]}" for row in SHOWN])
def test_it_is_said_and_with_this_weight(name, severity, layers):
    assert severities(name, layers) == {severity}


@pytest.mark.parametrize(("name", "layers"), NOT_SHOWN, ids=[row[0] for row in NOT_SHOWN])
def test_it_is_not_said(name, layers):
    assert severities(name, layers) == set()


def test_an_error_without_a_row_is_the_cause_by_its_own_name():
    diagnosis = judged(origin=walks(ORCHARD, ORCHARD, anomalies=(STRAY,)))
    assert (diagnosis.verdict.state, diagnosis.verdict.cause, diagnosis.exit_code) == ("broken", "wrong-id", 1)
    assert diagnosis.verdict.next == ("Answer with the id of the request, in its type.",)


def test_the_handshake_tells_which_of_two_lists_is_the_odd_one():
    stale = judged(manifest=manifest(GROWN), origin=origin(advertised=advertised(GROWN, list=None, count=None)))
    assert "the handshake advertises the revision of the manifest" in stale.findings[0].evidence


def test_eras_that_differ_in_what_they_declare_are_not_said_to_differ_in_instructions():
    looks = [
        replace(
            origin(era=era, principal="a"),
            surface=Surface.of(ORCHARD, capabilities={"tools": {"listChanged": changes}}),
        )
        for era, changes in (("modern", True), ("legacy", False))
    ]
    found = judged(origin=replace(looks[1], samples=tuple(looks))).findings
    assert [finding.args["tools"] for finding in found if finding.rule == "eras-differ"] == [["listChanged"]]
