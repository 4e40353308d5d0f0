"""The result of `diff` answers in its first line, and its document is the contract's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from diagnose.evidence.observation import Observation
from diagnose.evidence.redact import Redactor
from diagnose.jobs.diff import Comparison, compare
from diagnose.report.diff import diff_json, diff_text
from diagnose.surface import Surface


def _compared(older: list[Any], newer: list[Any], *, names_only: bool = False, source: str = "a.json") -> Comparison:
    return compare(
        Observation(layer="baseline", surface=Surface.of(older), source=source, at="2026-11-30T12:00:00.000Z"),
        Observation(layer="baseline", surface=Surface.of(newer, names_only=names_only), source="b.json"),
    )


def _text(comparison: Comparison, width: int = 80) -> str:
    return diff_text(comparison, Redactor(), width=width)


A, B = {"name": "a"}, {"name": "b", "description": "quite another tool", "inputSchema": {"type": "object"}}


def test_the_document_is_that_of_the_contract() -> None:
    document = json.loads(diff_json(_compared([A], [B]), Redactor()))
    assert list(document) == ["schema", "tool", "from", "to", "relation", "impact", "changes"]
    assert document["schema"] == "diagnose.diff/1"
    assert document["from"] == {
        "source": "a.json",
        "at": "2026-11-30T12:00:00.000Z",
        "count": 1,
        "revision": Surface.of([A]).revision,
        "digest": Surface.of([A]).digest,
    }
    assert (document["relation"], document["impact"]) == ("different", "breaking")
    assert [(change["tool"], change["kind"]) for change in document["changes"]] == [("a", "removed"), ("b", "added")]


def test_the_document_of_equal_surfaces_has_no_impact() -> None:
    document = json.loads(diff_json(_compared([A], [A]), Redactor()))
    assert (document["relation"], document["impact"], document["changes"]) == ("equal", None, [])


def test_the_document_is_strict_json_whatever_a_server_sent() -> None:
    odd = {"name": "a", "description": "\ud800\u202e", "x": float("nan")}
    text = diff_json(_compared([A], [odd]), Redactor())
    text.encode()
    assert "\u202e" not in text
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize(
    ("comparison", "first", "last"),
    [
        (_compared([A], [A]), "equal: the definitions are the same", "  to    b.json  1 tool  revision "),
        (
            _compared([A], [{**A, "icons": []}]),
            "equivalent: nothing that a caller or a model sees has changed",
            "      + []",
        ),
        (_compared([A], [B]), "different (breaking): 1 tool removed, 1 added", "compatible + b  added"),
        (
            _compared([A], ["a"], names_only=True),
            "unknown: no difference was found, but not everything could be compared",
            "Of one side only the names are known; equal names prove nothing about definitions.",
        ),
        (
            _compared([{**A, "title": "x"}], [{**A, "title": "y"}]),
            "different (routing): 1 tool changed",
            "The revision is the same on both sides: it does not cover what has changed.",
        ),
        (
            _compared([{**A, "x": float("nan")}], [{**A, "x": float("nan")}]),
            "unknown: no difference was found, but not everything could be compared",
            "A definition has no digest: it holds a lone surrogate or a number that is not finite.",
        ),
    ],
    ids=["equal", "equivalent", "different", "names", "revision", "digest"],
)
def test_the_first_line_is_the_answer(comparison: Comparison, first: str, last: str) -> None:
    lines = _text(comparison, 100).splitlines()
    assert lines[0] == first
    assert lines[-1].startswith(last)


@pytest.mark.parametrize("width", [40, 60, 200])
def test_it_fits_the_page_and_loses_nothing_of_the_answer(width: int) -> None:
    text = _text(_compared([A], [B], source="folder/" * 30), width)
    assert max(map(len, text.splitlines())) <= width
    assert " ".join(text.split()).startswith("different (breaking): 1 tool removed, 1 added")


@pytest.mark.parametrize("width", [60, 80])
def test_a_long_name_takes_nothing_from_the_facts(width: int) -> None:
    first, second = _text(_compared([A], [A], source="http://127.0.0.1:34415/mcp/" * 2), width).splitlines()[1:3]
    assert first.startswith("  from  http://127.0.0.1:34415/mcp/")
    assert second.split() == ["1", "tool", "revision", second.split()[3], "2026-11-30T12:00:00.000Z"]
