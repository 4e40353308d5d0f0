"""Which schemas are none, and where: one table, by keyword and by reference."""

from typing import Any

import pytest

from diagnose.judge.definition import faults_of_entry
from diagnose.judge.schema import dialect_of, faults_of_schema

SEVEN = "http://json-schema.org/draft-07/schema#"
FOUR = "http://json-schema.org/draft-04/schema#"

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"type": "int"}, "/type"),
    ({"type": []}, "/type"),
    ({"type": ["string", "string"]}, "/type"),
    ({"type": ["string", "text"]}, "/type/1"),
    ({"type": {"a": 1}}, "/type"),
    ({"properties": []}, "/properties"),
    ({"properties": {"a": "string"}}, "/properties/a"),
    ({"properties": {"a/b": {"type": 7}}}, "/properties/a~1b/type"),
    ({"properties": {"a": {"type": "object", "properties": {"b": None}}}}, "/properties/a/properties/b"),
    ({"required": "a"}, "/required"),
    ({"required": ["a", "a"]}, "/required"),
    ({"required": ["a", 1]}, "/required"),
    ({"enum": "a"}, "/enum"),
    ({"anyOf": []}, "/anyOf"),
    ({"anyOf": {"type": "string"}}, "/anyOf"),
    ({"oneOf": [{"type": "string"}, "number"]}, "/oneOf/1"),
    ({"items": "string"}, "/items"),
    ({"not": []}, "/not"),
    ({"additionalProperties": "no"}, "/additionalProperties"),
    ({"minimum": "0"}, "/minimum"),
    ({"maximum": True}, "/maximum"),
    ({"exclusiveMinimum": True}, "/exclusiveMinimum"),
    ({"minLength": -1}, "/minLength"),
    ({"maxItems": 1.5}, "/maxItems"),
    ({"multipleOf": 0}, "/multipleOf"),
    ({"pattern": 1}, "/pattern"),
    ({"format": ["date"]}, "/format"),
    ({"description": 5}, "/description"),
    ({"uniqueItems": "yes"}, "/uniqueItems"),
    ({"$defs": []}, "/$defs"),
    ({"$ref": 1}, "/$ref"),
    ({"$ref": "#/$defs/Row"}, "/$ref"),
    ({"$ref": "#row"}, "/$ref"),
    ({"x-rows": "text", "$ref": "#/x-rows"}, "/$ref"),
    ({"$defs": {"A": {"$id": "https://o.test/a", "$ref": "#/$defs/B"}, "B": {}}}, "/$defs/A/$ref"),
    ({"$schema": SEVEN, "items": [{"type": "int"}]}, "/items/0/type"),
    ({"$schema": SEVEN, "dependencies": {"a": "b"}}, "/dependencies/a"),
    ({"$schema": FOUR, "exclusiveMinimum": 0}, "/exclusiveMinimum"),
    ({"$schema": "https://orchard.test/dialect", "$ref": "#/nowhere"}, "/$ref"),
]

RIGHT: list[dict[str, Any]] = [
    {},
    {"type": ["string", "null"]},
    {"properties": {"a": True, "type": {"type": "string"}, "required": {"type": "boolean"}}},
    {"enum": []},
    {"const": None},
    {"minLength": 2.0},
    {"default": {"type": "int"}, "examples": [{"properties": []}], "enum": [{"$ref": "#/nowhere"}]},
    {"$ref": "#"},
    {"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {}}},
    {"$ref": "#/definitions/A", "definitions": {"A": True}},
    {"$ref": "#/allOf/0", "allOf": [{"type": "string"}]},
    {"$ref": "#row", "$defs": {"A": {"$anchor": "row"}}},
    {"$dynamicRef": "#row", "$defs": {"A": {"$dynamicAnchor": "row"}}},
    {"$schema": SEVEN, "$ref": "#row", "definitions": {"A": {"$id": "#row"}}},
    {"$ref": "https://orchard.test/elsewhere.json"},
    {"$ref": "elsewhere.json#/x"},
    {"$schema": SEVEN, "items": [{"type": "string"}], "dependencies": {"a": ["b"], "c": {"type": "object"}}},
    {"$schema": FOUR, "minimum": 0, "exclusiveMinimum": True},
    {"$schema": "https://orchard.test/dialect", "type": "int"},
    {"x-unknown": [1], "unknown": {"type": "int"}},
]


@pytest.mark.parametrize(("schema", "pointer"), WRONG, ids=[str(row[0]) for row in WRONG])
def test_what_is_no_schema_is_told_with_its_place(schema, pointer):
    faults = list(faults_of_schema(schema))
    assert [fault.pointer for fault in faults if fault.fatal] == [pointer]


@pytest.mark.parametrize("schema", RIGHT, ids=map(str, RIGHT))
def test_what_is_a_schema_has_no_fault(schema):
    assert list(faults_of_schema(schema)) == []


def test_a_list_of_items_is_only_a_warning_where_2020_12_has_prefix_items():
    (fault,) = faults_of_schema({"items": [{"type": "string"}]})
    assert not fault.fatal


@pytest.mark.parametrize(
    ("declared", "dialect"),
    [
        (None, "2020-12"),
        ("https://json-schema.org/draft/2020-12/schema", "2020-12"),
        (SEVEN, "draft-07"),
        ("https://orchard.test/own", "unknown"),
    ],
)
def test_the_dialect_is_what_the_schema_declares(declared, dialect):
    assert dialect_of({} if declared is None else {"$schema": declared}) == dialect


GOOD = {"name": "ripen", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"name": 7}, "/name"),
        ({"name": ""}, "/name"),
        ({"description": None}, "/description"),
        ({"title": 5}, "/title"),
        ({"annotations": []}, "/annotations"),
        ({"annotations": {"readOnlyHint": "yes"}}, "/annotations/readOnlyHint"),
        ({"annotations": {"title": 5}}, "/annotations/title"),
        ({"icons": {}}, "/icons"),
        ({"_meta": "x"}, "/_meta"),
        ({"execution": "x"}, "/execution"),
        ({"inputSchema": True}, "/inputSchema"),
        ({"inputSchema": {"type": ["object", "null"]}}, "/inputSchema/type"),
        ({"inputSchema": {"anyOf": [{}]}}, "/inputSchema"),
        ({"outputSchema": True}, "/outputSchema"),
        ({"outputSchema": None}, "/outputSchema"),
        (
            {"outputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/R"}}}},
            "/outputSchema/properties/x/$ref",
        ),
    ],
)
def test_what_is_no_tool_is_told_with_its_place(changed, pointer):
    assert [fault.pointer for fault in faults_of_entry({**GOOD, **changed}, "2026-07-28")] == [pointer]


@pytest.mark.parametrize(("version", "faults"), [("2025-06-18", 1), ("2025-11-25", 1), ("2026-07-28", 0), (None, 0)])
def test_an_output_that_is_no_object_is_new_in_2026(version, faults):
    assert len(faults_of_entry({**GOOD, "outputSchema": {"type": "array"}}, version)) == faults


def test_a_parameter_that_cannot_be_mirrored_costs_the_tool_its_place_over_modern_http():
    flawed = {**GOOD, "inputSchema": {"type": "object", "properties": {"n": {"type": "number", "x-mcp-header": "N"}}}}
    assert faults_of_entry(flawed, "2026-07-28") == ()
    assert len(faults_of_entry(flawed, "2026-07-28", mirrored=True)) == 1


def test_a_flood_of_faults_is_cut():
    schema = {"type": "object", "properties": {str(number): {"type": "int"} for number in range(500)}}
    assert len(faults_of_entry({**GOOD, "inputSchema": schema}, None)) == 20
