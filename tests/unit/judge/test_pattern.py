"""Texts that no dialect takes for a regular expression, and texts that some dialect does."""

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.judge.pattern import flaw_of_pattern

WRONG = [
    ("(", "a ( is not closed"),
    ("a)", "a ) closes nothing"),
    ("[a", "a [ is not closed"),
    ("*a", "* repeats nothing"),
    ("a|+", "+ repeats nothing"),
    ("(?", "a ( is not closed"),
    ("a**", "* repeats nothing"),
    ("\\", "a backslash ends it"),
    ("[\\]", "a [ is not closed"),
]
RIGHT = [
    "", "^a$", r"\d+", r"\(", "[(]", "[^]]", r"[\]]", "(?:a|b)*", "(?<year>\\d{4})", "(?!x)a", "a+?", "a??", "a{2,3}?",
    r"\p{L}+", "a|", "(a|)b", "x*|y", "(?i)a", ".*?",
]  # fmt: skip


@pytest.mark.parametrize(("text", "flaw"), WRONG, ids=[text for text, _ in WRONG])
def test_what_no_dialect_takes(text, flaw):
    assert flaw_of_pattern(text) == flaw


@pytest.mark.parametrize("text", RIGHT)
def test_what_some_dialect_takes(text):
    assert flaw_of_pattern(text) is None


@given(st.text(alphabet="ab()[]|*+?\\^$.", max_size=12))
def test_what_python_takes_is_never_called_wrong(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(text)
    except (re.error, FutureWarning):
        return
    assert flaw_of_pattern(text) is None or "[]" in text or "[^]" in text  # ECMA-262 knows empty classes
