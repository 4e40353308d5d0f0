"""Strict reading: what is refused, and what is read all the same and told."""

from __future__ import annotations

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.surface.jsontext import JsonError, parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES, st.booleans())
def test_good_json_is_read_without_defects(value, ascii_only):
    parsed = parse_json(json.dumps(value, ensure_ascii=ascii_only).encode())
    assert repr(parsed.value) == repr(value)
    assert parsed.defects == ()


PIECES = ["\\\\", "\\ud83e", "\\uDDED", "\\udded", "\\n", "ud83e", "\\u0041", "é", "\ud83e", "\udded"]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_half_a_character_is_found_however_it_is_written(text):
    document = f'["{text}"]'
    halves = any("\ud800" <= char <= "\udfff" for char in json.loads(document)[0])
    assert [defect.kind for defect in parse_json(document).defects] == ["lone-surrogate"] * halves
    if document.isascii():
        assert parse_json(document.encode()).defects == parse_json(document).defects


def test_short_texts_are_in_memory_once_and_stay_what_they_are():
    document = json.dumps([{"title": f"no. {number % 20_000}", "number": number} for number in range(30_000)])
    entries = parse_json(document).value
    assert entries == json.loads(document)
    assert len({id(entry["title"]) for entry in parse_json(json.dumps([{"title": "a b"}] * 9)).value}) == 1


def test_integers_and_floats_stay_what_they_are():
    value = parse_json("[600, 600.0, 18446744073709551616, 1e22, -0.0]").value
    assert repr(value) == "[600, 600.0, 18446744073709551616, 1e+22, -0.0]"


def kinds_and_places(text):
    return [(defect.kind, defect.pointer) for defect in parse_json(text).defects]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":[{"b":1,"b":2}]}', [("duplicate-key", "/a/0/b")]),
        ('{"a":1,"a":2,"b":1,"b":2}', [("duplicate-key", "/a"), ("duplicate-key", "/b")]),
        ('{"a":{"x":1,"x":2},"a":0}', [("duplicate-key", "/a"), ("duplicate-key", None)]),
        ('{"a/b":[1,NaN]}', [("non-finite-number", "/a~1b/1")]),
        ("[-Infinity]", [("non-finite-number", "/0")]),
        ("[1e400]", [("non-finite-number", "/0")]),
        ('{"a":NaN,"a":1}', [("duplicate-key", "/a"), ("non-finite-number", None)]),
        (r'{"a":"ok \ud83c"}', [("lone-surrogate", "/a")]),
        (r'{"\udc00":1}', [("lone-surrogate", "/\udc00")]),
        ('["\ud83c"]', [("lone-surrogate", "/0")]),
        (r'["\ud83e\udded", "\\ud83c"]', []),
        (r'["\\ud83e\udded"]', [("lone-surrogate", "/0")]),
        ("\ufeff[]", [("bom", None)]),
        (b"\xef\xbb\xbf[1e400]", [("bom", None), ("non-finite-number", "/0")]),
        (b'{"a":"x\xff"}', [("invalid-utf8", "/a")]),
        (b'{"a":"\xed\xa0\x80"}', [("invalid-utf8", "/a")]),
        (b'{"\xff":1,"\xff":2}', [("duplicate-key", "/\udcff"), ("invalid-utf8", "/\udcff")]),
    ],
)
def test_defects_are_told_with_their_place(text, expected):
    assert kinds_and_places(text) == expected


def test_the_value_of_a_defective_text_is_kept():
    assert parse_json('{"a":1,"a":2}').value == {"a": 2}
    assert math.isnan(parse_json("NaN").value)
    assert parse_json("1e400").value == math.inf
    assert parse_json(b'"x\xff"').value == "x\udcff"


def test_details_are_short_and_bounded_in_number():
    defects = parse_json("[" + ",".join(["NaN"] * 5000) + "]").defects
    assert len(defects) == 100
    long = parse_json('{"' + "k" * 5000 + '":["' + "x" * 5000 + '\\ud83c", NaN]}').defects
    assert {defect.kind for defect in long} == {"lone-surrogate", "non-finite-number"}
    assert all(defect.pointer is None and len(defect.detail) <= 80 for defect in long)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not-json"),
        (" \r\n", "not-json"),
        ("<!doctype html><title>Sign in</title>", "not-json"),
        ('{"a":1', "not-json"),
        ("{'a':1}", "not-json"),
        ('["a\tb"]', "not-json"),
        ("[1,]", "not-json"),
        ("01", "not-json"),
        ("[] x", "not-json"),
        ('{"a":1}{"b":2}', "joined"),
        ("[1]\n[2]", "joined"),
        ('{}\n{"cut', "joined"),
        ("[]".encode("utf-16"), "not-json"),
        ("[" * 129 + "]" * 129, "too-deep"),
        ('{"a":' * 100_000, "too-deep"),
        ("[" * 10_000_000, "too-deep"),
        ("1" * 4301, "too-large"),
        ("-" + "1" * 4301, "too-large"),
    ],
)
def test_what_is_no_usable_json_is_refused_with_a_reason(text, reason):
    with pytest.raises(JsonError) as caught:
        parse_json(text)
    assert caught.value.reason == reason
    assert len(str(caught.value)) < 400


def test_limits_are_inclusive():
    assert parse_json("[" * 128 + "]" * 128).defects == ()
    assert parse_json("1" * 4300).value == int("1" * 4300)
    assert parse_json(b"[1]", max_bytes=3).value == [1]
    with pytest.raises(JsonError) as caught:
        parse_json(b"[1] ", max_bytes=3)
    assert caught.value.reason == "too-large"
    with pytest.raises(JsonError, match="at most 2 deep"):
        parse_json("[[[]]]", max_depth=2)


def test_a_refusal_shows_the_beginning_and_the_offset():
    with pytest.raises(JsonError) as caught:
        parse_json(b"<html>\x1b[31m")
    assert caught.value.head == "<html>\x1b[31m"
    assert caught.value.offset == 0
    assert "\x1b" not in str(caught.value)
    assert caught.value.exit_code == 2


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data):
    with contextlib.suppress(JsonError):
        parse_json(data)
