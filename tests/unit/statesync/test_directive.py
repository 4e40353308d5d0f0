"""Directives in descriptions: the original's table, and where we do better on purpose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.statesync import (
    PolicyError,
    directive_flaws,
    find_directives,
    read_directive,
    strip_directives,
    write_directive,
)

STORE, HOLD = "[Cache-Control: no-store]", "[Cache-Control: immutable]"

pieces = st.sampled_from(
    [
        "Foo",
        " ",
        "\n",
        "\u00a0",
        STORE,
        HOLD,
        "[cache-control:x]",
        "[Cache-Control: ",
        "]",
        "[",
        "[Cache-Control: a b ]",
    ]
)
descriptions = st.lists(pieces, max_size=8).map("".join)
values = st.sampled_from(["no-store", "immutable"])


@pytest.mark.parametrize("description", [None, ""])
def test_without_a_description_the_directive_stands_alone(description):
    assert write_directive(description, "no-store") == STORE


@pytest.mark.parametrize(
    "description",
    [
        "Foo",
        f"Foo {STORE}",
        f"Foo{STORE}",
        "Foo [Cache-Control:no-store]",
        "Foo [Cache-Control : no-store]",
        "Foo [Cache-Control: max-age=60]",
    ],
)
def test_it_is_written_as_the_original_writes_it(description):
    assert write_directive(description, "immutable") == f"Foo {HOLD}"


@pytest.mark.parametrize(
    "description",
    [
        f"Foo {STORE} {HOLD}",  # the original keeps the first: two that contradict each other
        "Foo [cache-control: no-store]",  # the same
        f"Foo {STORE} ",  # the same
        "Foo ",  # the original: two spaces
        f"Foo\n\n{STORE}",
    ],
)
def test_where_the_original_would_contradict_itself_one_directive_is_left(description):
    assert write_directive(description, "immutable") == f"Foo {HOLD}"


def test_white_space_alone_is_no_description():
    assert write_directive(" \n ", "immutable") == HOLD


def test_what_stands_before_other_text_is_the_author_s():
    assert write_directive(f"{STORE} Foo", "immutable") == f"{STORE} Foo {HOLD}"
    assert write_directive("Foo [READ-ONLY]", "no-store") == f"Foo [READ-ONLY] {STORE}"
    assert write_directive("Foo [Cache-Control: ]", "no-store") == f"Foo [Cache-Control: ] {STORE}"


@pytest.mark.parametrize("value", ["", "max-age=60", "IMMUTABLE", 1])
def test_there_are_two_values(value):
    with pytest.raises(PolicyError, match="expected no-store or immutable"):
        write_directive("Foo", value)


@given(descriptions, values, values)
def test_it_reads_what_it_wrote_and_twice_is_once(description, value, other):
    once = write_directive(description, value)
    assert read_directive(once) == value
    assert write_directive(once, value) == once
    assert write_directive(write_directive(description, other), value) == once


@given(descriptions)
def test_stripping_leaves_no_directive_at_the_end(description):
    stripped = strip_directives(description)
    assert description.startswith(stripped)
    assert read_directive(stripped) is None
    assert strip_directives(stripped) == stripped
    assert strip_directives(write_directive(description, "no-store")) == stripped.rstrip()


@pytest.mark.parametrize(
    ("description", "value"),
    [
        (None, None),
        ("Foo", None),
        (HOLD, "immutable"),
        (f"Foo {STORE}", "no-store"),
        (f"Foo {STORE}\n", "no-store"),
        (f"{HOLD} Foo {STORE}", "no-store"),
        (f"{HOLD} Foo", None),
        ("Foo [Cache-Control: max-age=60]", None),
        ("Foo [cache-control: no-store]", None),
        ("Foo [Cache-Control:no-store]", None),
        ("Foo [Cache-Control: no-store ]", None),
    ],
)
def test_reading_is_strict(description, value):
    assert read_directive(description) == value


def test_finding_is_not():
    text = f"[cache-control :x] Foo [CACHE-CONTROL: no-store ] [Cache-Control: a [b]] {HOLD}"
    found = find_directives(text)
    assert [(one.value, one.exact) for one in found] == [("x", False), ("no-store", False), ("immutable", True)]
    assert [text[one.start : one.end] for one in found] == [one.written for one in found]


@pytest.mark.parametrize(
    ("description", "kinds"),
    [
        (None, []),
        ("Foo", []),
        (HOLD, []),
        (f"Foo {HOLD}", []),
        (f"List [READ-ONLY] {STORE}", []),
        (f"Workflow:\n- a\n- b {STORE}", []),
        (f"Foo  {HOLD}", ["spacing"]),
        (f"Foo{HOLD}", ["spacing"]),
        (f"Foo\n{HOLD}", ["spacing"]),
        (f"  {HOLD}", ["spacing"]),
        (f"Foo {HOLD} ", ["not-at-end"]),
        (f"{HOLD} Foo", ["not-at-end"]),
        (f"Foo {HOLD} {HOLD}", ["several"]),
        ("Foo [Cache-Control: max-age=60]", ["unknown-value"]),
        ("Foo [cache-control: no-store]", ["spelling"]),
        ("Foo [Cache-Control:no-store]", ["spelling"]),
        (
            "[Cache-Control: max-age=60] Shelf [READ-ONLY] [Cache-Control: no-store]",
            ["not-at-end", "unknown-value", "several"],
        ),
    ],
)
def test_flaws(description, kinds):
    assert [flaw.kind for flaw in directive_flaws(description)] == kinds


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        " " * 2_000_000 + "x",
        HOLD * 80_000,
        f"{HOLD} " * 80_000 + "x",
        "[cache-control" + " " * 2_000_000,
        "[Cache-Control: x" * 100_000,
    ],
    ids=["spaces", "tags", "tags and text", "name and spaces", "open tags"],
)
def test_no_text_takes_long(text):
    assert read_directive(write_directive(text, "immutable")) == "immutable"
    directive_flaws(text)
