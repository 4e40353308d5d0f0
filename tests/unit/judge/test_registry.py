"""How checks are declared and run: needs, severities, crashes, floods."""

import pytest
from unit.judge.looks import bundle, origin

from diagnose.judge.case import Case
from diagnose.judge.checks import ALL, CHECKS
from diagnose.judge.checks.registry import MAX_FINDINGS, Check, Seen, check, run

CASE = Case.of(bundle(origin=origin()))


def made(look, **changed) -> Check:
    said = {
        "name": "trial", "family": "trial", "layer": "origin", "severity": "error", "summary": "It holds.", "why": "It matters.",
        "remedy": "Mend it.", "source": "a rule", "message": "the {thing} broke {more}", "needs": (),
    }  # fmt: skip
    return Check(look=look, **{**said, **changed})


def outcome(look, **changed):
    ran = run(CASE, [made(look, **changed)])
    return ran.findings, ran.results[0]


def test_a_finding_is_worded_from_its_facts():
    findings, result = outcome(
        lambda _: [Seen(args={"thing": "{more}"}, words={"more": "twice"}, evidence=("page 1",))]
    )
    assert findings[0].message == "The {more} broke twice."
    assert (findings[0].rule, findings[0].severity, findings[0].layer) == ("trial", "error", "origin")
    assert (findings[0].args, findings[0].evidence, findings[0].remedy) == (
        {"thing": "{more}"},
        ("page 1",),
        "Mend it.",
    )
    assert result.outcome == "failed"


def test_a_finished_sentence_is_no_template():
    findings, _ = outcome(lambda _: [Seen(literal="no {field} here")])
    assert findings[0].message == "No {field} here."


@pytest.mark.parametrize(("severity", "expected"), [("error", "failed"), ("warning", "failed"), ("note", "passed")])
def test_a_note_is_no_failure(severity, expected):
    _, result = outcome(lambda _: [Seen(severity=severity, literal="So.")])
    assert result.outcome == expected


def test_without_what_it_needs_a_check_is_not_verified_and_not_asked():
    asked = []
    findings, result = outcome(
        lambda case: asked.append(case) or [], needs=(lambda _: None, lambda _: "there is no list")
    )
    assert (findings, asked) == ((), [])
    assert (result.outcome, result.why) == ("not-verified", "there is no list")


def test_a_crash_is_contained_and_reported():
    def crash(_):
        yield Seen(literal="One.")
        raise KeyError("x")

    ran = run(CASE, [made(crash), made(lambda _: [], name="next")])
    assert ran.crashed == ("trial",)
    assert ran.findings == ()
    assert [result.outcome for result in ran.results] == ["not-verified", "passed"]
    assert "a fault of diagnose itself: KeyError" in (ran.results[0].why or "")


def test_a_flood_of_findings_is_cut_and_counted():
    findings, result = outcome(lambda _: (Seen(literal=str(number)) for number in range(MAX_FINDINGS + 7)))
    assert len(findings) == MAX_FINDINGS
    assert result.why == "7 more of the same are not shown"


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match="mixed-builds"):
        check("mixed-builds", family="x", layer="origin", severity="note", summary="", why="", remedy="", source="")(
            lambda _: []
        )


def test_all_checks_are_run_and_each_is_documented():
    assert {each.name for each in ALL} == set(CHECKS)
    for each in ALL:
        assert each.name == each.name.lower()
        for text in (each.summary, each.why, each.remedy):
            assert text.endswith("."), f"{each.name}: {text!r} is no sentence"
        assert each.source
