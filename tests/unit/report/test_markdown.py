"""Markdown: the answer first, and nothing that a server says becomes markup, a link or a mention."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.report.held import SHOWN

from diagnose.evidence.redact import Redactor
from diagnose.report.markdown import code, diagnosis_markdown, escaped
from diagnose.report.tally import tally

#: What GitHub takes in one comment.
LONGEST = 65_536


def text(name):
    return diagnosis_markdown(SHOWN[name], Redactor())


def outside_of_code(markdown):
    """Return the text without its code spans: runs of backticks that open and close (CommonMark 0.31, 6.1)."""
    return re.sub(r"(?<![`\\])(`+)(?!`)(?:(?!\1(?!`)).|(?<=`)\1`)*?(?<!`)\1(?!`)", "", markdown)


@pytest.mark.parametrize("name", SHOWN)
def test_the_answer_comes_first_and_all_of_it_fits(name):
    diagnosis, lines = SHOWN[name], text(name).splitlines()
    words = {"in-sync": "In sync", "stale": "Stale", "broken": "Broken", "inconclusive": "Inconclusive"}
    assert lines[0].startswith(f"## {words[diagnosis.verdict.state]}")
    assert (diagnosis.verdict.cause is not None) is (f"`{diagnosis.verdict.cause}`" in lines[0])
    assert f"Exit code {diagnosis.exit_code}." in lines[4]
    assert lines[-1] == f"Checks: {tally(diagnosis.checks)}."
    assert len(text(name)) < LONGEST


def test_every_row_of_the_table_has_its_four_cells():
    for name in SHOWN:
        for line in text(name).splitlines():
            if line.startswith("| "):
                assert len(re.findall(r"(?<!\\)\|", line)) == 5, line


def test_the_changes_come_worst_first_with_both_values():
    rows = [line for line in text("changed").splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[1] for row in rows] == ["`pick_apples`", "`prune_tree`", "`press_cider`"]
    assert '`/inputSchema/required/1` breaking: nothing → `"basket"`' in rows[0]


def test_long_values_are_cut_so_that_the_difference_is_seen():
    assert 'w w old"` → `…' in text("lock_long")
    assert 'w w new"` |' in text("lock_long")


def test_what_fails_is_an_error_and_what_passes_a_note():
    assert text("lock_fails").count("- **error**") == 2
    assert text("lock_passes").count("- **note**") == 1
    assert "- **error**" not in text("lock_passes")


def test_a_command_can_be_copied():
    assert "1. Accept it: `diagnose lock write x`" in text("lock_fails")


def test_a_sly_name_makes_no_markup():
    shown = outside_of_code(text("lock_sly"))
    for acting in ("@octocat", "#1", "https://", "\x1b"):
        assert acting not in shown
    assert not re.search(r"(?<!\\)(<(?!br>)|\]\()", shown)


@given(st.text(alphabet="`| a\\") | st.text())
def test_no_text_leaves_its_code_span(inner):
    span = code(inner.replace("\n", " "))
    fence = re.match("`+", span)[0]
    body = span[len(fence) : -len(fence)]
    assert span.endswith(fence)
    assert fence not in re.findall("`+", body)


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ("plain words, 3 tools.", "plain words, 3 tools."),
        ("[x](y)", "\\[x\\](y)"),
        ("<img src=x>", "\\<img src=x\\>"),
        ("@octocat and #12", "@&#8203;octocat and #&#8203;12"),
        ("https://evil.test www.evil.test", "https:&#8203;//evil.test www&#8203;.evil.test"),
        ("&lt;", "\\&lt;"),
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("pick_apples *now*", "pick\\_apples \\*now\\*"),
    ],
)
def test_text_is_shown_as_it_is(given_, shown):
    assert escaped(given_) == shown
