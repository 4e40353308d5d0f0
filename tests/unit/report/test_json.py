"""`diagnose.diagnosis/1` as the contract has it."""

from __future__ import annotations

import json

import pytest
from unit.judge.looks import baseline, judged, origin, tool
from unit.report.scenes import SCENES

from diagnose.evidence.redact import Redactor
from diagnose.report.json_ import diagnosis_json

KEYS = ["schema", "tool", "at", "target", "layers", "comparisons", "findings", "checks", "verdict", "exitCode"]
FINDING = {"rule", "severity", "layer", "message", "args", "evidence", "remedy", "fingerprint"}
VERDICT = ["state", "layer", "cause", "confidence", "candidates", "summary", "next", "limits"]


def document(diagnosis):
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(diagnosis_json(diagnosis, Redactor()), parse_constant=refuse)


@pytest.mark.parametrize("scene", SCENES)
def test_the_keys_are_those_of_the_contract(scene):
    told = document(SCENES[scene]())
    assert list(told) == KEYS
    assert told["schema"] == "diagnose.diagnosis/1"
    assert told["tool"]["name"] == "diagnose"
    assert list(told["target"]) == ["id", "transport", "endpoint"]
    assert list(told["verdict"]) == VERDICT
    for finding in told["findings"]:
        assert set(finding) == FINDING
    for pair in told["comparisons"]:
        assert {"from", "to", "relation", "changes"} <= set(pair) <= {"from", "to", "relation", "changes", "why"}
    for check in told["checks"]:
        assert check["outcome"] in {"passed", "failed", "not-verified"}
        assert ("why" in check) or check["outcome"] != "not-verified"


def test_what_is_in_sync_or_open_has_neither_cause_nor_layer():
    for scene in ("in_sync", "unreachable"):
        verdict = document(SCENES[scene]())["verdict"]
        assert (verdict["cause"], verdict["layer"]) == (None, None)


def test_a_value_that_is_missing_on_one_side_has_no_key():
    (change,) = [
        each for each in document(SCENES["changed"]())["comparisons"][0]["changes"] if each["tool"] == "pick_apples"
    ]
    details = {detail["path"]: detail for detail in change["details"]}
    assert details["/inputSchema/required/1"] == {
        "path": "/inputSchema/required/1",
        "to": "basket",
        "impact": "breaking",
    }
    assert set(change) == {"tool", "was", "kind", "confidence", "impact", "details"}


def test_what_json_does_not_have_is_told_as_text():
    def wild(value):
        return [tool("a", "half \ud83c", inputSchema={"type": "object", "properties": {"n": {"default": value}}})]

    told = document(judged(baseline=baseline(wild(float("inf"))), origin=origin(wild(float("nan")))))
    (change,) = told["comparisons"][0]["changes"]
    assert all(isinstance(change["details"][0][side], str) for side in ("from", "to"))


def test_no_secret_and_nothing_that_acts():
    text = diagnosis_json(SCENES["corrupt"](), Redactor())
    for acting in ("\x1b", "\u202e", "sk_live_0123456789abcdef"):
        assert acting not in text
    assert "evil\\u001b[2Jtool\\u202e\\nnext" in text
