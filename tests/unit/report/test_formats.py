"""One table of formats: what it offers is what it can render."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from unit.report.held import SHOWN

from diagnose.evidence.redact import Redactor
from diagnose.report.formats import FORMATS, PLAIN, REPORTS, Look, offered, render


def test_the_table_offers_what_it_holds():
    assert tuple(each.name for each in FORMATS) == REPORTS
    assert PLAIN == ("text", "json")
    assert offered(PLAIN) == "text or json; default text."
    assert offered(REPORTS) == "text, json, sarif, junit, github, markdown or html; default text."


@pytest.mark.parametrize("name", REPORTS)
def test_each_renders_every_diagnosis_without_what_acts_or_leaks(name):
    for diagnosis in SHOWN.values():
        text = render(diagnosis, name, Redactor(["orchard.test"]), Look())
        for acting in ("\x1b", "\u202e", "\r", "sk_live_0123456789abcdef", "orchard.test"):
            assert acting not in text
        if name in {"json", "sarif"}:
            json.loads(text)
        if name == "junit":
            ET.fromstring(text)
