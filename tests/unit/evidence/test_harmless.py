import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.evidence.harmless import MARKS, display_width, harmless, harmless_json, shorten

ANYTHING = st.text(st.characters(exclude_categories=()))

SHOWN = [
    ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
    ("\x1b]8;;http://evil\x07x", r"\x1b]8;;http://evil\x07x"),
    ("\x9b31m", r"\x9b31m"),
    ("a\rb\nc\td\x00\x7f", r"a\x0db\x0ac\x09d\x00\x7f"),
    ("pay\u202efdp", r"pay\u202efdp"),
    ("\u2066\u2069\u200e\u200f\u061c", r"\u2066\u2069\u200e\u200f\u061c"),
    ("a\u200bb\u200c\u200d\u2060\ufeff", r"a\u200bb\u200c\u200d\u2060\ufeff"),
    ("\U000e0041\U000e007f", r"\U000e0041\U000e007f"),
    ("\U000e0100\ufe0f\u034f", r"\U000e0100\ufe0f\u034f"),
    ("\u2028\u2029\u00ad\ufff9\ufffb", r"\u2028\u2029\xad\ufff9\ufffb"),
    ("\ud800x\udfff", r"\ud800x\udfff"),
    ("\ue000\uffff\U0010ffff\u0378", r"\ue000\uffff\U0010ffff\u0378"),
    ("a\u00a0b\u3164c\u2800", r"a\xa0b\u3164c\u2800"),
    ("e" + "\u0301" * (MARKS + 2) + "x", "e" + "\u0301" * MARKS + r"\u0301\u0301x"),
]
KEPT = ["plain [bold]markup[/bold] \\ and \\x1b", "größer, naïve", "日本語テキスト", "שלום", "नमस्ते", "🍎 ✓ €", ""]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_what_could_act_or_mislead_is_spelled_out(text, shown):
    assert harmless(text) == shown


@pytest.mark.parametrize("text", KEPT)
def test_what_people_write_stays(text):
    assert harmless(text) == text


def test_line_feeds_stay_only_where_asked_for():
    assert harmless("a\nb\r", newlines=True) == "a\nb\\x0d"


@given(ANYTHING)
def test_the_result_is_printable_and_stays_as_it_is(text):
    once = harmless(text)
    assert once.isprintable()
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for char in once)
    assert harmless(once) == once


@given(ANYTHING)
def test_nothing_is_left_out(text):
    # Every character is there: itself, or its number.
    assert all(char in harmless(text) or f"{ord(char):x}" in harmless(text) for char in text)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_json_stays_equal_and_cannot_act(value, indent, ascii_only):
    document = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    shown = harmless_json(document)
    assert json.loads(shown) == value
    assert all(char.isprintable() or char in "\n\t" for char in shown)


def test_json_keeps_lone_surrogates_and_astral_characters():
    for text in ("\ud800", "x\udc00y", "\U000e0041", "\\\u200b", "\x7f"):
        assert json.loads(harmless_json(json.dumps([text], ensure_ascii=False))) == [text]


def test_columns():
    assert display_width("abc") == 3
    assert display_width("日本") == 4
    assert display_width("e\u0301") == 1
    assert display_width("🍎") == 2


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("日本語テ", 5, "日本…"),
        ("日本語テ", 4, "日…"),
        (r"ab\u202ecd", 8, "ab…"),
        (r"ab\u202ecd", 9, r"ab\u202e…"),
        (r"\U000e0041x", 10, "…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
    ],
)
def test_shortening_cuts_between_characters_and_never_inside_an_escape(text, width, cut):
    assert shorten(text, width) == cut


@given(ANYTHING.map(harmless), st.integers(0, 40))
def test_shortened_text_fits(text, width):
    assert display_width(shorten(text, width)) <= width
