"""Caching hints in every shape that a server may send."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.freshness import MAX_TTL_MS, read_hints

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("value", "ttl", "kind"),
    [
        (0, 0, None),
        (1, 1, None),
        (300_000, 300_000, None),
        (MAX_TTL_MS, MAX_TTL_MS, None),
        (MAX_TTL_MS + 1, MAX_TTL_MS, "excessive"),
        (10**400, MAX_TTL_MS, "excessive"),
        (-1, 0, "negative"),
        (60_000.0, 0, "wrong-type"),
        (float("nan"), 0, "wrong-type"),
        ("60000", 0, "wrong-type"),
        (True, 0, "wrong-type"),
        (None, 0, "wrong-type"),
        ([60_000], 0, "wrong-type"),
    ],
)
def test_ttl(value: Any, ttl: int, kind: str | None) -> None:
    hints = read_hints({"ttlMs": value, "cacheScope": "public"})
    assert (hints.ttl_ms, hints.scope) == (ttl, "public")
    assert [flaw.kind for flaw in hints.flaws] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("value", "scope", "kind"),
    [
        ("public", "public", None),
        ("private", "private", None),
        ("PUBLIC", "private", "unknown-value"),
        ("shared", "private", "unknown-value"),
        ("", "private", "unknown-value"),
        (True, "private", "wrong-type"),
        (["public"], "private", "wrong-type"),
        (None, "private", "wrong-type"),
    ],
)
def test_scope(value: Any, scope: str, kind: str | None) -> None:
    hints = read_hints({"ttlMs": 5, "cacheScope": value})
    assert (hints.ttl_ms, hints.scope) == (5, scope)
    assert [flaw.kind for flaw in hints.flaws] == ([kind] if kind else [])


def test_what_is_absent_is_told_field_by_field() -> None:
    hints = read_hints({"tools": []})
    assert (hints.ttl_ms, hints.scope) == (0, "private")
    assert [(flaw.field, flaw.kind, flaw.value) for flaw in hints.flaws] == [
        ("ttlMs", "absent", None),
        ("cacheScope", "absent", None),
    ]


@given(st.dictionaries(st.sampled_from(["ttlMs", "cacheScope", "other"]), JSON))
def test_whatever_comes_nothing_is_trusted_without_a_clean_hint(result: dict[str, Any]) -> None:
    hints = read_hints(result)
    flawed = {flaw.field: flaw.kind for flaw in hints.flaws}
    assert 0 <= hints.ttl_ms <= MAX_TTL_MS
    assert hints.ttl_ms == 0 or flawed.get("ttlMs") in {None, "excessive"}
    assert hints.scope == "private" or result["cacheScope"] == "public"
