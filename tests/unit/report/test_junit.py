"""JUnit XML: well-formed whatever a server says, its counts right, red exactly where the exit code is not 0."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.judge.looks import baseline, judged, origin, tool
from unit.report.held import SHOWN

from diagnose.evidence.redact import Redactor
from diagnose.report.junit import diagnosis_junit

# What the readers' common schema (that of Surefire and Jenkins) has in these places.
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "timestamp"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"message"},
    "system-out": set(),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}


def tree(diagnosis):
    return ET.fromstring(diagnosis_junit(diagnosis, Redactor()))


@pytest.mark.parametrize("name", SHOWN)
def test_the_document_has_the_shape_that_readers_agree_on(name):
    for element in tree(SHOWN[name]).iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())


@pytest.mark.parametrize("name", SHOWN)
def test_the_counts_are_right_and_a_case_has_one_outcome(name):
    for suite in tree(SHOWN[name]).iter("testsuite"):
        cases = suite.findall("testcase")
        assert int(suite.get("tests")) == len(cases) == len(SHOWN[name].checks) + 1
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(count)) == len(suite.findall(f"testcase/{tag}"))
        assert all(len([child for child in case if child.tag != "system-out"]) <= 1 for case in cases)


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_red_exactly_where_the_exit_code_is_not_0(name):
    top = tree(SHOWN[name])
    red = int(top.get("failures")) + int(top.get("errors"))
    assert bool(red) is bool(SHOWN[name].exit_code)
    (verdict,) = [case for case in top.iter("testcase") if case.get("name") == "verdict"]
    assert (verdict.find("error") is not None) is (SHOWN[name].exit_code not in {0, 1})


def test_what_was_not_verified_is_skipped_and_says_why():
    cases = {case.get("name"): case for case in tree(SHOWN["changed"]).iter("testcase")}
    for check in SHOWN["changed"].checks:
        skipped = cases[check.rule].find("skipped")
        assert (skipped is not None) is (check.outcome == "not-verified")
        assert skipped is None or skipped.get("message") == f"not verified: {check.why}"


def test_the_gate_decides_what_is_a_failure():
    warned = replace(SHOWN["unreachable"], exit_code=1, fail_on="warning")
    names = [case.get("name") for case in tree(warned).iter("testcase") if case.find("failure") is not None]
    assert names == ["unreachable", "verdict"]
    let_go = replace(SHOWN["changed"], exit_code=0, fail_on="never")
    assert tree(let_go).get("failures") == "0"
    assert any("The list moved" in (out.text or "") for out in tree(let_go).iter("system-out"))


@given(st.text(), st.text())
def test_whatever_a_server_says_it_can_be_parsed(name, description):
    """XML 1.0 has no way to write most control characters, and ElementTree writes them all the same."""
    seen = origin([tool(f"x{name}", description)])
    top = tree(judged(baseline=baseline([tool(f"y{name}", description)]), origin=seen))
    assert top.tag == "testsuites"


@pytest.mark.parametrize("char", ["\x00", "\x0b", "\ufffe", "\uffff", "\ud800", "]]>", "<!--", "&"])
def test_no_character_is_its_undoing(char):
    top = tree(judged(origin=origin([tool(f"a{char}b", f"c{char}", inputSchema={"type": char})])))
    assert top.find("testsuite") is not None
