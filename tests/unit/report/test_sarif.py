"""SARIF: the shape that the standard and code scanning ask for, and an exit code that the log does not contradict."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from urllib.parse import urljoin

import jsonschema
import pytest
from unit.report.held import FILE, HELD, SHOWN

from diagnose.evidence.redact import Redactor
from diagnose.judge import CheckResult
from diagnose.judge.checks import CHECKS
from diagnose.report.sarif import FINGERPRINT, diagnosis_sarif

_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
# Of the standard (2.1.0), what a log of ours has: sections 3.13, 3.14, 3.18 to 3.20, 3.27 to 3.30, 3.33, 3.49, 3.52, 3.58.
LOG = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"pattern": "^https://"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results", "invocations"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id", "shortDescription"],
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": _TEXT,
                                                "fullDescription": _TEXT,
                                                "help": _TEXT,
                                                "defaultConfiguration": {"properties": {"level": _LEVEL}},
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "originalUriBaseIds": {"type": "object", "additionalProperties": {"type": "object"}},
                    "properties": {"type": "object"},
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "exitCode": {"type": "integer"},
                                "endTimeUtc": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"},
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["message"],
                                        "properties": {"message": _TEXT, "level": _LEVEL},
                                    },
                                },
                            },
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
                            "properties": {
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": _LEVEL,
                                "message": _TEXT,
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "region": {
                                                        "properties": {"startLine": {"type": "integer", "minimum": 1}}
                                                    }
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
# RFC 3986, relative-ref without a colon in its first segment.
_RELATIVE = re.compile(r"(?!/)(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-Fa-f]{2})+")


def log(diagnosis):
    return json.loads(diagnosis_sarif(diagnosis, Redactor()))


def run_of(diagnosis):
    (run,) = log(diagnosis)["runs"]
    return run


@pytest.mark.parametrize("name", SHOWN)
def test_the_log_has_the_shape_of_the_standard(name):
    jsonschema.Draft202012Validator(LOG).validate(log(SHOWN[name]))


@pytest.mark.parametrize("name", SHOWN)
def test_results_and_rules_belong_together_and_come_from_the_registry(name):
    run = run_of(SHOWN[name])
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert set(ids) <= CHECKS.keys()
    assert ids == list(dict.fromkeys(check.rule for check in SHOWN[name].checks))
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"] == CHECKS[rule["id"]].summary
        assert rule["defaultConfiguration"]["level"] == CHECKS[rule["id"]].severity


@pytest.mark.parametrize("name", SHOWN)
def test_the_exit_code_and_the_log_agree(name):
    diagnosis, run = SHOWN[name], run_of(SHOWN[name])
    (invocation,) = run["invocations"]
    assert invocation["exitCode"] == diagnosis.exit_code
    assert invocation["executionSuccessful"] is (diagnosis.exit_code in {0, 1})
    failing = any(result["level"] == "error" for result in run["results"])
    if diagnosis.exit_code in {0, 1}:
        assert failing is (diagnosis.exit_code == 1)
    told = [notice["level"] for notice in invocation["toolExecutionNotifications"]]
    assert ("error" in told) is (diagnosis.exit_code not in {0, 1})


def test_a_warning_that_fails_the_run_is_an_error_and_never_lowers_nothing():
    unread = SHOWN["unreachable"]
    for fail_on, level in (("error", "warning"), ("warning", "error"), ("never", "warning")):
        assert [each["level"] for each in run_of(replace(unread, fail_on=fail_on))["results"]] == [level]
    assert run_of(replace(SHOWN["changed"], fail_on="never"))["results"][0]["level"] == "error"


def test_a_check_that_was_not_verified_or_not_shown_is_told():
    diagnosis = SHOWN["changed"]
    hidden = CheckResult(rule=diagnosis.checks[0].rule, outcome="suppressed")
    diagnosis = replace(diagnosis, checks=(hidden, *diagnosis.checks[1:]))
    told = {
        notice["associatedRule"]["id"]
        for notice in run_of(diagnosis)["invocations"][0]["toolExecutionNotifications"]
        if "associatedRule" in notice
    }
    assert told == {check.rule for check in diagnosis.checks if check.outcome != "passed"} - {"surface-changed"}
    assert hidden.rule in told


def test_fingerprints_are_those_of_the_findings():
    for diagnosis in HELD.values():
        told = [each["partialFingerprints"][FINGERPRINT] for each in run_of(diagnosis)["results"]]
        assert told == [finding.fingerprint for finding in diagnosis.findings]
        assert len(set(told)) == len(told)


@pytest.mark.parametrize("name", SHOWN)
def test_addresses_are_relative_as_code_scanning_wants_them(name):
    run = run_of(SHOWN[name])
    for result in run["results"]:
        artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert _RELATIVE.fullmatch(artifact["uri"]), artifact
        assert artifact["uriBaseId"] in run["originalUriBaseIds"]


def test_a_finding_stands_at_the_endpoint_or_on_its_line_of_the_lock_file():
    run = run_of(SHOWN["changed"])
    place = run["results"][0]["locations"][0]["physicalLocation"]
    base = run["originalUriBaseIds"][place["artifactLocation"]["uriBaseId"]]["uri"]
    assert urljoin(base, place["artifactLocation"]["uri"]) == "https://orchard.test/mcp"
    places = [each["locations"][0]["physicalLocation"] for each in run_of(SHOWN["lock_fails"])["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {FILE.replace(" ", "%20")}
    assert {place["region"]["startLine"] for place in places} == {1, 14, 31}


def test_a_command_is_a_place_too():
    place = run_of(SHOWN["corrupt"])["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "python%20server.py"


def test_nothing_acts_in_a_message():
    for name in ("corrupt", "lock_sly"):
        for result in run_of(SHOWN[name])["results"]:
            assert result["message"]["text"].isprintable()
        assert "sk_live_0123456789abcdef" not in diagnosis_sarif(SHOWN[name], Redactor())
