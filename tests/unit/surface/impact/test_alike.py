"""What is one text is alike, as long as the text means the same on both sides."""

from __future__ import annotations

from typing import Any

from diagnose.surface.impact.alike import Likeness
from diagnose.surface.impact.document import Document
from diagnose.surface.impact.part import Parts, expand

LIST = {"type": "array", "items": {"$ref": "#/$defs/item"}}
UNION = {"type": "string", "anyOf": [{"maxLength": 5}, {"pattern": "^a"}]}


def parts(side: str, schema: Any, *path: str) -> Parts:
    return expand((Document(schema, "", side).node.child(*path),))


def alike(left: Any, right: Any, *path: str) -> bool:
    return Likeness().alike(parts("old:", left, *path), parts("new:", right, *path))


def test_one_text_is_alike_in_any_order_of_its_words_but_not_with_another_word() -> None:
    assert alike(UNION, dict(UNION))
    assert alike(UNION, dict(reversed(UNION.items())))
    assert not alike(UNION, {**UNION, "minLength": 1})


def test_one_text_is_not_alike_where_it_refers_to_what_differs() -> None:
    old, new = ({"properties": {"rows": LIST}, "$defs": {"item": {"type": kind}}} for kind in ("string", "integer"))
    assert not alike(old, new, "properties", "rows")
    assert alike(old, dict(old), "properties", "rows")


def test_one_text_is_not_alike_where_a_word_of_it_is_left_out_on_one_side() -> None:
    left, right = parts("old:", UNION), parts("new:", UNION)
    assert not Likeness().alike(left, tuple(part.without("anyOf") for part in right))
    assert Likeness().alike(*(tuple(part.without("anyOf") for part in side) for side in (left, right)))


def test_true_is_no_number_and_a_whole_float_is_one() -> None:
    assert not alike({"enum": [1, 2]}, {"enum": [True, 2]})
    assert alike({"enum": [1, 2]}, {"enum": [1.0, 2]})
