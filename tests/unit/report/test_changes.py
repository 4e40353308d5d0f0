"""A change says what differs where, the worst first, and neither acts on a terminal nor tells a credential."""

from __future__ import annotations

import pytest

from diagnose.evidence.redact import Redactor
from diagnose.report.changes import SHOWN_DETAILS, change_document, change_lines, summary
from diagnose.surface import ABSENT, Change, Detail


def _lines(*changes: Change, width: int = 80, redactor: Redactor | None = None) -> list[str]:
    return list(change_lines(changes, redactor or Redactor(), width=width))


def _changed(*details: Detail, tool: str = "a") -> Change:
    return Change(tool=tool, kind="changed", impact="breaking", details=details)


def test_the_worst_comes_first_and_each_kind_has_its_sign() -> None:
    assert _lines(
        Change(tool="new", kind="added", impact="compatible"),
        Change(tool="b", kind="renamed", was="a", confidence="possible", impact="breaking"),
        Change(tool=None, kind="changed", impact="behaviour", details=(_listening(),)),
        Change(tool="gone", kind="removed", impact="breaking"),
    ) == [
        "breaking   > b  renamed from a, possibly",
        "breaking   - gone  removed",
        "behaviour  ~ capabilities.tools.listChanged  changed",
        "    /capabilities/tools/listChanged  behaviour",
        "      - true",
        "compatible + new  added",
    ]


def _listening() -> Detail:
    return Detail(path="/capabilities/tools/listChanged", was=True, now=ABSENT, impact="behaviour")


def test_details_are_shown_worst_first_and_up_to_a_number() -> None:
    details = [Detail(path=f"/{n}", was=n, now=ABSENT, impact="cosmetic") for n in range(SHOWN_DETAILS)]
    lines = _lines(_changed(*details, Detail(path="/x", was=None, now=1, impact="breaking")))
    assert lines[1:4] == ["    /x  breaking", "      - null", "      + 1"]
    assert lines[-1] == "    … and 1 more; --format json has them all"


def test_two_long_texts_are_cut_so_that_the_difference_is_seen() -> None:
    same = "word " * 40
    detail = Detail(path="/description", was=f"{same}before", now=f"{same}after", impact="routing")
    _, _, was, now = _lines(_changed(detail), width=60)
    assert was.endswith('before"')
    assert now.endswith('after"')
    assert max(len(was), len(now)) <= 60


def test_a_long_name_leaves_room_for_what_became_of_it() -> None:
    (line,) = _lines(Change(tool="n" * 64, kind="removed", impact="breaking"), width=60)
    assert line.endswith("n…  removed")
    (line,) = _lines(Change(tool="n" * 64, was="w" * 64, kind="renamed", impact="breaking"), width=60)
    assert "n…  renamed from w" in line


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    details = [Detail(path="/p" * 200, was="x" * n, now="x" * 300 + "y" * n, impact="unclear") for n in (1, 50, 400)]
    assert max(map(len, _lines(_changed(*details, tool="t" * 300), width=width))) <= width


def test_what_a_server_said_cannot_act() -> None:
    evil = "\x1b[2J\u202e\n"
    lines = _lines(_changed(Detail(path=f"/{evil}", was=evil, now=ABSENT, impact="routing"), tool=evil))
    assert all(line.isprintable() for line in lines)


def test_values_are_redacted_by_value_by_shape_and_by_the_names_above_them() -> None:
    redactor = Redactor(["hunter2-correct-horse"])
    change = _changed(
        Detail(path="/description", was="say hunter2-correct-horse", now="Bearer abcdefghijklmnop", impact="routing"),
        Detail(path="/_meta/api_key", was="plain", now=ABSENT, impact="cosmetic"),
        Detail(path="/inputSchema/properties/token", was={"type": "string"}, now=ABSENT, impact="breaking"),
    )
    shown = "\n".join(_lines(change, redactor=redactor))
    for secret in ("hunter2", "abcdefghijklmnop", "plain"):
        assert secret not in shown
    assert '{"type": "string"}' in shown  # a schema that describes a token is none
    details = change_document(change, redactor)["details"]
    assert details[1] == {"path": "/_meta/api_key", "from": "***", "impact": "cosmetic"}


def test_the_document_leaves_a_missing_value_out_and_keeps_null() -> None:
    document = change_document(_changed(Detail(path="/x", was=None, now=ABSENT, impact="cosmetic")), Redactor())
    assert document == {
        "tool": "a",
        "was": None,
        "kind": "changed",
        "confidence": "proven",
        "impact": "breaking",
        "details": [{"path": "/x", "from": None, "impact": "cosmetic"}],
    }


def test_the_summary_counts_by_kind() -> None:
    assert summary([Change(tool="a", kind="removed", impact="breaking")] * 2) == "2 tools removed"
    assert (
        summary(
            [
                Change(tool="a", kind="added", impact="compatible"),
                Change(tool="b", kind="changed", impact="routing"),
                Change(tool=None, kind="changed", impact="behaviour", details=(_listening(),)),
            ]
        )
        == "1 tool changed, 1 added, capabilities.tools.listChanged changed"
    )


def test_colour_only_where_it_is_wanted_and_never_alone() -> None:
    change = Change(tool="a", kind="removed", impact="breaking")
    (coloured,) = change_lines([change], Redactor(), width=80, colour=True)
    assert "\x1b[" in coloured
    assert "breaking" in coloured
    assert "\x1b[" not in _lines(change)[0]
