"""Facts in sentences."""

import pytest

from diagnose.judge.words import counted, fill, sentence, short, told


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing"),
        (True, "true"),
        (7, "7"),
        ([], "none"),
        (["a", "b"], "a, b"),
        (list("abcdefg"), "a, b, c, d, e and 2 more"),
        ({"a": [1, 2]}, "a: 1, 2"),
        ("x" * 200, "x" * 159 + "…"),
    ],
)
def test_a_value_in_a_sentence(value, words):
    assert told(value) == words


def test_a_value_is_never_read_as_a_template():
    assert fill("{tool} is gone", {"tool": "{0.__class__}"}, {}) == "{0.__class__} is gone"
    assert fill("{what}", {}, {"what": "{0.__class__}"}) == "{0.__class__}"


def test_what_is_in_words_already_stands_before_facts_and_is_not_cut_like_them():
    long = "x" * 500
    assert fill("{a} {b}", {"a": long, "b": long}, {"b": long}) == f"{'x' * 159}… {long}"
    assert len(fill("{a}", {}, {"a": "x" * 10_000})) == 2_000


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("the server is gone", "The server is gone."),
        ("page 2 came twice.", "Page 2 came twice."),
        ("entry 1 of the list: no schema", "Entry 1 of the list: no schema."),
        ("page: no schema", "page: no schema."),
        ("tools/list never ends", "tools/list never ends."),
        ("Really?", "Really?"),
        ("a", "a."),
        ("", ""),
    ],
)
def test_a_sentence_is_whole_and_names_stay_as_they_are(text, whole):
    assert sentence(text) == whole


def test_numbers_and_revisions():
    assert (counted(1, "tool"), counted(2, "tool"), counted(2, "entry", "entries")) == (
        "1 tool",
        "2 tools",
        "2 entries",
    )
    assert (short("0123456789abcdef"), short(None)) == ("0123456789ab", "unknown")
