"""The rules, in the order in which they are asked: cheap and telling ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnose.surface.impact import arrays, objects, opaque, scalars

if TYPE_CHECKING:
    from diagnose.surface.impact.shape import Shape
    from diagnose.surface.impact.verdict import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One thing that a schema says, with the keywords that say it."""

    name: str
    keywords: tuple[str, ...]
    rule: Rule
    always: bool = False
    """Whether it says something also where none of its keywords is used."""

    def concerns(self, left: Shape, right: Shape) -> bool:
        """Say whether one of two shapes speaks of this subject."""
        return self.always or not (left.words.isdisjoint(self.keywords) and right.words.isdisjoint(self.keywords))


#: Subjects that stand on their own: a difference is told at the keyword.
PLAIN = (
    Subject(name="types", keywords=("type",), rule=scalars.types, always=True),
    Subject(name="values", keywords=("enum", "const"), rule=scalars.values, always=True),
    Subject(name="lower bound", keywords=("minimum", "exclusiveMinimum"), rule=scalars.lower),
    Subject(name="upper bound", keywords=("maximum", "exclusiveMaximum"), rule=scalars.upper),
    Subject(name="step", keywords=("multipleOf",), rule=scalars.multiple),
    Subject(name="least length", keywords=("minLength",), rule=scalars.shortest),
    Subject(name="greatest length", keywords=("maxLength",), rule=scalars.longest),
    Subject(name="pattern", keywords=("pattern",), rule=scalars.pattern),
    Subject(name="format", keywords=("format",), rule=scalars.form),
    Subject(name="content", keywords=("contentEncoding", "contentMediaType", "contentSchema"), rule=scalars.content),
    Subject(name="least number of items", keywords=("minItems",), rule=arrays.fewest),
    Subject(name="greatest number of items", keywords=("maxItems",), rule=arrays.most),
    Subject(name="uniqueness of items", keywords=("uniqueItems",), rule=arrays.unique),
    Subject(name="contained items", keywords=("contains", "minContains", "maxContains"), rule=arrays.contains),
    Subject(name="required properties", keywords=("required",), rule=objects.required),
    Subject(name="least number of properties", keywords=("minProperties",), rule=objects.fewest),
    Subject(name="greatest number of properties", keywords=("maxProperties",), rule=objects.most),
    Subject(name="names of properties", keywords=("propertyNames",), rule=objects.names),
    Subject(name="dependent properties", keywords=("dependentRequired", "dependentSchemas"), rule=objects.dependent),
    Subject(name="properties by pattern", keywords=("patternProperties",), rule=objects.by_pattern),
    Subject(name="condition", keywords=("if", "then", "else"), rule=opaque.condition),
    Subject(name="negation", keywords=("not",), rule=opaque.negation),
    Subject(name="unevaluated", keywords=("unevaluatedProperties", "unevaluatedItems"), rule=opaque.unevaluated),
    Subject(name="nullability", keywords=("nullable",), rule=opaque.nullable),
    Subject(name="reference elsewhere", keywords=("$ref", "$dynamicRef"), rule=opaque.elsewhere, always=True),
    Subject(name="malformed keyword", keywords=(), rule=opaque.malformed, always=True),
)

#: Subjects whose differences lie in the schemas below them.
NESTED = (
    Subject(name="properties", keywords=("properties",), rule=objects.properties),
    Subject(
        name="other properties", keywords=("additionalProperties", "unevaluatedProperties"), rule=objects.additional
    ),
    Subject(name="items", keywords=("items", "prefixItems"), rule=arrays.items),
)

SUBJECTS = PLAIN + NESTED
