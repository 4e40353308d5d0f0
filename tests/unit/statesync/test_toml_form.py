"""Policies as a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.statesync import Declaration, Policy, PolicyError, read_policies, toml_form, write_policies

TEXT = """separator = "."
default = "no-store"

[[policies]]
match = "billing.get_invoice"
cache_control = "immutable"

[[policies]]
match = "billing.refund"
invalidates = ["billing.*", "dashboard.invoices"]
"""

globs = st.lists(st.sampled_from(["a", "b-c", "D_9", "*", "**"]), min_size=1, max_size=3).map(".".join)
controls = st.sampled_from([None, "no-store", "immutable"])
policies = st.builds(Policy, globs, cache_control=controls, invalidates=st.lists(globs, max_size=3).map(tuple))
declarations = st.builds(
    Declaration, st.lists(policies, max_size=4), default=controls, separator=st.sampled_from(["_", ".", "__", "-", "/"])
)


def form(declaration):
    return declaration.policies, declaration.default, declaration.separator


def test_a_file_says_what_the_words_say():
    declared = Declaration(separator=".", default="no-store")
    declared.query("billing.get_invoice").cached()
    declared.mutation("billing.refund").invalidates("billing.*", "dashboard.invoices")
    assert form(read_policies(TEXT)) == form(declared)
    assert write_policies(declared) == TEXT


@given(declarations)
def test_what_was_written_is_read(declaration):
    assert form(read_policies(write_policies(declaration))) == form(declaration)


def test_an_empty_file_declares_nothing():
    assert form(read_policies("")) == ((), None, "_")


def test_a_policy_of_the_original_can_be_carried_over():
    read = read_policies('[[policies]]\nmatch = "a"\ncacheControl = "immutable"')
    assert read.policies == (Policy("a", cache_control="immutable"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("separator = ", "^expected TOML: "),
        ("a = " + "[" * 100_000, "^expected TOML: "),
        ("seperator = '.'", "^the file: unknown key 'seperator'"),
        ("separator = 1", "^separator: "),
        ("default = false", "^default: "),
        ("policies = 1", "^policies: expected a list of tables"),
        ("policies = ['a']", "^policies: expected a list of tables"),
        ("[policies]\nmatch = 'a'", "^policies: expected a list of tables"),
        ("[[policies]]\ninvalidates = ['a']", r"^policy\[0\]: match: "),
        ("[[policies]]\nmatch = 'a'\n[[policies]]\nmatch = 'b'\nmax_age = 3", r"^policy\[1\]: unknown key 'max_age'"),
        (
            "[[policies]]\nmatch = 'a'\ncache_control = 'no-store'\ncacheControl = 'immutable'",
            r"^policy\[0\]: .* are one",
        ),
        ("[[policies]]\nmatch = 'a'\ninvalidates = 'b'", r"^policy\[0\] \(a\): invalidates: expected a list"),
        ("[[policies]]\nmatch = 'billing.get_*'", r"^policy\[0\]: match: "),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(text, message):
    with pytest.raises(PolicyError, match=message):
        read_policies(text)


def test_a_file_has_a_size(monkeypatch):
    monkeypatch.setattr(toml_form, "MAX_TEXT", 10)
    with pytest.raises(PolicyError, match="at most 10 characters"):
        read_policies("# 4567890 1")
