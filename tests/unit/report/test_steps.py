"""The text of the single steps: it fits its page, and a digest is broken only where no line could hold it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.evidence.harmless import display_width
from diagnose.evidence.redact import Redactor
from diagnose.report.steps import as_text

DIGEST = "2d741d9a76e1756041902d9a264ee751de3476936a2b63304735eda160a915c5"
DOCUMENT = {
    "schema": "diagnose.revision/1",
    "at": "2026-11-30T12:00:00.000Z",
    "revision": DIGEST,
    "protocolVersion": "2026-07-28",
    "notes": [],
    "tools": [{"name": "pick_apples", "digest": DIGEST}],
    "samples": [
        {"source": "GET /health", "health": "ok", "version": "0.1.0", "build": "e268a44b21ff", "startedAt": "12"}
    ],
}


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_longer_than_the_page(width):
    lines = as_text(DOCUMENT, Redactor(), width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    assert [line for line in lines if line.startswith("notes")] == ["notes            none"]


def test_a_digest_stays_whole_where_a_line_can_hold_it():
    assert as_text(DOCUMENT, Redactor(), width=80).count(DIGEST) == 2
    assert as_text(DOCUMENT, Redactor(), width=60).count(DIGEST) == 0
    assert DIGEST in "".join(as_text(DOCUMENT, Redactor(), width=60).split())


def test_wide_enough_it_is_a_line_a_fact():
    assert as_text(DOCUMENT, Redactor(), width=200).splitlines()[0] == f"revision         {DIGEST}"


@given(st.dictionaries(st.text("abc", min_size=1, max_size=16), st.text() | st.lists(st.text()), max_size=4))
def test_nothing_acts_and_everything_fits(document):
    text = as_text(document, Redactor(), width=40)
    assert all(display_width(line) <= 40 for line in text.split("\n"))
    assert all(char.isprintable() or char == "\n" for char in text)
