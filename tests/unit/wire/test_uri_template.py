"""URI templates: RFC 6570, level 1, and what servers make of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.wire.uri_template import MAX_LENGTH, is_level_one, may_fit, variables

ROWS = [
    ("ledger://invoice/{id}", "ledger://invoice/inv_7", {"id": "inv_7"}),
    ("ledger://invoice/{id}", "ledger://invoice/a%20b%C3%A9", {"id": "a bé"}),
    ("ledger://invoice/{id}", "ledger://invoice/", None),
    ("ledger://invoice/{id}", "ledger://invoice/a/b", None),
    ("ledger://invoice/{id}", "ledger://invoice/a:b", None),
    ("ledger://invoice/{id}", "ledger://invoice/%FF", None),
    ("ledger://invoice/{id}", "ledger://invoice/%4", None),
    ("ledger://invoice/{id}", "Ledger://invoice/a", None),
    ("x://{a}/{b}.json", "x://p/q.json", {"a": "p", "b": "q"}),
    ("x://{a}/{b}.json", "x://p/q.json.json", {"a": "p", "b": "q.json"}),
    ("x://{a}-{b}", "x://1-2-3", {"a": "1", "b": "2-3"}),
    ("x://{a}{b}", "x://12", {"a": "1", "b": "2"}),
    ("x://{a}{b}", "x://1", None),
    ("x://{a}/{a}", "x://1/1", {"a": "1"}),
    ("x://{a}/{a}", "x://1/2", None),
    ("x://plain", "x://plain", {}),
    ("x://plain", "x://plainer", None),
]


@pytest.mark.parametrize(("template", "uri", "values"), ROWS)
def test_a_uri_gives_the_values_that_expand_to_it(template, uri, values):
    assert variables(template, uri) == values
    assert may_fit(template, uri) or values is None


@pytest.mark.parametrize("template", ["x://{a", "x://a}", "x://{}", "x://{+a}", "x://{?a,b}", "x://{a*}", "x://{a:3}"])
def test_what_is_beyond_level_one_is_told(template):
    assert not is_level_one(template)
    assert variables(template, "x://a") is None
    # Who must not raise a false alarm goes by the text in front of the first expression alone.
    assert may_fit(template, f"{template.partition('{')[0]}/whatever")
    assert not may_fit(template, "y://a")


def test_what_servers_take_for_a_value_is_more():
    assert variables("x://{a}", "x://b:c d") is None
    assert may_fit("x://{a}", "x://b:c d")
    assert not may_fit("x://{a}", "x://b/c")


def by_expression(template: str, uri: str) -> bool:
    parts = re.split(r"(\{[^{}]*\})", template)
    return re.fullmatch("".join("[^/]+" if part[:1] == "{" else re.escape(part) for part in parts), uri) is not None


TEMPLATES = st.lists(st.sampled_from(["{a}", "{b}", "x", "y", "/", "xy"]), min_size=1, max_size=6).map("".join)


@settings(max_examples=1000)
@given(TEMPLATES, st.text(alphabet="xy/", max_size=8))
def test_it_answers_as_a_regular_expression_does(template, uri):
    assert may_fit(template, uri) is by_expression(template, uri)


@pytest.mark.timeout(20)
def test_the_worst_template_takes_no_time():
    # By a regular expression this one takes longer than anybody lives.
    assert not may_fit("{a}x" * 1500 + "/", "x" * MAX_LENGTH)
    assert not may_fit("{a}" * 2000 + "/", "x" * MAX_LENGTH)
