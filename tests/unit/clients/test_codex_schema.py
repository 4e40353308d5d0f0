"""What Codex 0.171.0 really offered a model for each schema that it was sent, and that the lens makes the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.clients import MODEL_CARRIES, lens_for
from diagnose.clients.lens.codex_schema import codex_schema
from diagnose.surface.impact.values import same

DATA = Path(__file__).parent / "data" / "codex-0.171.0.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what"])
def test_a_schema_becomes_what_was_measured(row):
    assert same(codex_schema(row["sent"]), row["offered"])


def test_the_lens_explains_it_and_no_change_beside_it():
    live = {"name": "a", "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "maxLength": 9}}}}
    shown: dict[str, Any] = {"name": "a", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}
    lens = lens_for("codex", "orchard", carries=MODEL_CARRIES)
    assert "keeps a part" in (lens.explains(live, shown) or "")
    shown["inputSchema"]["properties"]["old"] = {"type": "string"}
    assert lens.explains(live, shown) is None


def test_a_schema_that_is_too_deep_is_left_alone():
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"items": deep}
    assert codex_schema(deep) is None


WORDS = ["type", "$ref", "$defs", "properties", "anyOf", "items", "required", "enum", "additionalProperties"]
ANY = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["object", "string", "#/$defs/a", "#/$defs/b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*WORDS, "a", "b"]), inner, max_size=4),
    max_leaves=14,
)


@given(schema=ANY)
def test_no_schema_breaks_it(schema):
    codex_schema(schema)
