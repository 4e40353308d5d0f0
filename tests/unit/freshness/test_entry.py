"""When one answer is fresh."""

from __future__ import annotations

from diagnose.freshness import CacheEntry


def entry(ttl: object = 5_000) -> CacheEntry:
    return CacheEntry.of({"ttlMs": ttl}, asked=99.0, received=100.0)


def test_it_is_fresh_until_its_ttl_has_run_since_it_came() -> None:
    assert entry().is_fresh(100.0)
    assert entry().is_fresh(104.999)
    assert not entry().is_fresh(105.0)
    assert (entry().ttl_left(104.0), entry().ttl_left(200.0)) == (1.0, 0.0)


def test_without_a_ttl_it_never_is() -> None:
    for ttl in (0, -5, 5_000.0, "5000"):
        assert not entry(ttl).is_fresh(100.0)


def test_what_was_invalidated_is_not_fresh_and_keeps_its_hints() -> None:
    old = entry().invalidate()
    assert (old.is_fresh(100.0), old.ttl_left(100.0), old.hints.ttl_ms) == (False, 0.0, 5_000)
