"""Of free text, only words that no secret is made of are kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.evidence.plain_words import VOCABULARY, plain_words


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Unknown tool: press_cider", "Unknown tool: press_cider"),
        ("Unknown tool: hunter", "Unknown tool: ***"),
        ("Bad Request: Missing session ID", "Bad Request: Missing session ID"),
        ("Unsupported protocol version 2026-07-28 (-32022)", "Unsupported protocol version 2026-07-28 (-32022)"),
        ("HTTP 404, pin 4711", "HTTP 404, ***"),
        ("password=swordfish token sk_live_1", "***=*** token ***"),
        ("Séance", "***"),
    ],
)
def test_what_is_kept(text, kept):
    assert plain_words(text, {"press_cider"}) == kept


@given(st.text(max_size=300))
def test_no_other_word_is_kept(text):
    shown = plain_words(text)
    for word in shown.replace("***", " ").lower().split():
        for part in "".join(char if char.isalpha() else " " for char in word).split():
            assert part in VOCABULARY


@given(st.text(max_size=300))
def test_masking_again_changes_nothing(text):
    assert plain_words(plain_words(text)) == plain_words(text)
