"""What is known of a list that was put together from pages."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.freshness import CacheEntry, Catalogue
from diagnose.freshness.catalogue import is_torn
from diagnose.surface import Surface


def entry(*tools: Any, at: float = 10.0, ttl: int = 0, scope: str = "public", revision: Any = None) -> CacheEntry:
    result = {"tools": list(tools), "ttlMs": ttl, "cacheScope": scope}
    if revision is not None:
        result["_meta"] = {"meridian/toolManifest": {"revision": revision}}
    return CacheEntry.of(result, asked=at, received=at + 1)


def catalogue(*pages: CacheEntry) -> Catalogue:
    return Catalogue(generation=1, surface=Surface.of([]), pages=pages)


def test_it_is_as_fresh_as_its_first_page_to_expire() -> None:
    made = catalogue(entry(at=10, ttl=9_000), entry(at=12, ttl=3_000), entry(at=14, ttl=9_000))
    assert (made.asked, made.received, made.fresh_until, made.ttl_ms) == (10, 15, 16, 3_000)


def test_it_is_public_only_if_all_of_it_is() -> None:
    assert catalogue(entry(), entry()).scope == "public"
    assert catalogue(entry(), entry(scope="private")).scope == "private"


@pytest.mark.parametrize(
    ("pages", "torn"),
    [
        ([entry({"name": "a"}), entry({"name": "b"})], False),
        ([entry({"name": "a"}), entry({"name": "a"})], True),
        ([entry({"name": "a"}, {"name": "a"})], False),
        ([entry(revision="1"), entry(revision="1")], False),
        ([entry(revision="1"), entry(revision="2")], True),
        ([entry(revision="1"), entry()], False),
        ([entry(revision={}), entry(revision=[])], True),
        ([entry(5, None, {"name": []}), entry({"name": []}, "a")], False),
    ],
)
def test_what_shows_that_pages_are_of_different_lists(pages: list[CacheEntry], torn: bool) -> None:
    assert is_torn(pages) == torn
