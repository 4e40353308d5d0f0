"""What Gemini CLI 0.61.0 really offered a model for each definition that it was sent, and that the lens explains it."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from diagnose.clients import MODEL_CARRIES, lens_for

DATA = Path(__file__).parent / "data" / "gemini-0.61.0.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
LENS = lens_for("gemini-cli", "orchard", carries=MODEL_CARRIES)


def shown_as(row):
    """Return the shown definition under its live name, as whoever pairs them does."""
    assert LENS.forward(row["live"]["name"]) == row["shown"]["name"]
    return {**row["shown"], "name": row["live"]["name"]}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["live"]["name"])
def test_what_was_offered_is_explained(row):
    assert "adds parameters of its own" in (LENS.explains(row["live"], shown_as(row)) or "")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["live"]["name"])
def test_another_parameter_is_a_change(row):
    shown = copy.deepcopy(shown_as(row))
    shown["inputSchema"]["properties"]["old"] = {"type": "string"}
    assert LENS.explains(row["live"], shown) is None


def test_a_parameter_of_that_name_that_the_server_has_is_compared():
    live = {"name": "a", "inputSchema": {"type": "object", "properties": {"wait_for_previous": {"type": "integer"}}}}
    shown = {"name": "a", "inputSchema": {"type": "object", "properties": {"wait_for_previous": {"type": "boolean"}}}}
    assert LENS.explains(live, shown) is None


def test_another_client_is_not_known_to_add_it():
    row = ROWS[0]
    assert lens_for("cline", "orchard", carries=MODEL_CARRIES).explains(row["live"], shown_as(row)) is None
