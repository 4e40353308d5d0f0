"""Pairs of definitions with the right answer.

Most rules are told once, as a loose and a tight schema of the property `x` (or of the root): from there to there, back,
for an input and for an output makes four pairs with four answers. Rules on other fields of a tool have one row a pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
NULL = {"type": "null"}
LIST = {"type": "array"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`way` is narrow or widen for schemas, there or back for anything else."""

    rule: str
    direction: str
    way: str
    old: dict[str, Any]
    new: dict[str, Any]
    impact: str

    @property
    def id(self) -> str:
        return f"{self.rule}-{self.direction}-{self.way}"


#: Answers in the order: input narrowed, input widened, output narrowed, output widened.
STRICT = ("breaking", "compatible", "compatible", "breaking")
#: Narrowing cannot be decided; taking the keyword away can.
UNDECIDED = ("unclear", "compatible", "compatible", "unclear")
UNRELATED = ("breaking",) * 4
UNCLEAR = ("unclear",) * 4
SAME = ("cosmetic",) * 4
#: No difference at all to a reader of JSON.
NOTHING = ("nothing",) * 4
ROUTING = ("routing",) * 4
BEHAVIOUR = ("behaviour",) * 4
#: A named property that comes is an offer, one that goes is a broken promise.
NAMED = ("compatible", "breaking", "compatible", "breaking")


def o(required: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    """An object schema."""
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


def closed(required: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    """An object schema without further properties."""
    return o(required, **properties) | {"additionalProperties": False}


def tree(name: str, **properties: Any) -> dict[str, Any]:
    """A root whose `x` refers to itself."""
    node = o(child={"$ref": f"#/$defs/{name}"}, **properties)
    return o(x={"$ref": f"#/$defs/{name}"}) | {"$defs": {name: node}}


def draft7(schema: dict[str, Any]) -> dict[str, Any]:
    return o(x=schema) | {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"s": STRING}}


CAT = o(("kind",), kind={"const": "cat"}, lives=INTEGER)
DOG = o(("kind",), kind={"const": "dog"}, tail=STRING)
FISH = o(("kind",), kind={"const": "fish"})

#: (rule, loose, tight, answers), of the property x
OF_X: list[tuple[str, Any, Any, tuple[str, ...]]] = [
    # types and values
    ("type-given", {}, STRING, STRICT),
    ("type-null-dropped", {"type": ["string", "null"]}, STRING, STRICT),
    ("type-integer-in-number", NUMBER, INTEGER, STRICT),
    ("type-changed", STRING, INTEGER, UNRELATED),
    ("type-in-list", {"type": ["string"]}, STRING, SAME),
    ("type-order", {"type": ["string", "null"]}, {"type": ["null", "string"]}, SAME),
    ("type-array-or-one", {"type": ["string", "array"], "items": STRING}, {"type": "array", "items": STRING}, STRICT),
    ("true-or-empty", True, {}, SAME),
    ("true-or-false", True, False, STRICT),
    ("enum-value", {"enum": ["a", "b", "c"]}, {"enum": ["a", "b"]}, STRICT),
    ("enum-on-string", STRING, {"type": "string", "enum": ["a", "b"]}, STRICT),
    ("enum-alone-on-string", STRING, {"enum": ["a", "b"]}, STRICT),
    ("enum-order", {"enum": ["a", "b"]}, {"enum": ["b", "a"]}, SAME),
    ("enum-twice", {"enum": ["a", "b"]}, {"enum": ["a", "b", "a"]}, SAME),
    ("enum-of-type", {"enum": ["a", 1], "type": "string"}, {"enum": ["a"]}, SAME),
    ("enum-numbers-equal", {"enum": [1, 2]}, {"enum": [1.0, 2.0]}, NOTHING),
    ("enum-true-is-not-one", {"enum": [1]}, {"enum": [True]}, UNRELATED),
    ("enum-or-range", {"type": "integer", "minimum": 0}, {"enum": [0, 5]}, STRICT),
    ("enum-or-length", {"type": "string", "maxLength": 3}, {"enum": ["a", "abc"]}, STRICT),
    ("enum-all-booleans", {"type": "boolean"}, {"enum": [True, False]}, SAME),
    ("enum-one-boolean", {"type": "boolean"}, {"enum": [True]}, STRICT),
    ("enum-with-null", {"enum": ["a", None]}, {"enum": ["a"]}, STRICT),
    ("const-in-enum", {"enum": ["a", "b"]}, {"const": "a"}, STRICT),
    ("const-is-enum", {"enum": ["a"]}, {"const": "a"}, SAME),
    ("const-changed", {"const": "a"}, {"const": "b"}, UNRELATED),
    # numbers
    ("minimum-given", INTEGER, {"type": "integer", "minimum": 1}, STRICT),
    ("minimum-raised", {"type": "number", "minimum": 1}, {"type": "number", "minimum": 2.5}, STRICT),
    ("maximum-given", NUMBER, {"type": "number", "maximum": 9}, STRICT),
    ("maximum-lowered", {"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 8}, STRICT),
    ("exclusive-minimum", {"type": "number", "minimum": 0}, {"type": "number", "exclusiveMinimum": 0}, STRICT),
    ("exclusive-maximum", {"type": "number", "maximum": 0}, {"type": "number", "exclusiveMaximum": 0}, STRICT),
    ("bound-of-integers", {"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}, SAME),
    ("bound-of-integers-above", {"type": "integer", "exclusiveMaximum": 5}, {"type": "integer", "maximum": 4.5}, SAME),
    (
        "bound-crossed",
        {"type": "integer", "minimum": 1, "maximum": 5},
        {"type": "integer", "minimum": 2, "maximum": 6},
        UNRELATED,
    ),
    ("bound-of-no-number", STRING, {"type": "string", "minimum": 3}, SAME),
    ("multiple-given", INTEGER, {"type": "integer", "multipleOf": 2}, STRICT),
    ("multiple-coarser", {"type": "number", "multipleOf": 0.1}, {"type": "number", "multipleOf": 0.3}, STRICT),
    ("multiple-unrelated", {"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}, UNRELATED),
    ("multiple-of-one", {"type": "number", "multipleOf": 1}, INTEGER, SAME),
    # strings
    ("min-length", STRING, {"type": "string", "minLength": 1}, STRICT),
    ("min-length-raised", {"type": "string", "minLength": 1}, {"type": "string", "minLength": 2}, STRICT),
    ("min-length-zero", STRING, {"type": "string", "minLength": 0}, SAME),
    ("max-length", STRING, {"type": "string", "maxLength": 99}, STRICT),
    ("max-length-lowered", {"type": "string", "maxLength": 99}, {"type": "string", "maxLength": 9.0}, STRICT),
    ("pattern-given", STRING, {"type": "string", "pattern": "^a"}, STRICT),
    ("pattern-against-pattern", {"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^ab"}, UNCLEAR),
    ("pattern-of-anything", STRING, {"type": "string", "pattern": ".*"}, SAME),
    ("pattern-of-no-string", INTEGER, {"type": "integer", "pattern": "^a"}, SAME),
    ("format-given", STRING, {"type": "string", "format": "date"}, UNDECIDED),
    ("format-changed", {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}, UNCLEAR),
    ("content-encoding", STRING, {"type": "string", "contentEncoding": "base64"}, UNCLEAR),
    ("content-media-type", STRING, {"type": "string", "contentMediaType": "text/csv"}, UNCLEAR),
    (
        "content-schema",
        {"type": "string", "contentMediaType": "application/json", "contentSchema": {}},
        {"type": "string", "contentMediaType": "application/json", "contentSchema": STRING},
        UNCLEAR,
    ),
    ("nullable", {"type": "string", "nullable": True}, STRING, UNDECIDED),
    ("nullable-not", STRING, {"type": "string", "nullable": False}, SAME),
    # arrays
    ("items-given", LIST, {"type": "array", "items": STRING}, STRICT),
    ("items-narrowed", {"type": "array", "items": NUMBER}, {"type": "array", "items": INTEGER}, STRICT),
    ("items-none", LIST, {"type": "array", "items": False}, STRICT),
    ("items-none-or-zero", {"type": "array", "maxItems": 0}, {"type": "array", "items": False}, SAME),
    ("min-items", LIST, {"type": "array", "minItems": 1}, STRICT),
    ("max-items", LIST, {"type": "array", "maxItems": 5}, STRICT),
    ("max-items-lowered", {"type": "array", "maxItems": 5}, {"type": "array", "maxItems": 4}, STRICT),
    ("unique-items", LIST, {"type": "array", "uniqueItems": True}, STRICT),
    ("unique-items-not", LIST, {"type": "array", "uniqueItems": False}, SAME),
    (
        "prefix-narrowed",
        {"type": "array", "prefixItems": [NUMBER]},
        {"type": "array", "prefixItems": [INTEGER]},
        STRICT,
    ),
    (
        "prefix-longer",
        {"type": "array", "prefixItems": [NUMBER]},
        {"type": "array", "prefixItems": [NUMBER, STRING]},
        STRICT,
    ),
    (
        "prefix-order",
        {"type": "array", "prefixItems": [STRING, NUMBER]},
        {"type": "array", "prefixItems": [NUMBER, STRING]},
        UNRELATED,
    ),
    (
        "prefix-closed",
        {"type": "array", "prefixItems": [NUMBER]},
        {"type": "array", "prefixItems": [NUMBER], "items": False},
        STRICT,
    ),
    (
        "items-array-of-draft-7",
        {"type": "array", "items": [NUMBER]},
        {"type": "array", "items": [NUMBER], "additionalItems": False},
        STRICT,
    ),
    ("items-array-is-prefix", {"type": "array", "items": [NUMBER]}, {"type": "array", "prefixItems": [NUMBER]}, SAME),
    ("contains-given", LIST, {"type": "array", "contains": STRING}, STRICT),
    (
        "contains-given-to-longer",
        {"type": "array", "minItems": 1},
        {"type": "array", "minItems": 1, "contains": STRING},
        UNDECIDED,
    ),
    ("contains-given-for-none", LIST, {"type": "array", "contains": STRING, "minContains": 0}, SAME),
    ("contains-changed", {"type": "array", "contains": NUMBER}, {"type": "array", "contains": STRING}, UNCLEAR),
    (
        "contains-more",
        {"type": "array", "contains": STRING},
        {"type": "array", "contains": STRING, "minContains": 2},
        STRICT,
    ),
    (
        "contains-not-too-many",
        {"type": "array", "contains": STRING},
        {"type": "array", "contains": STRING, "maxContains": 2},
        STRICT,
    ),
    (
        "unevaluated-items",
        {"type": "array", "prefixItems": [NUMBER]},
        {"type": "array", "prefixItems": [NUMBER], "unevaluatedItems": False},
        STRICT,
    ),
    (
        "unevaluated-items-hidden",
        {"type": "array", "anyOf": [{"prefixItems": [NUMBER]}, {"minItems": 3}]},
        {"type": "array", "anyOf": [{"prefixItems": [NUMBER]}, {"minItems": 3}], "unevaluatedItems": False},
        UNDECIDED,
    ),
    # objects
    ("property-named", o(a=STRING), o(a=STRING, b=STRING), NAMED),
    ("property-named-without-type", o(a=STRING), o(a=STRING, b={}), NAMED),
    ("property-only", {"type": "object"}, o(b=STRING), NAMED),
    ("property-renamed", o(a=STRING), o(b=STRING), UNRELATED),
    (
        "property-in-closed",
        closed(a=STRING),
        closed(a=STRING, b=STRING),
        ("compatible", "breaking", "breaking", "breaking"),
    ),
    ("property-forbidden", o(a=STRING), o(a=STRING, b=False), ("compatible", "compatible", "compatible", "breaking")),
    ("property-closed-to", o(a=STRING), o(a=False), STRICT),
    ("property-deep", o(a=o(b=STRING)), o(a=o(b=STRING, c=STRING)), NAMED),
    ("property-deep-narrowed", o(a=o(b=NUMBER)), o(a=o(b=INTEGER)), STRICT),
    (
        "property-named-like-a-keyword",
        o(required=NUMBER, properties=STRING),
        o(required=INTEGER, properties=STRING),
        STRICT,
    ),
    ("property-with-slash", o(**{"a/b~c": NUMBER}), o(**{"a/b~c": INTEGER}), STRICT),
    ("required-given", o(a=STRING), o(("a",), a=STRING), STRICT),
    ("required-more", o(("a",), a=STRING, b=STRING), o(("a", "b"), a=STRING, b=STRING), STRICT),
    (
        "required-new-property",
        o(a=STRING),
        o(("b",), a=STRING, b=STRING),
        ("breaking",) * 2 + ("compatible", "breaking"),
    ),
    ("required-order", o(("a", "b"), a=STRING, b=STRING), o(("b", "a"), a=STRING, b=STRING), SAME),
    ("required-none", o(a=STRING), o(a=STRING) | {"required": []}, SAME),
    ("additional-closed", o(a=STRING), closed(a=STRING), STRICT),
    ("additional-open-is-default", o(a=STRING), o(a=STRING) | {"additionalProperties": True}, SAME),
    ("additional-given", o(a=STRING), o(a=STRING) | {"additionalProperties": STRING}, STRICT),
    (
        "additional-narrowed",
        {"type": "object", "additionalProperties": NUMBER},
        {"type": "object", "additionalProperties": INTEGER},
        STRICT,
    ),
    (
        "additional-then-named-otherwise",
        {"type": "object", "additionalProperties": STRING},
        {"type": "object", "additionalProperties": STRING, "properties": {"a": INTEGER}},
        ("breaking",) * 4,
    ),
    ("properties-none", {"type": "object"}, {"type": "object", "properties": {}}, SAME),
    ("min-properties", o(a=STRING), o(a=STRING) | {"minProperties": 1}, STRICT),
    ("min-properties-implied", o(("a",), a=STRING), o(("a",), a=STRING) | {"minProperties": 1}, SAME),
    ("max-properties", o(a=STRING), o(a=STRING) | {"maxProperties": 1}, STRICT),
    ("max-properties-implied", closed(a=STRING), closed(a=STRING) | {"maxProperties": 1}, SAME),
    ("property-names", {"type": "object"}, {"type": "object", "propertyNames": {"maxLength": 3}}, STRICT),
    (
        "property-names-pattern",
        {"type": "object", "propertyNames": {"pattern": "^a"}},
        {"type": "object", "propertyNames": {"pattern": "^b"}},
        UNCLEAR,
    ),
    ("property-names-implied", closed(a=STRING), closed(a=STRING) | {"propertyNames": {"maxLength": 3}}, SAME),
    (
        "pattern-properties-given",
        {"type": "object"},
        {"type": "object", "patternProperties": {"^a": STRING}},
        UNDECIDED,
    ),
    (
        "pattern-properties-narrowed",
        {"type": "object", "patternProperties": {"^a": NUMBER}},
        {"type": "object", "patternProperties": {"^a": INTEGER}},
        STRICT,
    ),
    (
        "pattern-properties-changed",
        {"type": "object", "patternProperties": {"^a": STRING}},
        {"type": "object", "patternProperties": {"^b": STRING}},
        UNCLEAR,
    ),
    ("dependent-required", o(a=STRING, b=STRING), o(a=STRING, b=STRING) | {"dependentRequired": {"a": ["b"]}}, STRICT),
    (
        "dependent-schemas",
        o(a=STRING, b=STRING),
        o(a=STRING, b=STRING) | {"dependentSchemas": {"a": {"required": ["b"]}}},
        UNDECIDED,
    ),
    (
        "dependencies-of-draft-7",
        o(a=STRING, b=STRING) | {"dependencies": {"a": ["b"]}},
        o(a=STRING, b=STRING) | {"dependentRequired": {"a": ["b"]}},
        SAME,
    ),
    ("unevaluated-properties", o(a=STRING), o(a=STRING) | {"unevaluatedProperties": False}, STRICT),
    (
        "unevaluated-properties-see-all-of",
        {"allOf": [o(a=STRING)]} | o(b=STRING),
        {"allOf": [o(a=STRING)]} | o(b=STRING) | {"unevaluatedProperties": False},
        STRICT,
    ),
    (
        "unevaluated-properties-hidden",
        {"type": "object", "anyOf": [o(a=STRING), o(b=STRING)]},
        {"type": "object", "anyOf": [o(a=STRING), o(b=STRING)], "unevaluatedProperties": False},
        UNDECIDED,
    ),
    # alternatives
    ("any-of-is-a-type-list", {"anyOf": [STRING, NULL]}, {"type": ["string", "null"]}, SAME),
    ("any-of-null-dropped", {"anyOf": [STRING, NULL]}, STRING, STRICT),
    ("any-of-branch", {"anyOf": [STRING, INTEGER, NULL]}, {"anyOf": [STRING, NULL]}, STRICT),
    ("any-of-order", {"anyOf": [STRING, NULL]}, {"anyOf": [NULL, STRING]}, SAME),
    (
        "any-of-branch-narrowed",
        {"anyOf": [STRING, NULL]},
        {"anyOf": [{"type": "string", "maxLength": 9}, NULL]},
        STRICT,
    ),
    ("any-of-one", {"anyOf": [STRING]}, STRING, SAME),
    ("any-of-consts", {"anyOf": [{"const": "a"}, {"const": "b"}]}, {"enum": ["a", "b"]}, SAME),
    ("any-of-objects", {"anyOf": [CAT, DOG, FISH]}, {"anyOf": [CAT, DOG]}, STRICT),
    (
        "any-of-required",
        o(a=STRING, b=STRING),
        o(a=STRING, b=STRING) | {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        STRICT,
    ),
    ("any-of-is-one-of-where-disjoint", {"anyOf": [STRING, NULL]}, {"oneOf": [STRING, NULL]}, SAME),
    ("one-of-branch", {"oneOf": [STRING, INTEGER, NULL]}, {"oneOf": [STRING, INTEGER]}, STRICT),
    ("one-of-tagged", {"oneOf": [CAT, DOG, FISH]}, {"oneOf": [CAT, DOG]}, STRICT),
    (
        "one-of-tagged-narrowed",
        {"oneOf": [CAT, DOG]},
        {"oneOf": [CAT, o(("kind", "tail"), kind={"const": "dog"}, tail=STRING)]},
        STRICT,
    ),
    (
        "one-of-consts",
        {"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}, {"const": "c"}]},
        {"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]},
        STRICT,
    ),
    (
        "one-of-overlapping",
        {"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "b$"}]},
        {"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "c$"}]},
        UNCLEAR,
    ),
    (
        "one-of-split-by-kind",
        o(("kind",), kind={"enum": ["cat", "dog"]}),
        {"oneOf": [o(("kind",), kind={"const": "cat"}), o(("kind",), kind={"const": "dog"})]},
        SAME,
    ),
    ("all-of-part", {"allOf": [STRING]}, {"allOf": [STRING, {"maxLength": 9}]}, STRICT),
    ("all-of-one", {"allOf": [STRING]}, STRING, SAME),
    ("all-of-flat", {"allOf": [STRING, {"maxLength": 9}]}, {"type": "string", "maxLength": 9}, SAME),
    ("all-of-properties", {"allOf": [o(a=NUMBER), o(("b",), b=STRING)]}, o(("b",), a=INTEGER, b=STRING), STRICT),
    ("not-given", STRING, {"type": "string", "not": {"const": "a"}}, UNDECIDED),
    ("not-changed", {"not": {"const": "a"}}, {"not": {"const": "b"}}, UNCLEAR),
    (
        "condition-given",
        o(a=STRING),
        o(a=STRING) | {"if": {"required": ["a"]}, "then": {"minProperties": 2}},
        UNDECIDED,
    ),
    (
        "condition-changed",
        o(a=STRING) | {"if": {"required": ["a"]}, "then": {"minProperties": 2}},
        o(a=STRING) | {"if": {"required": ["a"]}, "else": {"minProperties": 2}},
        UNCLEAR,
    ),
    ("condition-without-consequence", o(a=STRING), o(a=STRING) | {"if": {"required": ["a"]}}, SAME),
    ("malformed-type", {"type": "int"}, INTEGER, UNCLEAR),
    ("malformed-required", o(a=STRING), o(a={"type": "string", "required": True}), UNCLEAR),
    # what is said beside the assertions
    ("description", STRING, {"type": "string", "description": "a colour"}, ROUTING),
    ("description-changed", {"description": "one"}, {"description": "another"}, ROUTING),
    ("title", STRING, {"type": "string", "title": "Colour"}, ROUTING),
    ("examples", STRING, {"type": "string", "examples": ["red"]}, ROUTING),
    ("deprecated", STRING, {"type": "string", "deprecated": True}, ROUTING),
    (
        "words-that-say-nothing",
        STRING,
        {"type": "string", "description": "", "deprecated": False, "examples": []},
        SAME,
    ),
    ("default-null", STRING, {"type": "string", "default": None}, BEHAVIOUR),
    ("write-only", STRING, {"type": "string", "writeOnly": True}, BEHAVIOUR),
    ("markdown-description", STRING, {"type": "string", "markdownDescription": "*a*"}, ROUTING),
    ("default", STRING, {"type": "string", "default": "red"}, BEHAVIOUR),
    ("default-changed", {"type": "string", "default": "red"}, {"type": "string", "default": "blue"}, BEHAVIOUR),
    ("read-only", STRING, {"type": "string", "readOnly": True}, BEHAVIOUR),
    ("comment", STRING, {"type": "string", "$comment": "later"}, SAME),
    ("unknown-keyword", STRING, {"type": "string", "x-order": 3}, SAME),
    ("key-order", {"type": "string", "minLength": 1}, {"minLength": 1, "type": "string"}, NOTHING),
    (
        "description-in-condition",
        {"if": {"type": "string"}, "then": {"minLength": 1}},
        {"if": {"type": "string"}, "then": {"minLength": 1, "description": "a"}},
        ROUTING,
    ),
    (
        "description-beside-a-new-branch",
        {"anyOf": [STRING | {"description": "a"}, NULL]},
        {"anyOf": [STRING | {"description": "b"}, NULL, INTEGER]},
        ("routing", "breaking", "breaking", "routing"),
    ),
    (
        "description-in-moved-branch",
        {"anyOf": [{"type": "string", "description": "a"}, NULL]},
        {"type": ["string", "null"]},
        ROUTING,
    ),
    ("property-called-description", o(description=NUMBER), o(description=INTEGER), STRICT),
    (
        "header",
        STRING,
        {"type": "string", "x-mcp-header": "Region"},
        ("breaking", "compatible", "cosmetic", "cosmetic"),
    ),
    (
        "header-renamed",
        {"type": "string", "x-mcp-header": "Region"},
        {"type": "string", "x-mcp-header": "Zone"},
        ("breaking", "breaking", "cosmetic", "cosmetic"),
    ),
    ("header-case", {"type": "string", "x-mcp-header": "Region"}, {"type": "string", "x-mcp-header": "region"}, SAME),
]

#: The same, of a whole schema.
OF_ROOT: list[tuple[str, Any, Any, tuple[str, ...]]] = [
    ("root-type", {}, {"type": "object"}, ("cosmetic", "cosmetic", "compatible", "breaking")),
    ("root-empty-closed", {"type": "object"}, {"type": "object", "additionalProperties": False}, STRICT),
    (
        "dialect-spelling",
        {"type": "object"},
        {"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"},
        SAME,
    ),
    ("dialect", {"type": "object"}, {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}, UNCLEAR),
    (
        "reference-narrowed",
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": NUMBER}},
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": INTEGER}},
        STRICT,
    ),
    ("reference-inlined", o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING}}, o(x=STRING), SAME),
    (
        "reference-inlined-twice",
        o(x={"$ref": "#/$defs/n"}, y={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING | {"title": "N"}}},
        o(x=STRING | {"title": "N"}, y=STRING | {"title": "N"}),
        SAME,
    ),
    (
        "reference-renamed",
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING}},
        o(x={"$ref": "#/$defs/m"}) | {"$defs": {"m": STRING}},
        SAME,
    ),
    (
        "reference-definitions",
        o(x={"$ref": "#/definitions/n"}) | {"definitions": {"n": STRING}},
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING}},
        SAME,
    ),
    (
        "reference-by-anchor",
        o(x={"$ref": "#n"}) | {"$defs": {"n": STRING | {"$anchor": "n"}}},
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING}},
        SAME,
    ),
    (
        "reference-by-dynamic-anchor",
        o(x={"$dynamicRef": "#n"}) | {"$defs": {"n": NUMBER | {"$dynamicAnchor": "n"}}},
        o(x={"$dynamicRef": "#n"}) | {"$defs": {"n": INTEGER | {"$dynamicAnchor": "n"}}},
        STRICT,
    ),
    (
        "reference-by-own-id",
        o(x={"$ref": "https://a.example/s#/$defs/n"}) | {"$id": "https://a.example/s", "$defs": {"n": NUMBER}},
        o(x={"$ref": "https://a.example/s#/$defs/n"}) | {"$id": "https://a.example/s", "$defs": {"n": INTEGER}},
        STRICT,
    ),
    (
        "reference-with-sibling",
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING}},
        o(x={"$ref": "#/$defs/n", "maxLength": 9}) | {"$defs": {"n": STRING}},
        STRICT,
    ),
    (
        "reference-with-sibling-in-draft-7",
        draft7({"$ref": "#/definitions/s"}),
        draft7({"$ref": "#/definitions/s", "maxLength": 9}),
        SAME,
    ),
    (
        "reference-escaped",
        o(x={"$ref": "#/$defs/a~1b%25"}) | {"$defs": {"a/b%": NUMBER}},
        o(x={"$ref": "#/$defs/a~1b%25"}) | {"$defs": {"a/b%": INTEGER}},
        STRICT,
    ),
    ("reference-elsewhere", o(x={"$ref": "https://a.example/one"}), o(x={"$ref": "https://a.example/two"}), UNCLEAR),
    (
        "reference-nowhere",
        o(x={"$ref": "#/$defs/gone"}) | {"$defs": {}},
        o(x={"$ref": "#/$defs/gone"}) | {"$defs": {"gone": STRING}},
        ("unclear", "unclear", "unclear", "unclear"),
    ),
    (
        "reference-into-embedded",
        o(x={"$ref": "#/$defs/n"}, y={"$id": "y"}) | {"$defs": {"n": NUMBER}},
        o(x={"$ref": "#/$defs/m"}, y={"$id": "y"}) | {"$defs": {"m": INTEGER}},
        UNCLEAR,
    ),
    (
        "reference-to-embedded",
        o(x={"$ref": "urn:s"}) | {"$defs": {"n": {"$id": "urn:s", "type": "number"}}},
        o(x={"$ref": "urn:s"}) | {"$defs": {"n": {"$id": "urn:s", "type": "integer"}}},
        UNCLEAR,
    ),
    ("definition-unused", o(x=STRING) | {"$defs": {"n": NUMBER}}, o(x=STRING) | {"$defs": {"n": INTEGER}}, SAME),
    (
        "description-in-definition",
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING}},
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING | {"description": "a"}}},
        ROUTING,
    ),
    (
        "description-of-renamed-definition",
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": STRING}},
        o(x={"$ref": "#/$defs/m"}) | {"$defs": {"m": STRING | {"description": "a"}}},
        ROUTING,
    ),
    ("cycle-renamed", tree("n", value=STRING), tree("m", value=STRING), SAME),
    (
        "cycle-narrowed",
        tree("n", value={"type": ["string", "null"]}),
        tree("n", value=STRING),
        ("breaking", "unclear", "unclear", "breaking"),
    ),
    ("cycle-property", tree("n"), tree("n", value=STRING), ("unclear", "breaking", "unclear", "breaking")),
    ("cycle-described", tree("n", value=STRING), tree("n", value=STRING | {"description": "a"}), ROUTING),
    (
        "cycle-to-itself",
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": {"$ref": "#/$defs/n"}}},
        o(x={"$ref": "#/$defs/n"}) | {"$defs": {"n": {"$ref": "#/$defs/n", "type": "string"}}},
        STRICT,
    ),
]

TOOL = {"name": "pick", "inputSchema": {"type": "object"}}

#: (rule, there, back, fields of the old tool, fields of the new tool); a field that is None is left out.
OF_TOOL: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
    ("tool-name", "breaking", "breaking", {"name": "pick"}, {"name": "pluck"}),
    ("tool-description", "routing", "routing", {"description": "Pick."}, {"description": "Pick apples."}),
    ("tool-description-given", "routing", "routing", {}, {"description": "Pick."}),
    ("tool-description-null", "cosmetic", "cosmetic", {}, {"description": None}),
    ("tool-description-empty", "cosmetic", "cosmetic", {}, {"description": ""}),
    ("tool-title", "routing", "routing", {"title": "Pick"}, {"title": "Pluck"}),
    ("tool-icons", "cosmetic", "cosmetic", {}, {"icons": [{"src": "https://a.example/i.png"}]}),
    ("tool-meta", "cosmetic", "cosmetic", {"_meta": {"a": 1}}, {"_meta": {"a": 2}}),
    ("tool-unknown-field", "cosmetic", "cosmetic", {"category": "fruit"}, {"category": "tree"}),
    ("annotations-default-read-only", "cosmetic", "cosmetic", {}, {"annotations": {"readOnlyHint": False}}),
    (
        "annotations-default-destructive",
        "cosmetic",
        "cosmetic",
        {"annotations": {}},
        {"annotations": {"destructiveHint": True}},
    ),
    (
        "annotations-default-idempotent",
        "cosmetic",
        "cosmetic",
        {"annotations": {}},
        {"annotations": {"idempotentHint": False}},
    ),
    (
        "annotations-default-open-world",
        "cosmetic",
        "cosmetic",
        {"annotations": {}},
        {"annotations": {"openWorldHint": True}},
    ),
    ("annotations-none", "cosmetic", "cosmetic", {}, {"annotations": {}}),
    ("annotations-read-only", "behaviour", "behaviour", {}, {"annotations": {"readOnlyHint": True}}),
    ("annotations-destructive", "behaviour", "behaviour", {}, {"annotations": {"destructiveHint": False}}),
    (
        "annotations-idempotent",
        "behaviour",
        "behaviour",
        {"annotations": {}},
        {"annotations": {"idempotentHint": True}},
    ),
    (
        "annotations-open-world",
        "behaviour",
        "behaviour",
        {"annotations": {"openWorldHint": True}},
        {"annotations": {"openWorldHint": False}},
    ),
    (
        "annotations-destructive-of-read-only",
        "cosmetic",
        "cosmetic",
        {"annotations": {"readOnlyHint": True}},
        {"annotations": {"readOnlyHint": True, "destructiveHint": False}},
    ),
    (
        "annotations-open-world-of-read-only",
        "behaviour",
        "behaviour",
        {"annotations": {"readOnlyHint": True}},
        {"annotations": {"readOnlyHint": True, "openWorldHint": False}},
    ),
    ("annotations-title", "routing", "routing", {"annotations": {}}, {"annotations": {"title": "Pick"}}),
    ("annotations-unknown", "behaviour", "behaviour", {"annotations": {}}, {"annotations": {"audience": ["user"]}}),
    ("annotations-no-object", "behaviour", "behaviour", {}, {"annotations": "none"}),
    ("task-support-default", "cosmetic", "cosmetic", {}, {"execution": {"taskSupport": "forbidden"}}),
    ("task-support-offered", "compatible", "breaking", {}, {"execution": {"taskSupport": "optional"}}),
    ("task-support-required", "breaking", "breaking", {}, {"execution": {"taskSupport": "required"}}),
    ("task-support-unknown", "unclear", "unclear", {}, {"execution": {"taskSupport": "often"}}),
    ("execution-other", "behaviour", "behaviour", {}, {"execution": {"queue": "slow"}}),
    ("output-promised", "compatible", "breaking", {}, {"outputSchema": {"type": "object"}}),
    ("output-null", "cosmetic", "cosmetic", {}, {"outputSchema": None}),
    ("output-no-schema", "unclear", "unclear", {"outputSchema": {"type": "object"}}, {"outputSchema": []}),
    ("input-no-schema", "breaking", "unclear", {}, {"inputSchema": "object"}),
    ("input-missing", "unclear", "breaking", {"inputSchema": ...}, {}),
]


def _four(rule: str, loose: Any, tight: Any, answers: tuple[str, ...]) -> list[Pair]:
    ways = [("input", "narrow", loose, tight), ("input", "widen", tight, loose)]
    ways += [("output", way, old, new) for _, way, old, new in ways]
    rows = zip(ways, answers, strict=True)
    return [
        Pair(rule=rule, direction=where, way=way, old=_tool(where, old), new=_tool(where, new), impact=answer)
        for (where, way, old, new), answer in rows
    ]


def _tool(where: str, schema: Any) -> dict[str, Any]:
    return TOOL | {f"{where}Schema": schema}


def _two(rule: str, there: str, back: str, old: dict[str, Any], new: dict[str, Any]) -> list[Pair]:
    before, after = ({k: v for k, v in (TOOL | fields).items() if v is not ...} for fields in (old, new))
    return [
        Pair(rule=rule, direction="tool", way="there", old=before, new=after, impact=there),
        Pair(rule=rule, direction="tool", way="back", old=after, new=before, impact=back),
    ]


PAIRS: list[Pair] = [
    *(pair for rule, loose, tight, answers in OF_X for pair in _four(rule, o(x=loose), o(x=tight), answers)),
    *(pair for row in OF_ROOT for pair in _four(*row)),
    *(pair for row in OF_TOOL for pair in _two(*row)),
]
