"""The published schemas are valid, say what the contract says, and hold what they should and nothing else."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path

import jsonschema
import pytest
from support.schemas import closed, validated
from unit.report.held import SHOWN

import diagnose
from diagnose.errors import UsageError
from diagnose.evidence.redact import Redactor
from diagnose.report.json_ import diagnosis_json
from diagnose.report.schemas import SCHEMAS, schema_json, schema_of

#: Documents that this program reads and does not write: their schema is the contract's.
READ_ONLY = {"bundle/1", "recording/1"}
NAMES = list(SCHEMAS)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_valid_schema_that_names_its_document(name):
    schema = json.loads(schema_json(name))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["schema"] == {"const": f"diagnose.{name}"}
    assert schema["required"][0] == "schema"


def test_every_document_that_is_written_has_one():
    text = "\n".join(path.read_text("utf-8") for path in Path(diagnose.__file__).parent.rglob("*.py"))
    written = set(re.findall(r'"diagnose\.([a-z]+/[0-9]+)"', text)) | {
        f"{kind}/1" for kind in re.findall(r'_head\("([a-z]+)"', text)
    }
    assert written - READ_ONLY == set(NAMES)


@pytest.mark.parametrize("spelled", ["diff", "diff/1", "diagnose.diff/1", " diff "])
def test_a_document_is_known_by_its_name(spelled):
    assert schema_of(spelled)["title"] == "diagnose.diff/1"


@pytest.mark.parametrize("spelled", ["", "diff/2", "difference", "../diff"])
def test_another_name_is_wrong_usage_and_all_are_listed(spelled):
    with pytest.raises(UsageError) as caught:
        schema_of(spelled)
    assert "snapshots/1" in caught.value.diagnostics()


@pytest.mark.parametrize("scene", SHOWN)
def test_every_diagnosis_is_valid(scene):
    validated(diagnosis_json(SHOWN[scene], Redactor()))


def document():
    return json.loads(diagnosis_json(SHOWN["changed"], Redactor()))


def invalid(change):
    other = deepcopy(document())
    change(other)
    return list(jsonschema.Draft202012Validator(closed(schema_of("diagnosis"))).iter_errors(other))


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.pop("verdict"),
        lambda one: one.update(exitCode=2),
        lambda one: one.update(at="yesterday"),
        lambda one: one["verdict"].update(state="fine"),
        lambda one: one["verdict"].update(state="in-sync"),
        lambda one: one["verdict"].update(cause=None),
        lambda one: one["findings"][0].update(severity="fatal"),
        lambda one: one["findings"][0].pop("fingerprint"),
        lambda one: one["findings"][0].update(shade="red"),
        lambda one: one["checks"][0].update(outcome="not-verified", why=None),
        lambda one: one["layers"][2].update(layer="sideways"),
        lambda one: one["comparisons"][0]["changes"][0].update(impact="bad"),
        lambda one: one["comparisons"][0]["changes"][0]["details"][0].pop("path"),
    ],
)
def test_what_the_contract_does_not_have_is_invalid(change):
    assert invalid(change)


def test_a_reader_of_today_takes_a_key_of_tomorrow():
    other = document() | {"sessions": [], "mood": "calm"}
    jsonschema.Draft202012Validator(schema_of("diagnosis")).validate(other)
