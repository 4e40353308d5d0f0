"""Lines on a page: nothing is lost, nothing is wider."""

from hypothesis import given
from hypothesis import strategies as st

from diagnose.evidence.harmless import display_width
from diagnose.report.layout import Page

TEXTS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=120).map(
    lambda text: " ".join(text.split())
)


@given(TEXTS, st.integers(24, 120))
def test_wrapped_text_keeps_every_character_and_the_width(text, width):
    lines = Page(width=width).wrap(text, first="  1. ")
    assert all(display_width(line) <= width for line in lines)
    assert "".join(line[5:] for line in lines).replace(" ", "") == text.replace(" ", "")
    assert all(line.startswith("     ") for line in lines[1:])


def test_a_long_word_is_broken_and_a_short_one_is_not():
    assert Page(width=24).wrap("see " + "a" * 30 + " there", first="- ") == [
        "- see",
        "  " + "a" * 22,
        "  " + "a" * 8 + " there",
    ]


def test_facts_are_told_as_far_as_there_is_room():
    page = Page(width=30)
    assert page.join(["three tools", "revision abc", "legacy"], before="  origin ") == "  origin three tools"
    assert page.join(["a" * 40, "b"], before="  origin ").endswith("…")


def test_ink_only_where_it_is_wanted():
    assert Page().ink("STALE", "bad") == "STALE"
    assert Page(colour=True).ink("STALE", "bad") == "\x1b[1;31mSTALE\x1b[0m"
    assert Page(colour=True).ink("", "bad") == ""
    assert Page(colour=True).ink("x", "plain") == "x"
