"""Definitions that the protocol allows and some clients do not take: which, where, and what a client was measured to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from diagnose.clients import client
from diagnose.clients.measured import Row, rows_of
from diagnose.surface.walk import places, pointer

#: The kind of a word that stands at the root of an input schema.
AT_THE_ROOT = "root-any-of"

Drops: TypeAlias = Literal["all", "one", "none"]

#: What may stand beside `type: object` at the root of an input schema, and what some clients and providers refuse there.
_ROOT = ("anyOf", "oneOf", "allOf", "not", "if", "enum")


def quirk_of(entry: Any) -> tuple[str, str, str] | None:
    """Return the kind of the oddest thing about a definition, the pointer to it, and what it is; None for a plain one."""
    schema = entry.get("inputSchema") if isinstance(entry, Mapping) else None
    if not isinstance(schema, Mapping):
        return None
    properties = schema.get("properties")
    for name, value in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(value, bool):
            where = f"/inputSchema{pointer(('properties', name))}"
            return (
                "boolean-property",
                where,
                f"the schema of {name} is {str(value).lower()}, which is one and no object",
            )
    for tokens, value in places(schema):
        if tokens and tokens[-1] == "items" and isinstance(value, list):
            return "items-list", f"/inputSchema{pointer(tokens)}", "items is a list, as in drafts before 2020-12"
    root = next((word for word in _ROOT if word in schema), None)
    if root is None:
        return None
    return AT_THE_ROOT, f"/inputSchema/{root}", f"{root} stands at the root of its input schema"


def kind_of_fault(entry: Mapping[str, Any], where: str) -> str | None:
    """Return the kind of a fault by the protocol, as the bench tries it; None for one that it does not."""
    schema = entry.get("inputSchema")
    if where == "/description":
        return "description-number"
    if where in {"/inputSchema", "/inputSchema/type"}:
        by_type = {bool: "boolean-schema", dict: "array-schema"}
        return "no-schema" if "inputSchema" not in entry else by_type.get(type(schema))
    return "dangling-ref" if where.startswith("/inputSchema") and where.endswith("/$ref") else None


def measured(name: str | None, kind: str | None) -> tuple[Drops, Row] | None:
    """Return what a client was measured to drop for a definition of that kind, and the newest row that tells."""
    entry = client(name)
    for row in rows_of(entry.id) if entry is not None and kind is not None else ():
        result = row.result(f"schema-{kind}")
        if result is not None and result.answer != "not-shown":
            return result.drops or "none", row
    return None
