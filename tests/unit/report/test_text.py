"""The text of a diagnosis: golden at three widths, harmless, and the same with and without colour.

`DIAGNOSE_UPDATE_GOLDEN=1 pytest tests/unit/report` writes the golden texts anew; read what changed before it is kept.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from unit.report.scenes import SCENES

from diagnose.evidence.harmless import display_width
from diagnose.evidence.redact import Redactor
from diagnose.report.text import diagnosis_text

GOLDEN = Path(__file__).parent / "golden"
WIDTHS = (60, 80, 200)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scene", SCENES)
def test_the_text_is_the_golden_one(scene, width):
    text = diagnosis_text(SCENES[scene](), Redactor(), width=width)
    path = GOLDEN / f"{scene}-{width}.txt"
    if os.environ.get("DIAGNOSE_UPDATE_GOLDEN") == "1":
        path.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == path.read_text(encoding="utf-8")


def test_every_golden_text_has_its_scene():
    assert {path.name for path in GOLDEN.iterdir()} == {f"{scene}-{width}.txt" for scene in SCENES for width in WIDTHS}


@pytest.mark.parametrize("width", [40, *WIDTHS])
@pytest.mark.parametrize("scene", SCENES)
def test_no_line_is_wider_than_the_page(scene, width):
    for line in diagnosis_text(SCENES[scene](), Redactor(), width=width).splitlines():
        assert display_width(line) <= width, line


@pytest.mark.parametrize("scene", SCENES)
def test_colour_says_nothing_that_the_words_do_not(scene):
    plain = diagnosis_text(SCENES[scene](), Redactor(), width=80)
    coloured = diagnosis_text(SCENES[scene](), Redactor(), width=80, colour=True)
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_the_answer_comes_first():
    first = diagnosis_text(SCENES["changed"](), Redactor(), width=80).splitlines()[0]
    assert first == "STALE at baseline: surface-changed (proven)"


def test_nothing_that_a_server_said_acts_or_leaks():
    text = diagnosis_text(SCENES["corrupt"](), Redactor(), width=80)
    for acting in ("\x1b", "\u202e", "sk_live_0123456789abcdef"):
        assert acting not in text
    assert "evil\\x1b[2Jtool\\u202e\\x0anext" in re.sub(r"\s+", "", text)


def test_a_known_secret_is_hidden_wherever_it_stands():
    redactor = Redactor(["pick_apples"])
    assert "pick_apples" not in diagnosis_text(SCENES["changed"](), redactor, width=200)
