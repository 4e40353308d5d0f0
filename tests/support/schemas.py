"""The published schemas, held strictly: a key that a schema does not name is an error in a test."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from diagnose.report.schemas import schema_of

#: Here a schema only says more about an object whose keys stand beside it.
_BESIDE = {"if", "then", "else"}


def closed(schema):
    """Return the schema with every object that it describes closed."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {key: value if key in _BESIDE else closed(value) for key, value in schema.items()}
    if "properties" in schema and "type" in schema:
        shut.setdefault("additionalProperties", False)
    return shut


def validated(text):
    """Read a document, hold it to the schema that it names, and return it."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    document = json.loads(text, parse_constant=refuse)
    assert next(iter(document)) == "schema"
    Draft202012Validator(closed(schema_of(document["schema"]))).validate(document)
    return document
