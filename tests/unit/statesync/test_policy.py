"""Policies are checked before they serve, and say where they are wrong."""

from __future__ import annotations

import pytest

from diagnose.errors import DiagnoseError
from diagnose.statesync import Policy, PolicyEngine, PolicyError

GOOD = Policy("a.*", cache_control="immutable")


@pytest.mark.parametrize(
    ("wrong", "field", "message"),
    [
        (Policy(None), "match", r"^policy\[1\]: match: expected a pattern"),
        (Policy(7), "match", r"^policy\[1\]: match"),
        (Policy(""), "match", r"^policy\[1\]: match: .*got ''$"),
        (Policy("billing.get_*"), "match", r"^policy\[1\]: match: .*'get_\*' in 'billing.get_\*'"),
        (Policy("a." * 3000 + "a"), "match", r"^policy\[1\]: match: expected at most 2048 segments"),
        *(
            (
                Policy("b", cache_control=value),
                "cache_control",
                r"^policy\[1\] \(b\): cache_control: expected no-store or",
            )
            for value in ("", "NO-STORE", "max-age=60", "public", "must-revalidate", 0, False, [])
        ),
        (Policy("b", invalidates=None), "invalidates", r"^policy\[1\] \(b\): invalidates: expected a list"),
        (Policy("b", invalidates="b.*"), "invalidates", r"^policy\[1\] \(b\): invalidates: expected a list"),
        (Policy("b", invalidates=["b.*", 7]), "invalidates", r"^policy\[1\] \(b\): invalidates\[1\]: "),
        (Policy("b", invalidates=("",)), "invalidates", r"^policy\[1\] \(b\): invalidates\[0\]: "),
        (Policy("b", invalidates=("b.*", "get_*")), "invalidates", r"^policy\[1\] \(b\): invalidates\[1\]: "),
        ({"match": "b"}, "match", r"^policy\[1\]: expected a Policy"),
    ],
)
def test_a_wrong_policy_is_told_by_its_position(wrong, field, message):
    with pytest.raises(PolicyError, match=message) as caught:
        PolicyEngine([GOOD, wrong])
    assert isinstance(caught.value, DiagnoseError)
    assert caught.value.args_by_name == {"position": 1, "field": field}


def test_the_first_failure_is_told_and_match_comes_first():
    wrong = Policy("", cache_control="?", invalidates=("",))
    with pytest.raises(PolicyError) as caught:
        PolicyEngine([GOOD, wrong, Policy("")], default="?")
    assert caught.value.args_by_name == {"position": 1, "field": "match"}


@pytest.mark.parametrize("default", ["", "public", 0, {}])
def test_a_wrong_default(default):
    with pytest.raises(PolicyError, match=r"^default: expected no-store or immutable") as caught:
        PolicyEngine([], default)
    assert caught.value.args_by_name == {"position": None, "field": "cache_control"}


def test_the_advice_of_a_wrong_pattern_is_handed_on():
    with pytest.raises(PolicyError) as caught:
        PolicyEngine([Policy("billing.get_*")])
    assert "`billing.*`" in caught.value.diagnostics()


def test_what_says_little_or_says_it_twice_is_no_mistake():
    PolicyEngine([Policy("a"), Policy("b", invalidates=()), Policy("c", invalidates=("a", "a"))])


def test_a_policy_cannot_be_changed_from_outside():
    domains = ["a.*"]
    policy = Policy("a", invalidates=domains)
    domains.append("not <checked>")
    assert policy.invalidates == ("a.*",)
    with pytest.raises(AttributeError):
        policy.match = "b"
