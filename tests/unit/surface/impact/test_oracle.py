"""Impacts held against a validator that somebody else wrote."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnose.surface.impact import classify, overall
from tests.unit.surface.impact.oracle import VALUES, pairs, sealed, validator

HARMLESS = {"behaviour", "compatible", "cosmetic", "routing"}
QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@settings(max_examples=120, deadline=None, suppress_health_check=QUIET)
@given(pairs(), st.lists(VALUES, min_size=20, max_size=20))
def test_a_harmless_input_takes_what_it_took(pair: tuple[Any, Any], values: list[Any]) -> None:
    if overall(classify({"inputSchema": pair[0]}, {"inputSchema": pair[1]})) in HARMLESS:
        old, told, new = validator(pair[0]), validator(sealed(pair[0])), validator(pair[1])
        assert [value for value in values if old(value) and told(value) and not new(value)] == []


@settings(max_examples=120, deadline=None, suppress_health_check=QUIET)
@given(pairs(), st.lists(VALUES, min_size=20, max_size=20))
def test_a_harmless_output_promises_what_it_promised(pair: tuple[Any, Any], values: list[Any]) -> None:
    impact = overall(classify({"outputSchema": pair[0]}, {"outputSchema": pair[1]}))
    if impact in HARMLESS:
        old, new = map(validator, pair)
        assert [value for value in values if new(value) and not old(value)] == []
        if impact == "cosmetic":
            assert [value for value in values if new(value) != old(value)] == []
