"""Definitions that only some clients take: named where the client was measured to drop them, and not where it keeps them."""

from __future__ import annotations

import pytest

from diagnose.evidence.bundle_form import bundle_of
from diagnose.judge import diagnose
from diagnose.judge.views.quirks import kind_of_fault, measured, quirk_of

GOOD = {"name": "pick_apples", "inputSchema": {"type": "object"}}
BOOLEAN = {"name": "b", "inputSchema": {"type": "object", "properties": {"row": True}}}
ITEMS = {"name": "b", "inputSchema": {"type": "object", "properties": {"r": {"type": "array", "items": [{}]}}}}
BARE = {"name": "b"}


def verdict(client, *live, held):
    layers = {
        "origin": {"inline": {"tools": list(live), "at": "2026-11-30T12:00:00.000Z"}},
        "registry": {"inline": {"tools": held, "at": "2026-11-30T12:00:05.000Z", "session": "running"}},
    }
    document = {
        "schema": "diagnose.bundle/1",
        "createdAt": "2026-11-30T12:01:00.000Z",
        "target": {"transport": "http", "endpoint": "https://orchard.test/mcp"},
        "client": {"id": client, "serverKey": "orchard"},
        "layers": layers,
    }
    return diagnose(bundle_of(document))


def test_a_client_that_was_measured_to_drop_all_for_it_is_named_with_the_pointer():
    found = verdict("gemini-cli", GOOD, BOOLEAN, held=[])
    assert (found.verdict.layer, found.verdict.cause) == ("registry", "schema-rejects-all")
    said = next(each for each in found.findings if each.rule == "schema-rejects-all")
    assert said.args["pointer"] == "/inputSchema/properties/row"
    assert "0.61.0 was measured to drop every tool for it" in said.message


def test_a_client_that_was_measured_to_keep_it_is_not_blamed_on_it():
    assert measured("codex", "boolean-property")[0] == "none"
    assert verdict("codex", GOOD, BOOLEAN, held=[]).verdict.cause != "schema-rejects-all"


def test_what_is_wrong_by_the_protocol_is_told_with_what_the_client_does_about_it():
    found = verdict("codex", GOOD, BARE, held=[])
    said = next(each for each in found.findings if each.rule == "schema-rejects-all")
    assert (found.verdict.cause, found.verdict.confidence) == ("schema-rejects-all", "proven")
    assert "0.171.0 was measured to drop every tool for it" in said.message


def test_one_tool_that_is_missing_is_the_odd_one():
    assert verdict("hoe", GOOD, BOOLEAN, held=[GOOD]).verdict.cause == "schema-rejects-one"


@pytest.mark.parametrize(
    ("entry", "kind", "where"),
    [
        (BOOLEAN, "boolean-property", "/inputSchema/properties/row"),
        (ITEMS, "items-list", "/inputSchema/properties/r/items"),
        ({"inputSchema": {"type": "object", "oneOf": []}}, "root-any-of", "/inputSchema/oneOf"),
    ],
)
def test_what_is_odd_is_named_with_its_place(entry, kind, where):
    assert quirk_of(entry)[:2] == (kind, where)


@pytest.mark.parametrize("entry", [GOOD, BARE, None, {"inputSchema": True}, {"inputSchema": {"properties": []}}])
def test_what_is_plain_or_wrong_is_not_odd(entry):
    assert quirk_of(entry) is None


@pytest.mark.parametrize(
    ("entry", "where", "kind"),
    [
        (BARE, "/inputSchema", "no-schema"),
        ({"inputSchema": False}, "/inputSchema", "boolean-schema"),
        ({"inputSchema": {"type": "array"}}, "/inputSchema/type", "array-schema"),
        ({"inputSchema": {}}, "/inputSchema/properties/a/$ref", "dangling-ref"),
        ({"description": 7}, "/description", "description-number"),
        ({"inputSchema": []}, "/inputSchema", None),
        ({}, "/name", None),
    ],
)
def test_a_fault_has_the_kind_that_the_bench_tries(entry, where, kind):
    assert kind_of_fault(entry, where) == kind
