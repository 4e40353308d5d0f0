"""Snapshots are listed under the server and credential that they are of, and shown with their tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Observation
from diagnose.evidence.redact import Redactor
from diagnose.report.snapshots import pruned_text, records_json, records_text, snapshot_json, snapshot_text
from diagnose.store.snapshot import Snapshot, snapshot_of
from diagnose.surface import Surface

TOOLS: list[Any] = [{"name": "pick"}, {"name": "prune\x1b[2J"}, None, {"x": 1}]


def _taken(*, of: str = "a.test/mcp", by: str = "none", minute: int = 0, **fields: Any) -> Snapshot:
    seen = Observation(
        layer="origin",
        surface=Surface.of(TOOLS),
        **{"at": f"2026-11-30T12:{minute:02d}:00.000Z", "era": "modern", "source": "tools/list", **fields},
    )
    target = Target(id=of, transport="http", endpoint=f"https://{of}")
    return snapshot_of(seen, target, by, redactor=Redactor())


def test_a_line_a_snapshot_under_its_server_and_credential() -> None:
    one, two, three = _taken(), _taken(minute=1, complete=False), _taken(by="fp:0123456789", era=None)
    revision = (Surface.of(TOOLS).revision or "")[:8]
    assert records_text([one.record, three.record, two.record], Redactor(), width=80).splitlines() == [
        "a.test/mcp  (no credential)",
        f"  {one.id}  2026-11-30 12:00:00Z  2 tools    {revision}  modern",
        f"  {two.id}  2026-11-30 12:01:00Z  2 tools    {revision}  modern  incomplete",
        "a.test/mcp  (credential fp:0123456789)",
        f"  {three.id}  2026-11-30 12:00:00Z  2 tools    {revision}",
    ]


def test_no_snapshots_are_said() -> None:
    assert records_text([], Redactor(), width=80) == "no snapshots"


@pytest.mark.parametrize("width", [40, 60, 200])
def test_it_fits_the_page_and_nothing_acts(width: int) -> None:
    snapshot = _taken(
        of="x\u202e" * 200, server_info={"name": "\x1b]0;x\x07" * 90, "version": ["1"]}, protocol_version="\n"
    )
    for text in (
        records_text([snapshot.record], Redactor(), width=width),
        snapshot_text(snapshot, Redactor(), width=width),
    ):
        assert max(map(len, text.splitlines())) <= width
        assert all(line.isprintable() for line in text.splitlines())


def test_one_snapshot_is_shown_with_what_is_known_and_its_tools_in_order() -> None:
    lines = snapshot_text(_taken(), Redactor(), width=100).splitlines()
    shown = dict(line.split(maxsplit=1) for line in lines if not line.startswith(" "))
    assert (shown["target"], shown["credential"], shown["complete"], shown["tools"]) == (
        "a.test/mcp",
        "no credential",
        "yes",
        "2",
    )
    assert "protocol" not in shown
    assert [line.strip() for line in lines if line.startswith(" ")] == ["pick", "prune\\x1b[2J"] + [
        "(an entry that is no tool)"
    ] * 2


def test_the_documents_have_one_schema() -> None:
    snapshot = _taken()
    listed = json.loads(records_json([snapshot.record], Redactor(), added=1))
    shown = json.loads(snapshot_json(snapshot, Redactor()))
    assert list(listed) == ["schema", "tool", "added", "snapshots"]
    assert listed["schema"] == shown["schema"] == "diagnose.snapshots/1"
    entry = shown["snapshots"][0]
    assert entry.pop("tools") == TOOLS
    assert [entry] == listed["snapshots"]


def test_what_was_pruned_and_what_would_be_are_told_apart() -> None:
    records = [_taken().record]
    would = pruned_text(records, Redactor(), width=80, done=False, of=3).splitlines()
    assert (would[0], would[-1]) == ("would remove 1 of 3 snapshots:", "nothing was removed; say --yes to remove them")
    assert pruned_text(records, Redactor(), width=80, done=True, of=3).splitlines()[0] == "removed 1 of 3 snapshots:"
    assert pruned_text([], Redactor(), width=80, done=True, of=3) == "nothing to remove: all 3 snapshots stay"
