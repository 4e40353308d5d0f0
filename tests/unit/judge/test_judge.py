"""The diagnosis as a whole: time, exit code, limits, next steps, rows."""

from dataclasses import replace

import pytest
from unit.judge.looks import (
    AT,
    ORCHARD,
    PICK,
    PRESS,
    SHA_A,
    advertised,
    answer,
    baseline,
    build,
    bundle,
    deployed,
    failing,
    judged,
    manifest,
    origin,
    rules,
    tool,
    walks,
)

from diagnose.evidence.observation import Anomaly, Build, Deployment, Failure
from diagnose.judge import diagnose
from diagnose.judge.checks import ALL, Check


def test_the_time_is_the_bundles_unless_one_is_given():
    assert diagnose(bundle(origin=origin())).at == AT
    assert diagnose(bundle(origin=origin()), at="2027-01-01T00:00:00Z").at == "2027-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("layers", "code"),
    [
        ({"manifest": manifest(), "origin": origin()}, 0),
        ({"manifest": manifest([PICK]), "origin": origin()}, 1),
        ({"origin": failing("origin", "cursor-loop")}, 1),
        ({"origin": origin()}, 3),
        ({"origin": failing("origin", "unreachable")}, 3),
        ({}, 3),
        ({"origin": failing("origin", "auth-blocked", status=401)}, 1),
        ({"origin": failing("origin", "auth-blocked", status=401), "live": True}, 4),
        (
            {
                "manifest": failing("manifest", "auth-blocked", status=401),
                "origin": walks(ORCHARD, ORCHARD),
                "live": True,
            },
            4,
        ),
        (
            {
                "manifest": manifest([PICK]),
                "deployed": Deployment(failure=Failure(rule="auth-blocked", message="It was refused.")),
                "origin": origin(),
                "live": True,
            },
            4,
        ),
        ({"manifest": failing("manifest", "auth-blocked", status=401), "origin": walks(ORCHARD, ORCHARD)}, 0),
    ],
)
def test_the_exit_code_follows_the_verdict(layers, code):
    assert judged(**layers).exit_code == code


def test_a_fault_of_ours_is_loud_and_goes_before_all_else():
    def crash(_):
        raise ZeroDivisionError

    broken = Check(
        name="trial", family="x", layer="origin", severity="error", summary="", why="", remedy="", source="", message="",
        needs=(), look=crash,
    )  # fmt: skip
    refused = bundle(origin=failing("origin", "auth-blocked", status=401), live=True)
    diagnosis = diagnose(refused, checks=(*ALL, broken))
    assert diagnosis.exit_code == 70
    assert answer(diagnosis) == ("broken", "origin", "auth-blocked")
    assert any("trial" in limit for limit in diagnosis.verdict.limits)


def test_what_was_not_observed_is_a_limit():
    limits = judged(
        origin=walks(ORCHARD, ORCHARD),
        unobserved={"manifest": "GET /tools answered 404"},
        notes=("no target was named",),
    ).verdict.limits
    assert limits[0] == "No target was named."
    assert "Manifest was not observed: GET /tools answered 404." in limits
    assert any("never what a stuck one holds" in limit for limit in limits)


def test_a_revision_that_carried_the_verdict_alone_is_a_limit():
    limits = judged(origin=walks(ORCHARD, ORCHARD, advertised=advertised(list="0" * 64))).verdict.limits
    assert any("freshness signal" in limit for limit in limits)
    assert not any("freshness signal" in limit for limit in judged(manifest=manifest(), origin=origin()).verdict.limits)


def test_next_steps_name_the_target_as_it_is_typed():
    http = judged(baseline=baseline(), origin=origin([*ORCHARD, PRESS])).verdict.next
    assert any("diagnose surface https://orchard.test/mcp --save" in step for step in http)
    command = judged(
        baseline=baseline(), origin=origin([*ORCHARD, PRESS]), transport="stdio", endpoint="python server.py"
    )
    assert any("diagnose surface --save -- python server.py" in step for step in command.verdict.next)


def test_confidence_tells_how_sure_a_cause_is():
    skew = walks(ORCHARD, [PICK], ORCHARD)
    assert judged(origin=skew).verdict.confidence == "likely"
    assert judged(origin=skew, deployed=deployed(build(), build())).verdict.confidence == "proven"
    once = deployed(build("0.1.0", None), build("0.2.0", None))
    assert judged(origin=origin(), deployed=once).verdict.confidence == "likely", "it may be a deployment under way"
    again = deployed(build("0.1.0", None), build("0.2.0", None), build("0.1.0", None))
    assert judged(origin=origin(), deployed=again).verdict.confidence == "proven"


def test_the_other_causes_are_told_too():
    both = judged(manifest=manifest([PICK]), origin=origin([*ORCHARD, {"name": "b"}]))
    assert [each.cause for each in both.verdict.candidates] == ["invalid-definition"]


def test_two_walks_that_differ_are_open_and_say_what_would_settle_it():
    verdict = judged(origin=walks(ORCHARD, [PICK])).verdict
    assert (verdict.state, verdict.confidence) == ("inconclusive", "possible")
    assert [each.cause for each in verdict.candidates] == ["replica-skew"]
    assert "another walk" in verdict.candidates[0].summary


@pytest.mark.parametrize(
    ("layers", "summary"),
    [
        ({"manifest": manifest(), "origin": origin()}, "The manifest and the live list agree on 3 tools."),
        ({"origin": walks([PICK], [PICK])}, "Two complete walks of the list agree on 1 tool."),
        (
            {"manifest": manifest(), "baseline": baseline(), "origin": origin()},
            "The manifest, the snapshot and the live list agree on 3 tools.",
        ),
        (
            {"baseline": baseline(), "origin": origin([{**PICK, "icons": []}, *ORCHARD[1:]])},
            "The snapshot and the live list agree, in all that a caller or a model sees, on 3 tools.",
        ),
        (
            {"baseline": replace(baseline(), source="past.json"), "origin": origin()},
            "The baseline and the live list agree on 3 tools.",
        ),
        ({"origin": origin()}, "The list was read once, and there was nothing to compare it with."),
        (
            {"baseline": baseline(principal="a"), "origin": origin([PICK], principal="b")},
            "The list was read once, and what there is to compare it with is not of its kind.",
        ),
        (
            {"baseline": baseline(names_only=True), "origin": origin()},
            "The baseline and the origin show no difference, which proves nothing: only names are known of a side.",
        ),
        (
            {"manifest": manifest(), "origin": walks(ORCHARD, [PICK], [PICK])},
            (
                "The manifest and the origin cannot be compared: the list changed while it was observed, and the manifest "
                "is that of before."
            ),
        ),
        ({}, "Nothing was observed that could be compared."),
    ],
)
def test_the_summary_is_one_sentence(layers, summary):
    assert judged(**layers).verdict.summary == summary


def test_equal_revisions_of_different_definitions_are_said():
    titled = [{**PICK, "title": "Pick"}]
    diagnosis = judged(baseline=baseline([PICK]), origin=origin(titled))
    assert answer(diagnosis) == ("stale", "baseline", "surface-changed")
    assert any(finding.rule == "revision-blind-spot" for finding in diagnosis.findings)
    assert diagnosis.comparisons[0].why == "the revision, which is the same, does not cover what differs"


def test_a_tenants_tools_are_explained():
    tenant = origin([*ORCHARD, tool("fs__read"), tool("git_diff")], server_info={"name": "meridian"})
    pair = judged(manifest=manifest(), origin=tenant).comparisons[0]
    assert pair.relation == "equal"
    summary = judged(manifest=manifest(), origin=tenant).verdict.summary
    assert summary == "The manifest and the live list agree on what both ought to hold; 5 tools are live."
    assert pair.why == "2 tools of the tenant taken out (1 of a tunnel, 1 of GitHub)"


def test_a_hop_that_rewrites_numbers_is_named():
    def schema(value):
        return [tool("a", inputSchema={"type": "object", "properties": {"s": {"default": value, "maximum": 9}}})]

    for held in (None, manifest(schema(600.0))):
        seen = origin(schema(600), advertised=advertised(schema(600.0)), samples=())
        finding = next(f for f in judged(origin=seen, manifest=held).findings if f.rule == "revision-mismatch")
        assert "a hop rewrote numbers" in finding.message


def test_degraded_is_a_note_and_not_stale():
    meta = {"meridian/tunnelHealth": {"status": "degraded", "message": "0 tools"}}
    diagnosis = judged(origin=walks(ORCHARD, ORCHARD, meta=meta), deployed=deployed(build(health="degraded")))
    assert answer(diagnosis) == ("in-sync", None, None)
    assert {f.rule for f in diagnosis.findings} == {"tunnel-degraded", "health-degraded"}


def test_fingerprints_are_of_facts_and_not_of_words():
    one = judged(origin=failing("origin", "list-error", "It said no.", code=-32603)).findings[0]
    other = judged(origin=failing("origin", "list-error", "Refused.", code=-32603)).findings[0]
    third = judged(origin=failing("origin", "list-error", "Refused.", code=-32000)).findings[0]
    assert one.fingerprint == other.fingerprint != third.fingerprint


def message(rule, **layers):
    return next(finding.message for finding in judged(**layers).findings if finding.rule == rule)


def test_many_long_names_leave_the_sentence_whole():
    tools = [
        {"name": f"a_tool_with_a_rather_long_name_{number}", "inputSchema": {"type": "object"}} for number in "1234567"
    ]
    said = message("manifest-disagrees", manifest=manifest([*ORCHARD, *tools]), origin=origin([*ORCHARD[1:], PRESS]))
    assert "removed a_tool_with_a_rather_long_name_1, " in said
    assert "a_tool_with_a_rather_long_name_5 and 3 more; added " in said
    assert said.endswith("worst impact breaking.")


def test_a_count_that_counts_duplicates_says_so():
    twice = origin([*ORCHARD, PICK], advertised=advertised([*ORCHARD, PICK], count=4))
    assert message("count-mismatch", origin=twice).endswith("it counts all 4 entries, duplicates too.")
    assert message("count-mismatch", origin=origin(advertised=advertised(count=4))).endswith("holds 3 unique names.")


@pytest.mark.parametrize(
    ("count", "said"),
    [("3", '"3" for a count'), (True, "true for a count"), (2.5, "2.5 for a count"), (1, "1 tool"), (2, "2 tools")],
)
def test_a_count_is_told_as_it_was_sent(count, said):
    told = message("count-mismatch", origin=origin(advertised=advertised(count=count)))
    assert told == f"The server advertises {said}, and its list holds 3 unique names."


def test_a_build_is_named_by_what_is_known_of_it():
    expected = Build(version="0.3.0")
    assert message("server-old-build", deployed=deployed(build("0.2.0", None), expected=expected)) == (
        "The server runs version 0.2.0, and version 0.3.0 was expected."
    )
    started = build(None, None, started_at="2026-09-09T08:00:00Z")
    assert message("server-old-build", deployed=deployed(started, expected=Build(at="2026-09-12T08:00:00Z"))) == (
        "The server runs a process started 2026-09-09T08:00:00Z, and a build of 2026-09-12T08:00:00Z was expected."
    )


def test_corrupt_bytes_are_shown_where_they_are_known():
    shown = Anomaly(kind="junk-line", where="stdout line 1", detail="Starting…")
    bare = Anomaly(kind="invalid-utf8", where="page 1")
    looks = origin(anomalies=(shown, bare, bare, replace(bare, where="page 2")))
    said = [finding.message for finding in judged(origin=looks).findings if finding.rule == "wire-corrupt"]
    assert said == [
        "The server sends text that is no message: stdout line 1: Starting…",
        "The server sends bytes that are no UTF-8 (2 times): page 1.",
    ]


@pytest.mark.parametrize(
    ("transport", "era", "bad"), [("http", "modern", True), ("stdio", "modern", False), ("http", "legacy", False)]
)
def test_headers_are_mirrored_over_modern_http_alone(transport, era, bad):
    flawed = tool("a", inputSchema={"type": "object", "properties": {"n": {"type": "number", "x-mcp-header": "N"}}})
    rules = {finding.rule for finding in judged(origin=origin([flawed], era=era), transport=transport).findings}
    assert ("invalid-definition" in rules) is bad


def test_names_alone_tell_no_revision_of_the_handshakes():
    looks = origin(advertised=advertised(initialize="0" * 64, initialize_meta=None))
    rules = {finding.rule for finding in judged(origin=looks, manifest=manifest(names_only=True)).findings}
    assert "revision-mismatch" in rules, "names alone are no reason not to hold the handshake to the list"


def test_a_past_of_the_other_era_counts_and_the_eras_are_said():
    diagnosis = judged(baseline=baseline(era="modern"), origin=origin([PICK]))
    assert (*answer(diagnosis), diagnosis.exit_code) == ("stale", "baseline", "surface-changed", 1)
    assert diagnosis.verdict.confidence == "likely"
    assert "the one is of the modern era, the other of the legacy era" in diagnosis.verdict.summary
    assert outcome(diagnosis, "surface-changed") == "failed"


def test_a_past_of_another_principal_does_not_count_and_is_not_passed_over():
    layers = {
        "baseline": baseline(principal="a"),
        "manifest": manifest([PICK]),
        "origin": origin([PICK], principal="b"),
    }
    diagnosis = judged(**layers)
    assert (*answer(diagnosis), diagnosis.exit_code) == ("in-sync", None, None, 0)
    assert diagnosis.verdict.summary == (
        "The manifest and the live list agree on 1 tool. "
        "The snapshot differs, and does not count: they were read with two authorizations."
    )
    assert any("The baseline and the origin differ, which does not count" in each for each in diagnosis.verdict.limits)
    assert outcome(diagnosis, "surface-changed") == "not-verified"
    assert rules(diagnosis, "note") == {"surface-changed"}


def outcome(diagnosis, rule):
    return next(each.outcome for each in diagnosis.checks if each.rule == rule)


INFO = {"name": "orchard", "version": "1.30.0"}
TOLD = [
    # transport, serverInfo, expected version, other sample, state, rules among warnings, version in the row
    ("http", INFO, "2.0.0", None, "inconclusive", {"expected-build-unknown"}, "1.30.0"),
    ("http", INFO, "1.0.0", None, "inconclusive", {"expected-build-unknown"}, "1.30.0"),
    ("http", INFO, "1.30.0", None, "in-sync", set(), "1.30.0"),
    ("http", INFO, "1.0.0", build("1.0.0"), "in-sync", set(), "1.0.0"),
    ("stdio", {**INFO, "name": "meridian"}, "2.0.0", None, "inconclusive", {"expected-build-unknown"}, None),
    ("stdio", {**INFO, "name": "meridian"}, "1.0.0", None, "inconclusive", {"expected-build-unknown"}, None),
    ("stdio", {**INFO, "name": "meridian"}, "1.30.0", None, "inconclusive", {"expected-build-unknown"}, None),
    ("stdio", INFO, "1.30.0", None, "in-sync", set(), "1.30.0"),
]


@pytest.mark.parametrize(("transport", "info", "version", "other", "state", "warned", "row"), TOLD)
def test_a_version_in_server_info_may_be_that_of_an_sdk(transport, info, version, other, state, warned, row):
    samples = [each for each in (other, build("1.30.0", None, source="serverInfo", health=None)) if each]
    diagnosis = judged(
        transport=transport,
        deployed=deployed(*samples, expected=Build(version=version)),
        origin=walks(ORCHARD, ORCHARD, server_info=info),
    )
    assert (diagnosis.verdict.state, rules(diagnosis, "warning"), rules(diagnosis)) == (state, warned, set())
    assert diagnosis.exit_code == (0 if state == "in-sync" else 3)
    assert outcome(diagnosis, "server-old-build") == ("passed" if state == "in-sync" else "not-verified")
    assert diagnosis.layers[0].get("version") == row
    if warned:
        assert "only serverInfo gives a version, 1.30.0" in diagnosis.verdict.summary
        assert diagnosis.verdict.summary.startswith("The server does not say which version it runs (")
        assert "Let the health or version endpoint tell version and commit." in diagnosis.verdict.next


def test_a_merged_version_that_only_server_info_gave_is_as_doubtful():
    silent, told = build(None, None), build("1.30.0", None, source="serverInfo")
    seen = replace(deployed(silent, told, expected=Build(version="2.0.0")), observed=build("1.30.0", None))
    diagnosis = judged(deployed=seen, origin=walks(ORCHARD, ORCHARD, server_info=INFO))
    assert rules(diagnosis, "warning") == {"expected-build-unknown"}


def test_an_expectation_that_could_not_be_held_does_not_hide_a_cause():
    seen = deployed(build(None, None), expected=Build(build=SHA_A))
    diagnosis = judged(deployed=seen, manifest=manifest([PICK]), origin=origin())
    assert (*answer(diagnosis), diagnosis.exit_code) == ("stale", "origin", "manifest-disagrees", 1)


@pytest.mark.parametrize(("sent", "steps"), [(True, ["A cred"]), (False, ["Store"]), (None, ["Store", "A cred"])])
def test_the_steps_for_a_credential_fit_whether_one_was_sent(sent, steps):
    args = {} if sent is None else {"credentialSent": sent}
    verdict = judged(origin=failing("origin", "auth-blocked", status=401, args=args)).verdict
    assert [step[: len(start)] for step, start in zip(verdict.next, steps, strict=True)] == steps
