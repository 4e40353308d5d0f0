"""Invalidation tags: written to the letter, read to the letter, and read with an open mind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.statesync import Invalidation, TagError, format_invalidation, parse_invalidation

domains = st.text().filter(lambda text: text and "," not in text and text == text.strip())


def test_it_is_written_as_the_original_writes_it():
    tag = '<cache_invalidation cause="billing.refund" domains="billing.*, dashboard.invoices" />'
    assert format_invalidation("billing.refund", ["billing.*", "dashboard.invoices"]) == tag
    assert parse_invalidation(tag) == Invalidation(cause="billing.refund", domains=("billing.*", "dashboard.invoices"))


def test_five_characters_are_escaped():
    tag = format_invalidation("&<>\"'", ["&<>\"'"])
    assert tag == '<cache_invalidation cause="&amp;&lt;&gt;&quot;&apos;" domains="&amp;&lt;&gt;&quot;&apos;" />'
    assert format_invalidation("&amp;", ["a"]) == '<cache_invalidation cause="&amp;amp;" domains="a" />'


def test_duplicates_are_kept():
    assert parse_invalidation(format_invalidation("a", ["b.*", "b.*"])).domains == ("b.*", "b.*")


@given(st.text(), st.lists(domains, min_size=1, max_size=4))
def test_it_reads_what_it_wrote(cause, domains):
    assert parse_invalidation(format_invalidation(cause, domains)) == Invalidation(cause=cause, domains=tuple(domains))


@pytest.mark.parametrize("domains", [[], [""], ["a,b"], ["a, b"], [" a"], ["a\n"]])
def test_what_would_be_read_otherwise_is_not_written(domains):
    with pytest.raises(TagError):
        format_invalidation("a", domains)


LIKE_A_TAG = [
    (' <cache_invalidation cause="a" domains="b" />', "a", ("b",)),
    ('<cache_invalidation cause="a" domains="b" />\n', "a", ("b",)),
    ('<cache_invalidation cause="a" domains="b"/>', "a", ("b",)),
    ('<cache_invalidation  cause="a" domains="b" />', "a", ("b",)),
    ('<cache_invalidation domains="b" cause="a" />', "a", ("b",)),
    ("<cache_invalidation cause='a' domains='b' />", "a", ("b",)),
    ('<CACHE_INVALIDATION Cause = "a" Domains="b">', "a", ("b",)),
    ('<cache_invalidation cause="a" domains="b"></cache_invalidation>', "a", ("b",)),
    ('<cache_invalidation cause="a&#x27;s" domains="b" />', "a's", ("b",)),
    ('<cache_invalidation cause="a & b" domains="b" />', "a & b", ("b",)),
    ('<cache_invalidation cause="a" domains="b,c" />', "a", ("b", "c")),
    ('<cache_invalidation cause="a" domains="b, , c ," />', "a", ("b", "c")),
    ('<cache_invalidation cause="a" domains="" />', "a", ()),
    ('<cache_invalidation cause="a" domains="b" at="now" />', "a", ("b",)),
    ('<cache_invalidation cause="a" domains="b" domains="c" />', "a", ("b",)),
    ('<cache_invalidation domains="b" />', "", ("b",)),
    ('<cache_invalidation cause="a" />', "a", ()),
    ("<cache_invalidation/>", "", ()),
]


@pytest.mark.parametrize(("text", "cause", "domains"), LIKE_A_TAG)
def test_what_is_like_a_tag_is_read_only_leniently(text, cause, domains):
    assert parse_invalidation(text) is None
    assert parse_invalidation(text, lenient=True) == Invalidation(cause=cause, domains=domains, exact=False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a result",
        '<cache_invalidation cause="a" domains="b" /> and more',
        'The tag is <cache_invalidation cause="TOOL" domains="PATTERNS" />',
        '<cache_invalidation cause="a" domains="b" /><cache_invalidation cause="a" domains="b" />',
        '<cache_invalidations cause="a" domains="b" />',
        '<cache_invalidation cause="a domains="b" />',
        "<cache_invalidation cause=a domains=b />",
        '<cache_invalidation cause="a" domains="b"',
        "[System: Cache invalidated for billing.* caused by billing.refund]",
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_anything_else_is_no_tag(text, lenient):
    assert parse_invalidation(text, lenient=lenient) is None


def test_an_exact_tag_is_exact_to_a_lenient_reader_too():
    tag = format_invalidation("a", ["b"])
    assert parse_invalidation(tag, lenient=True) == parse_invalidation(tag)


def test_domains_that_reach_nothing_are_told():
    read = parse_invalidation('<cache_invalidation cause="a" domains="billing.get_*, billing.*" />')
    assert read.illegal == ("billing.get_*",)


@given(st.text(alphabet="<>/='\"& ,;abcq_#x", max_size=30))
def test_no_text_makes_it_fail(text):
    for candidate in (text, f"<cache_invalidation {text}", f'<cache_invalidation cause="{text}" domains="a" />'):
        read = parse_invalidation(candidate, lenient=True)
        assert read is None or read.exact is (parse_invalidation(candidate) is not None)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        f'<cache_invalidation cause="{"a" * 2_000_000}',
        f'<cache_invalidation cause="{"&amp;" * 400_000}" domains="a"',
        f"<cache_invalidation {'a' * 2_000_000}",
        f"<cache_invalidation {' ' * 2_000_000}",
        "<cache_invalidation" + ' a="b"' * 300_000,
        " " * 2_000_000,
    ],
    ids=["value", "entities", "name", "spaces", "attributes", "nothing"],
)
def test_no_text_takes_long(text):
    assert parse_invalidation(text, lenient=True) is None
