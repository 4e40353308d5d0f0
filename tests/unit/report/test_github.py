"""Annotations: one command a line, whatever a server says, and red exactly where the exit code is not 0."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from unit.report.held import FILE, SHOWN, SLY

from diagnose.evidence.redact import Redactor
from diagnose.report.github import MAX_OF_A_KIND, diagnosis_github

_COMMAND = re.compile(r"::(?P<kind>error|warning|notice) (?P<said>[^:]*)::(?P<message>[^\r\n]*)")


def commands(diagnosis):
    """Read the text as the runner does, and undo its escapes."""
    found = []
    for line in diagnosis_github(diagnosis, Redactor()).split("\n"):
        match = _COMMAND.fullmatch(line)
        assert match, line
        said = dict(pair.split("=", 1) for pair in match["said"].split(","))
        found.append((match["kind"], {key: undone(value) for key, value in said.items()}, undone(match["message"])))
    return found


def undone(text):
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_red_exactly_where_the_exit_code_is_not_0(name):
    kinds = [kind for kind, _, _ in commands(SHOWN[name])]
    assert ("error" in kinds) is bool(SHOWN[name].exit_code)


@pytest.mark.parametrize("name", SHOWN)
def test_no_more_are_written_than_the_runner_shows(name):
    found = commands(SHOWN[name])
    for kind in ("error", "warning", "notice"):
        assert sum(each == kind for each, _, _ in found) <= MAX_OF_A_KIND
    left = len(SHOWN[name].findings) + 1 - len(found)
    assert (f"{left} more findings" in found[-1][2]) is (left > 0)


def test_a_change_stands_on_its_line_of_the_lock_file():
    found = commands(SHOWN["lock_fails"])
    assert [(kind, said.get("file"), said.get("line")) for kind, said, _ in found] == [
        ("error", FILE, "14"),
        ("error", FILE, "31"),
        ("notice", FILE, "1"),
        ("error", None, None),
    ]
    assert found[1][2].startswith("The tool prune_tree was removed (breaking).\n")


def test_what_a_server_says_is_no_command():
    text = diagnosis_github(SHOWN["lock_sly"], Redactor())
    assert len(text.split("\n")) == 2
    assert SLY.split("]]>")[1][:4] not in text
    assert "100%25" in text


def test_what_does_not_fail_the_job_is_no_error_in_it():
    let_go = replace(SHOWN["changed"], exit_code=0, fail_on="never")
    assert [kind for kind, _, _ in commands(let_go)] == ["warning", "notice"]
