"""Canonical text, held to the rfc8785 package, and to our own words where that one refuses."""

from __future__ import annotations

import math
import struct
from types import MappingProxyType

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from diagnose.surface.canonical import Unhashable, canonical, lenient
from diagnose.surface.jsontext import JsonError

EXACT = 2**53 - 1
# Characters on both sides of every border that canonical text cares about, and what looks like a number or a key.
ODD = st.sampled_from(
    [*'\x00\x1f"\\\x7f\u2028\ud7ff', "\ue000", "\uffff", "\U00010000", "😀", "\U000fffff", "\U0010e000", "\U0010ffff"]
)
TEXTS = st.text(max_size=5) | st.lists(ODD | st.sampled_from(["a", "é", ":1e-05,", '":']), max_size=4).map("".join)
BITS = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("d", struct.pack("Q", bits))[0]).filter(math.isfinite)
FLOATS = BITS | st.integers(-(10**22), 10**22).map(float) | st.floats(-1e-3, 1e-3) | st.floats(-1e22, 1e22)
SCALARS = st.none() | st.booleans() | st.integers(-EXACT, EXACT) | FLOATS | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)


@given(VALUES)
def test_it_is_what_another_implementation_of_rfc_8785_writes(value):
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (600.0, "600"),
        (-0.0, "0"),
        (1e16, "10000000000000000"),
        (1.2345678901234568e20, "123456789012345680000"),
        (1e21, "1e+21"),
        (0.0001, "0.0001"),
        (1.5e-05, "0.000015"),
        (1e-06, "0.000001"),
        (9.99e-07, "9.99e-7"),
        (5e-09, "5e-9"),
        (9.99e-10, "9.99e-10"),
        (1e-10, "1e-10"),
        (5e-324, "5e-324"),
    ],
)
def test_numbers_are_written_as_ecmascript_writes_them(number, text):
    assert canonical([number, -number]) == f"[{text},{'-' * (text != '0')}{text}]".encode()


@pytest.mark.parametrize(
    "value",
    [
        {"\ue000": 1, "😀": 2, "\uffff": 3, "\U0010ffff": 4},
        {"\ue000": 1, "\U0010e000": 2},  # what the one would be lifted to is the other
        {"\ue000": 1, "😀": {"\U0010f000": 2, "\uf000": [3e-5, 600.0]}},
        {"\ue000": "\U0010e000", "😀": ["\ue000", "\U0010ffff"]},
        {"\ue000": [{"\U0010e000": 1, "\uf123": 2}], "😀": {"\uffff\ue000": 1, "😀": 2, "a": 3}},
    ],
)
def test_names_are_sorted_by_utf_16_units_whatever_characters_they_have(value):
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("integer", [2**53 + 1, 2**64, -(10**400)])
def test_large_integers_keep_their_decimal_text(integer):
    assert canonical(integer) == str(integer).encode()


def test_keys_sort_by_utf_16_unit():
    value = {"\ue000": 1, "😀": 2, "inner": {"\uff01": [{"🧭": 600.0, "\uff01": 1e-7}], "🧭": 3}}
    expected = '{"inner":{"🧭":3,"\uff01":[{"🧭":600,"\uff01":1e-7}]},"😀":2,"\ue000":1}'
    assert canonical(value) == expected.encode()


def test_a_value_is_left_as_it_was():
    value = {"\uff01": 600.0, "🧭": [1.0, {"a": 2.0}]}
    canonical(value)
    assert list(value) == ["\uff01", "🧭"]
    assert repr(value) == "{'\uff01': 600.0, '🧭': [1.0, {'a': 2.0}]}"


@pytest.mark.parametrize(
    ("value", "what", "pointer"),
    [
        ({"a": [1, {"b/c": "x\ud83c"}]}, "lone surrogate", "/a/1/b~1c"),
        ({"a": {"\udc00": 1}}, "lone surrogate", "/a/\udc00"),
        ({"a": [1.5, float("nan")]}, "number that is not finite", "/a/1"),
        ([float("-inf")], "number that is not finite", "/0"),
        ("\ud800", "lone surrogate", ""),
        ({"\uff01": 1, "🧭": "\ud83c"}, "lone surrogate", "/🧭"),
    ],
)
def test_what_has_no_canonical_form_names_its_place(value, what, pointer):
    with pytest.raises(Unhashable) as caught:
        canonical(value)
    assert (caught.value.what, caught.value.pointer) == (what, pointer)
    assert "surrogate" in str(caught.value) or "finite" in str(caught.value)


@pytest.mark.parametrize("beside", [{}, {"\uff01": 1.0, "🧭": 2}])
def test_two_halves_are_no_character_even_if_they_stand_together(beside):
    with pytest.raises(Unhashable, match="lone surrogate at /a"):
        canonical({"a": "\ud83e" + "\udded", **beside})


def test_types_that_stand_for_json_are_written_as_json():
    class Text(str):
        __slots__ = ()

    value = {"a": Text("b"), "c": (1.0, MappingProxyType({"d": 1e-7}))}
    assert canonical(value) == b'{"a":"b","c":[1,{"d":1e-7}]}'


def test_a_mark_of_ours_is_no_way_to_write_a_number():
    mark = "\udfff\udfff"
    with pytest.raises(Unhashable, match="lone surrogate at /b"):
        canonical({"a": 1e-7, "b": f"{mark}5{mark}"})
    assert lenient({"a": 1e-7}) != lenient({"a": f"{mark}1e-7{mark}"})


def test_what_is_no_json_is_unhashable():
    with pytest.raises(Unhashable, match="no JSON value"):
        canonical({"a": object()})


def test_depth_is_bounded():
    value: object = 1
    for _ in range(128):
        value = [value]
    assert canonical(value)
    with pytest.raises(JsonError) as caught:
        canonical([value])
    assert caught.value.reason == "too-deep"


@given(VALUES, VALUES)
def test_lenient_text_is_equal_where_canonical_text_is(one, other):
    assert (lenient(one) == lenient(other)) == (canonical(one) == canonical(other))


def test_lenient_text_exists_for_anything_and_keeps_it_apart():
    values = [float("nan"), float("inf"), "\ud83c", "\\ud83c", "NaN", {"\udc00": 1}, {"\udc01": 1}, 1, True, None, "1"]
    assert len({lenient(value) for value in values}) == len(values)
    assert lenient(600.0) == lenient(600)
