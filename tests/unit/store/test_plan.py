"""The plan as a document: written, read, and refused where it is not what was written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from diagnose.errors import InputError
from diagnose.evidence.redact import Redactor
from diagnose.evidence.secret import Secret
from diagnose.freshness import PlanPin, relying
from diagnose.store.plan import SCHEMA, read_plan, step_document
from diagnose.surface import Surface

SECRET = "opaque-s3cret-value"
RENDER = {
    "name": "render",
    "description": f"Images, image/png; key {SECRET}",
    "inputSchema": {"type": "object", "properties": {"width": {"type": "number", "maximum": 600.0}}},
}
UPLOAD = {"name": "upload", "inputSchema": {"type": "object"}}


def pins() -> tuple[PlanPin, ...]:
    surface = Surface.of([RENDER, UPLOAD])
    relies_on = relying(
        RENDER,
        arguments=["width"],
        media_types=["image/png"],
        limits=["/inputSchema/properties/width/maximum"],
    )
    one = PlanPin.of(surface, "render", step="1", relies_on=relies_on)
    two = PlanPin.of(surface, "upload", step="2", relies_on=relying(UPLOAD, steps=["1"]))
    return one, two.start(surface)


def document(redactor: Redactor | None = None) -> dict[str, Any]:
    steps = [step_document(pin, redactor or Redactor()) for pin in pins()]
    return {"schema": SCHEMA, "target": {"id": "t"}, "steps": steps}


def read(value: Any) -> tuple[PlanPin, ...]:
    return read_plan(json.dumps(value), "plan.json").steps


def test_what_was_written_is_read() -> None:
    assert read(document()) == pins()
    assert read_plan(json.dumps(document()), "plan.json").target == "t"
    assert read_plan(json.dumps({**document(), "target": 5, "more": 1}), "plan.json").target is None


def test_a_definition_with_a_credential_is_known_by_its_digest() -> None:
    redactor = Redactor()
    redactor.learn(Secret(SECRET))
    value = document(redactor)
    assert SECRET not in json.dumps(value)
    one, _ = read(value)
    assert (one.digest, one.tool.redacted) == (pins()[0].digest, True)
    assert one.check(Surface.of([RENDER, UPLOAD])).outcome == "unchanged"
    assert read({**value, "steps": [step_document(one, redactor)]}) == (one,)


def broken(path: str, value: Any) -> dict[str, Any]:
    whole = document()
    *way, last = path.split("/")
    place: Any = whole
    for token in way:
        place = place[int(token) if token.isdecimal() else token]
    place[int(last) if last.isdecimal() else last] = value
    return whole


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "expected a document"),
        ({"schema": "diagnose.lock/1"}, "expected a document"),
        ({"schema": SCHEMA}, "`steps`"),
        ({"schema": SCHEMA, "steps": []}, "no steps"),
        ({"schema": SCHEMA, "steps": [5]}, "`steps`"),
        ({"schema": SCHEMA, "steps": [{}]}, "`tool`"),
        (broken("steps/0/definition/description", "other"), "altered"),
        (broken("steps/0/digest", "0" * 64), "altered"),
        (broken("steps/0/tool", "upload"), "altered"),
        (broken("steps/0/state", "done"), "`state`"),
        (broken("steps/0/revision", 5), "`revision`"),
        (broken("steps/0/reliesOn", None), "`reliesOn`"),
        (broken("steps/0/reliesOn/arguments", [5]), "`arguments`"),
        (broken("steps/0/reliesOn/limits/0/value", True), "`value`"),
        (broken("steps/0/reliesOn/limits/0/path", None), "`path`"),
        (broken("steps/0/reliesOn/mediaTypes", "image/png"), "`mediaTypes`"),
        (broken("steps/1/reliesOn/steps", ["3"]), "none of the others"),
        (broken("steps/1/reliesOn/steps", ["2"]), "none of the others"),
        (broken("steps/1/step", "1"), "one name"),
    ],
)
def test_what_is_no_plan_is_told_in_one_sentence(value: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read(value)
    assert "plan.json" in str(caught.value)


def test_what_is_no_json_is_told_too() -> None:
    with pytest.raises(InputError, match=r"plan\.json is no plan"):
        read_plan(b"{", "plan.json")
