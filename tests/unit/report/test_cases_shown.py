"""Every case in every form of a report: the JSON holds to its schema, and no form fails or hides the answer."""

import json
from pathlib import Path

import pytest
from support.schemas import validated

from diagnose.evidence.bundle_form import bundle_of
from diagnose.evidence.redact import Redactor
from diagnose.judge import diagnose
from diagnose.report.formats import REPORTS, Look, render

CASES = sorted((Path(__file__).parents[2] / "cases").glob("*.json"))[::4]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_is_shown_in_every_form(path):
    diagnosis = diagnose(bundle_of(json.loads(path.read_text())))
    document = validated(render(diagnosis, "json", Redactor(), Look(width=80)))
    assert document["verdict"]["state"] == diagnosis.verdict.state
    for form in REPORTS:
        shown = render(diagnosis, form, Redactor(), Look(width=60))
        assert shown
        if form in {"text", "markdown"} and diagnosis.verdict.cause is not None:
            assert diagnosis.verdict.cause in shown
