"""What several documents have in common, as JSON Schema (draft 2020-12)."""

from __future__ import annotations

from typing import Any, TypeAlias, get_args

from diagnose.evidence.observation import Era, Health
from diagnose.surface import IMPACTS
from diagnose.surface.change import Relation

Schema: TypeAlias = "dict[str, Any]"

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
BOOL: Schema = {"type": "boolean"}
SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
MOMENT: Schema = {
    "type": "string",
    "description": "ISO 8601, UTC, milliseconds.",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
}
#: Whatever a server sent in this place.
RECEIVED: Schema = {"description": "As received; of any type."}


def record(_optional: dict[str, Schema] | None = None, **required: Schema) -> Schema:
    """Return an object of these keys; `_optional` are those that may be left out."""
    return {"type": "object", "properties": {**required, **(_optional or {})}, "required": list(required)}


def rows(items: Schema) -> Schema:
    """Return a list of such items."""
    return {"type": "array", "items": items}


def nullable(schema: Schema) -> Schema:
    """Return the schema of a value that may also be null: unknown, or not said."""
    return {"anyOf": [schema, {"type": "null"}]}


def words(of: Any) -> Schema:
    """Return the schema of a text that is one of several: those of a `Literal`, or of a list."""
    return {"enum": list(get_args(of) or of)}


def document(name: str, keys: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of a whole document: `schema` comes first, and says the name."""
    return record(optional, schema={"const": f"diagnose.{name}"}, **keys)


def described(schema: Schema, text: str) -> Schema:
    """Return the schema with a sentence on what it means."""
    return {**schema, "description": text}


STAMP = record(name={"const": "diagnose"}, version=TEXT)
TARGET = record(id=TEXT, transport=words(("http", "stdio")), endpoint=TEXT)
ERA = words(Era)
HEALTH = words(Health)
RELATION = words(Relation)
IMPACT = described(words(IMPACTS), "What a change does to a caller who still holds the old definition.")
ADVERTISED = record(initialize=RECEIVED, list=RECEIVED, count=RECEIVED)

#: A moment of a recording; null where there was none.
AT = nullable(record(frame=described(COUNT, "A line of the recording, its header being 1."), t={"type": "number"}))

DETAIL = record(
    {"from": described(RECEIVED, "Left out where there was nothing."), "to": RECEIVED},
    path=described(TEXT, "JSON Pointer into the definition."),
    impact=IMPACT,
)
CHANGE = record(
    tool=described(nullable(TEXT), "Null for the server's instructions or capabilities."),
    was=described(nullable(TEXT), "The old name of a renamed tool."),
    kind=words(("added", "removed", "changed", "renamed")),
    confidence=words(("proven", "possible")),
    impact=IMPACT,
    details=rows(DETAIL),
)
