"""A comparison has the relation, the changes, and the exit code that the contract gives them."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.evidence.observation import Observation
from diagnose.jobs.diff import compare
from diagnose.surface import Surface


def _seen(tools: list[Any], *, names_only: bool = False) -> Observation:
    return Observation(layer="baseline", surface=Surface.of(tools, names_only=names_only), source="x")


@pytest.mark.parametrize(
    ("older", "newer", "relation", "code"),
    [
        (_seen([{"name": "a"}]), _seen([{"name": "a"}]), "equal", 0),
        (_seen([{"name": "a"}]), _seen([{"name": "a", "icons": []}]), "equivalent", 0),
        (_seen([{"name": "a"}]), _seen([{"name": "b"}]), "different", 1),
        (_seen([{"name": "a"}]), _seen(["a"], names_only=True), "unknown", 3),
    ],
)
def test_each_relation_has_its_exit_code(older: Observation, newer: Observation, relation: str, code: int) -> None:
    comparison = compare(older, newer)
    assert (comparison.relation, comparison.exit_code) == (relation, code)


def test_the_first_side_is_the_one_that_a_caller_holds() -> None:
    (change,) = compare(_seen([]), _seen([{"name": "a"}])).changes
    assert (change.kind, change.impact) == ("added", "compatible")
