"""Policies in words."""

from __future__ import annotations

import pytest

from diagnose.statesync import Declaration, Policy, PolicyError


def test_the_page_s_example():
    policy = Declaration(separator=".", default="no-store")
    policy.query("billing.get_invoice").cached()
    policy.query("stock.list").stale()
    policy.mutation("billing.refund").invalidates("billing.*", "dashboard.invoices")
    assert policy.policies == (
        Policy("billing.get_invoice", cache_control="immutable"),
        Policy("stock.list", cache_control="no-store"),
        Policy("billing.refund", invalidates=("billing.*", "dashboard.invoices")),
    )
    engine = policy.engine()
    assert (engine.policies, engine.default) == (policy.policies, "no-store")


def test_invalidations_add_up_in_their_order():
    policy = Declaration()
    policy.mutation("a").invalidates("b", "c").invalidates("b").stale()
    assert policy.policies == (Policy("a", cache_control="no-store", invalidates=("b", "c", "b")),)


def test_a_line_can_be_finished_after_the_next_was_begun():
    policy = Declaration()
    first, second = policy.query("a"), policy.query("b")
    second.cached()
    first.stale()
    assert [one.cache_control for one in policy.policies] == ["no-store", "immutable"]


def test_a_wrong_line_is_told_at_once_and_leaves_no_trace():
    policy = Declaration([Policy("a")])
    with pytest.raises(PolicyError, match=r"^policy\[1\]: match: ") as caught:
        policy.query("billing.get_*")
    assert "`billing.*`" in caught.value.diagnostics()
    mutation = policy.mutation("b").invalidates("c")
    with pytest.raises(PolicyError, match=r"^policy\[1\] \(b\): invalidates\[1\]: "):
        mutation.invalidates("get_*")
    assert policy.policies == (Policy("a"), Policy("b", invalidates=("c",)))


def test_what_would_contradict_itself_cannot_be_said():
    policy = Declaration()
    assert not hasattr(policy.mutation("a"), "cached")
    assert not hasattr(policy.query("a"), "invalidates")


def test_an_engine_does_not_follow_later_lines():
    policy = Declaration()
    engine = policy.engine()
    policy.query("a").cached()
    assert engine.resolve("a") is None


@pytest.mark.parametrize("separator", ["", " ", "_\n", '"', 7, None, "é"])
def test_a_separator_can_stand_in_a_name(separator):
    with pytest.raises(PolicyError, match=r"^separator: "):
        Declaration(separator=separator)


def test_what_is_handed_in_is_checked_too():
    with pytest.raises(PolicyError, match=r"^default: "):
        Declaration(default="public")
    with pytest.raises(PolicyError, match=r"^policy\[1\]: "):
        Declaration([Policy("a"), Policy("")])
