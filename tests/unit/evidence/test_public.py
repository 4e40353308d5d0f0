"""The public names of the evidence: there, documented, and not paid for by who does not use them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import diagnose.evidence
from diagnose import DiagnoseError
from diagnose.evidence import Bundle, Recording
from diagnose.judge import diagnose as judge

CASE = Path(__file__).parents[2] / "cases" / "028-renaming-the-entry-helps.json"


def test_a_document_becomes_a_diagnosis():
    document = json.loads(CASE.read_text())
    diagnosis = judge(Bundle.of(document))
    assert (diagnosis.verdict.layer, diagnosis.at) == ("registry", document["createdAt"])
    assert judge(Bundle.of(document), at="2027-01-01T00:00:00Z").at == "2027-01-01T00:00:00Z"


def test_what_is_no_bundle_is_an_error_with_advice():
    with pytest.raises(DiagnoseError) as error:
        Bundle.of({"schema": "other"})
    assert isinstance(error.value.diagnostics(), str)


def test_every_public_name_is_there_and_says_what_it_is():
    assert {Bundle, Recording} == {getattr(diagnose.evidence, name) for name in diagnose.evidence.__all__}
    assert all(each.__doc__ for each in (Bundle, Recording))
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = diagnose.evidence.nothing_of_that_name


def test_the_room_alone_loads_nothing():
    code = "import sys, diagnose.evidence; print(sorted(n for n in sys.modules if n.startswith('diagnose.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "recording" not in loaded
    assert "bundle" not in loaded
