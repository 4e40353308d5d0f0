"""Texts and numbers of a JSON value, and where they stand."""

from hypothesis import given
from hypothesis import strategies as st

from diagnose.judge.places import numbers, texts


def test_every_text_and_number_has_its_pointer():
    value = {"a": ["x", {"b/c": "y", "d~": 1}], "n": [2.5, True, None]}
    assert list(texts(value)) == [
        ("/a", "a"), ("/n", "n"), ("/a/0", "x"), ("/a/1/b~1c", "b/c"), ("/a/1/d~0", "d~"), ("/a/1/b~1c", "y"),
    ]  # fmt: skip
    assert list(numbers(value)) == [("/a/1/d~0", 1), ("/n/0", 2.5)]


def test_a_bare_text_stands_at_the_root():
    assert list(texts("x")) == [("", "x")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def _at(value, pointer):
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


@given(JSON)
def test_each_number_is_found_where_its_pointer_says(value):
    for pointer, number in numbers(value):
        assert _at(value, pointer) == number
