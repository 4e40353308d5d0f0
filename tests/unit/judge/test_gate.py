"""A list held to an earlier one: the gate alone decides between 0 and 1, and the diagnosis says the same."""

from __future__ import annotations

import pytest
from unit.judge.looks import (
    ORCHARD,
    PICK,
    PRESS,
    PRUNE,
    RIPEN,
    answer,
    baseline,
    bundle,
    failing,
    origin,
    rules,
    tool,
    walks,
)  # fmt: skip

from diagnose.judge.checks.registry import MAX_FINDINGS
from diagnose.judge.gate import PAST, Gate, hold
from diagnose.surface import IMPACTS

STALE = ("stale", "baseline", "surface-changed")
NEEDY = tool("ripen", inputSchema={"type": "object", "required": ["row"]})

#: For each impact, a list that changes the orchard with just that as the worst.
LISTS = {
    "breaking": [PICK, PRUNE, NEEDY],
    "unclear": [PICK, PRUNE, tool("ripen", inputSchema={"type": "object", "not": {"required": ["row"]}})],
    "behaviour": [PICK, PRUNE, {**RIPEN, "annotations": {"readOnlyHint": True}}],
    "routing": [PICK, PRUNE, {**RIPEN, "description": "Ripe?"}],
    "compatible": [*ORCHARD, PRESS],
    "cosmetic": [PICK, PRUNE, {**RIPEN, "icons": [{"src": "data:,"}]}],
}


def held(tools, fail_on="breaking", **gate):
    return hold(bundle(baseline=baseline(), origin=origin(tools)), Gate(fail_on=fail_on, **gate))


@pytest.mark.parametrize("fail_on", IMPACTS)
@pytest.mark.parametrize("impact", IMPACTS)
def test_the_gate_alone_decides_between_0_and_1(impact, fail_on):
    diagnosis = held(LISTS[impact], fail_on)
    fails = IMPACTS.index(impact) <= IMPACTS.index(fail_on)
    assert diagnosis.exit_code == int(fails)
    assert any(map(diagnosis.fails, diagnosis.findings)) is fails
    assert {result.rule for result in diagnosis.checks if result.outcome == "failed"} == (
        {"surface-changed"} if fails else set()
    )
    assert [finding.args["impact"] for finding in diagnosis.findings if finding.rule == "surface-changed"] == [impact]
    # Cosmetic changes leave the lists equivalent, unless somebody asked for them.
    assert answer(diagnosis) == (STALE if impact != "cosmetic" or fails else ("in-sync", None, None))


def test_equal_lists_are_in_sync_at_any_gate():
    diagnosis = held(ORCHARD, "cosmetic")
    assert (answer(diagnosis), diagnosis.exit_code) == (("in-sync", None, None), 0)
    assert diagnosis.verdict.summary == "snapshot:abc123 and the live list agree on 3 tools."


def test_what_may_pass_is_said_to_have_passed():
    said = held([*ORCHARD, PRESS]).verdict.summary
    assert said.endswith("added press_cider; worst impact compatible, which --fail-on breaking lets pass.")


def test_each_change_is_a_finding_of_its_own_the_worst_first():
    diagnosis = held([*ORCHARD[:1], NEEDY, PRESS], "routing", file="a.lock.json", lines={"prune_tree": 7, "ripen": 20})
    assert [
        (finding.severity, finding.args["tool"], finding.args["kind"], finding.place.line)
        for finding in diagnosis.findings
    ] == [
        ("error", "prune_tree", "removed", 7),
        ("error", "ripen", "changed", 20),
        ("note", "press_cider", "added", 1),
    ]
    assert diagnosis.findings[1].message == "The tool ripen changed (breaking) at /inputSchema/required."


def test_a_renamed_tool_stands_on_the_line_of_its_old_name():
    (finding,) = held([PICK, PRUNE, {**RIPEN, "name": "ripeness"}], file="a.lock.json", lines={"ripen": 20}).findings
    assert (finding.message, finding.place.line) == ("The tool ripen became ripeness (breaking).", 20)


def test_the_fingerprint_is_that_of_the_change_wherever_and_whenever():
    first, again = (
        hold(bundle(baseline=baseline(), origin=origin([PICK, PRUNE]), **other), Gate(fail_on="breaking"), at)
        for other, at in (({}, None), ({"endpoint": "https://elsewhere.test/mcp"}, "2027-01-01T00:00:00.000Z"))
    )
    assert [each.fingerprint for each in first.findings] == [each.fingerprint for each in again.findings]


def test_a_list_that_could_not_be_had_is_not_compared():
    for layer, code in (
        (failing("origin", "unreachable"), 3),
        (failing("origin", "list-error", code=-32603), 1),
    ):
        diagnosis = hold(bundle(baseline=baseline(), origin=layer), Gate(fail_on="breaking"))
        assert diagnosis.exit_code == code
        assert "surface-changed" not in rules(diagnosis)


def test_a_refused_credential_is_one():
    refused = failing("origin", "auth-blocked", status=401)
    assert hold(bundle(baseline=baseline(), origin=refused, live=True), Gate(fail_on="breaking")).exit_code == 4


def test_instances_that_differ_are_no_list_to_hold_to_anything():
    diagnosis = hold(bundle(baseline=baseline(), origin=walks(ORCHARD, [PICK], ORCHARD)), Gate(fail_on="breaking"))
    assert (answer(diagnosis), diagnosis.exit_code) == (("broken", "origin", "replica-skew"), 1)


def test_what_the_list_promises_beside_that_is_not_asked():
    untyped = [PICK, PRUNE, {"name": "ripen", "inputSchema": {}}]
    diagnosis = hold(bundle(baseline=baseline(untyped), origin=origin(untyped)), Gate(fail_on="breaking"))
    assert "invalid-definition" not in {result.rule for result in diagnosis.checks}
    assert diagnosis.exit_code == 0


def test_names_alone_do_not_decide():
    diagnosis = hold(bundle(baseline=baseline(names_only=True), origin=origin()), Gate(fail_on="breaking", checks=PAST))
    assert (answer(diagnosis), diagnosis.exit_code) == (("inconclusive", None, None), 3)


def test_a_hostile_list_does_not_make_the_report_as_long_as_itself():
    diagnosis = held([tool(f"tool_{number}") for number in range(500)])
    assert len(diagnosis.findings) == MAX_FINDINGS
    (result,) = [result for result in diagnosis.checks if result.rule == "surface-changed"]
    assert result.why == f"{503 - MAX_FINDINGS} more changes are not shown as findings"


def test_a_list_of_the_other_era_is_held_all_the_same_and_said():
    seen = bundle(baseline=baseline(era="modern"), origin=origin(LISTS["breaking"], era="legacy"))
    diagnosis = hold(seen, Gate(fail_on="breaking"))
    assert (answer(diagnosis), diagnosis.exit_code) == (STALE, 1)
    assert (diagnosis.verdict.confidence, "legacy era" in diagnosis.verdict.summary) == ("likely", True)
