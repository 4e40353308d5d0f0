"""Flaws of a set of policies: each kind, what is close to it and none, and every name up to a length."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.statesync import Policy, PolicyEngine, PolicyFlaw, analyse, matches

NAMES = [".".join(name) for length in range(1, 6) for name in product("abc", repeat=length)]


@cache
def fitting(pattern):
    return frozenset(name for name in NAMES if matches(pattern, name))


patterns = st.lists(st.sampled_from(["a", "b", "*", "**"]), min_size=1, max_size=3).map(".".join)


def read(match):
    return Policy(match, cache_control="no-store")


def mutate(match, *domains):
    return Policy(match, invalidates=domains or ("**",))


def flaws(*policies, default=None, **known):
    return analyse(PolicyEngine(policies, default), **known)


def test_nothing_is_wrong_with_the_page_s_own_pair():
    assert flaws(read("billing.get_invoice"), mutate("billing.refund", "billing.*", "dashboard.invoices")) == ()
    assert flaws() == ()


@pytest.mark.parametrize(
    ("policies", "by"),
    [
        ([read("**.b"), read("**.a.b")], (0,)),
        ([read("a.**.c"), read("a.**.b.c")], (0,)),
        ([read("a.*"), read("a.*")], (0,)),
        ([read("*"), read("*.*.**"), read("**")], (0, 1)),
        ([read("a.b"), read("a.*"), read("a.b")], (0,)),
    ],
)
def test_a_policy_that_never_matches(policies, by):
    assert flaws(*policies) == (PolicyFlaw(kind="never-matches", position=len(policies) - 1, by=by),)


@pytest.mark.parametrize(("earlier", "later"), [("a.*", "a.**"), ("*", "**"), ("a.*.c", "a.**.c"), ("*.*", "**.b")])
def test_no_false_alarm(earlier, later):
    assert flaws(read(earlier), read(later)) == ()


@given(st.lists(patterns, max_size=5))
def test_never_is_never_for_every_name(matches_of):
    found = {flaw.position for flaw in flaws(*map(read, matches_of)) if flaw.kind == "never-matches"}
    winners = {next((at for at, match in enumerate(matches_of) if name in fitting(match)), None) for name in NAMES}
    assert found == set(range(len(matches_of))) - winners


def test_an_invalidation_behind_a_read_is_hidden():
    assert flaws(read("billing.*"), mutate("billing.refund")) == (
        PolicyFlaw(kind="never-matches", position=1, by=(0,)),
        PolicyFlaw(kind="hides-invalidation", position=1, by=(0,), example="billing.refund"),
    )


def test_it_is_hidden_in_part_where_neither_is_narrower():
    assert flaws(read("*.refund"), mutate("billing.*")) == (
        PolicyFlaw(kind="hides-invalidation", position=1, by=(0,), example="billing.refund"),
    )


def test_an_exception_is_on_purpose():
    assert flaws(read("billing.get_invoice"), mutate("billing.*")) == ()


def test_unless_it_takes_what_is_known_to_change_state():
    assert flaws(read("billing.refund"), mutate("billing.*"), mutations=["billing.refund", "billing.void", "x"]) == (
        PolicyFlaw(kind="hides-invalidation", position=1, by=(0,), example="billing.refund"),
    )


def test_who_is_hidden_himself_hides_nothing():
    found = flaws(mutate("*.refund"), read("*.refund"), mutate("billing.*"))
    assert found == (PolicyFlaw(kind="never-matches", position=1, by=(0,)),)


@given(st.lists(st.tuples(patterns, st.booleans()), max_size=4))
def test_hidden_is_hidden_by_an_example_that_shows_it(rows):
    policies = [mutate(match) if mutating else read(match) for match, mutating in rows]
    engine = PolicyEngine(policies)
    found = {(flaw.position, flaw.by[0]): flaw.example for flaw in analyse(engine) if flaw.kind == "hides-invalidation"}
    for (position, by), example in found.items():
        assert matches(policies[position].match, example)
        assert engine.deciding(example) == by < position
        assert policies[position].invalidates
        assert not policies[by].invalidates
    for name in NAMES:
        by = engine.deciding(name)
        for position, policy in enumerate(policies):
            if policy.invalidates and name in fitting(policy.match) and by < position and not policies[by].invalidates:
                on_purpose = fitting(policies[by].match) < fitting(policy.match)
                assert ((position, by) in found) is not on_purpose


def test_a_mutation_that_is_said_to_hold():
    both = Policy("a.b", cache_control="immutable", invalidates=("a.*",))
    assert flaws(both) == (PolicyFlaw(kind="immutable-mutation", position=0),)
    assert flaws(mutate("a.b"), default="immutable") == (PolicyFlaw(kind="immutable-mutation", position=0),)
    assert flaws(Policy("a.b", cache_control="no-store", invalidates=("a.*",)), default="immutable") == ()


def test_names_that_are_known_tell_what_is_idle():
    policies = [mutate("billing.refund", "billing.*", "dashboard.invoices", "stock.**"), read("gone.*")]
    assert flaws(*policies, names=["billing.refund", "billing.get_invoice", "stock"]) == (
        PolicyFlaw(kind="domain-reaches-nothing", position=0, domain="dashboard.invoices"),
        PolicyFlaw(kind="matches-no-tool", position=1),
    )
    assert flaws(*policies) == ()


def test_no_known_names_are_not_unknown_names():
    assert [flaw.kind for flaw in flaws(read("a"), names=[])] == ["matches-no-tool"]


@pytest.mark.timeout(20)
def test_many_policies_are_analysed_in_a_moment():
    shapes = ("ns{}.get", "ns{}.admin.**", "ns{}.*.list", "ns{}.*")
    policies = [(read if at % 2 else mutate)(shapes[at % 4].format(at // 4)) for at in range(4000)]
    found = flaws(*policies)
    assert [flaw.example for flaw in found] == [f"ns{number}.admin.list" for number in range(1000)]
    assert {flaw.kind for flaw in found} == {"hides-invalidation"}
