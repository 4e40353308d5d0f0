"""Every shape in which a tool list is found in a file is read; what is no whole list is refused in one sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from diagnose.errors import InputError
from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Observation
from diagnose.evidence.redact import Redactor
from diagnose.jobs.documents import read_document
from diagnose.store.portable import write_document
from diagnose.store.snapshot import snapshot_of
from diagnose.surface import Surface

TOOLS = [{"name": "pick"}, {"name": "prune", "inputSchema": {"type": "object"}}]


def _export(*minutes: int) -> dict[str, Any]:
    target = Target(id="t", transport="http", endpoint="http://t")
    seen = [
        Observation(layer="origin", surface=Surface.of(TOOLS), at=f"2026-11-30T12:{minute:02d}:00.000Z")
        for minute in minutes
    ]
    document: dict[str, Any] = json.loads(
        write_document([snapshot_of(each, target, "none", redactor=Redactor()) for each in seen])
    )
    return document


def _read(value: Any) -> Observation:
    return read_document(json.dumps(value).encode(), "a.json")


@pytest.mark.parametrize(
    "value",
    [
        TOOLS,
        {"tools": TOOLS},
        {"tools": TOOLS, "nextCursor": None},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}},
        {"schema": "diagnose.manifest/1", "count": 2, "tools": TOOLS},
        {"tools": TOOLS, "complete": True, "era": "legacy", "session": "running"},
        _export(0),
    ],
    ids=["bare", "object", "null cursor", "answer", "manifest", "bundle layer", "export"],
)
def test_a_whole_list_is_read_from_any_shape(value: Any) -> None:
    seen = _read(value)
    assert seen.surface is not None
    assert seen.surface.digest == Surface.of(TOOLS).digest
    assert seen.layer == "baseline"


def test_what_a_layer_says_beside_its_tools_is_kept() -> None:
    seen = _read(
        {
            "tools": TOOLS,
            "at": "2026-11-30T12:00:00.000Z",
            "instructions": "Be kind.",
            "capabilities": {"tools": {}},
            "advertised": {"list": "r", "count": 2},
            "ttlMs": -1,
        }
    )
    assert seen.surface is not None
    assert (seen.at, seen.surface.instructions, seen.capabilities) == (
        "2026-11-30T12:00:00.000Z",
        "Be kind.",
        {"tools": {}},
    )
    assert (seen.advertised.list, seen.advertised.count, seen.ttl_ms) == ("r", 2, -1)


def test_values_of_the_wrong_type_are_left_out_and_not_believed() -> None:
    seen = _read(
        {"tools": TOOLS, "at": 7, "instructions": [], "capabilities": "x", "advertised": 1, "serverInfo": None}
    )
    assert seen.surface is not None
    assert (seen.at, seen.surface.instructions, seen.capabilities, seen.advertised.list) == (None, None, None, None)


def test_names_alone_are_no_definitions() -> None:
    seen = _read({"tools": ["pick", {"name": "prune"}], "namesOnly": True})
    assert seen.names_only
    assert seen.surface is not None
    assert seen.surface.names == ("pick", "prune")
    assert seen.surface.digest is None


def test_a_mark_of_redaction_in_a_file_is_not_believed() -> None:
    digest = Surface.of([{"name": "pick"}]).tools[0].digest
    seen = _read({"tools": [{"name": "pick", "description": "x", "$redacted": True, "$digest": digest}]})
    assert seen.surface is not None
    assert seen.surface.tools[0].digest != digest


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (7, "holds no surface"),
        ("text", "holds no surface"),
        ({}, "has no list `tools`"),
        ({"tools": None}, "has no list `tools`"),
        ({"tools": "x"}, "has no list `tools`"),
        ({"schema": "diagnose.diff/1"}, "is a document diagnose.diff/1"),
        (
            {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}},
            "holds an error answer, no list: -32603 no",
        ),
        ({"jsonrpc": "2.0", "method": "tools/list"}, "without a result"),
        ({"tools": TOOLS, "nextCursor": ""}, "one page of a longer list"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS, "nextCursor": "2"}}, "one page of a longer list"),
        ({"tools": TOOLS, "complete": False}, "not complete"),
        (_export(), "holds 0 snapshots"),
        (_export(0, 1), "holds 2 snapshots"),
        ({"schema": "diagnose.snapshots/1", "snapshots": []}, "come without definitions"),
    ],
)
def test_what_is_no_whole_list_is_refused(value: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        _read(value)


@pytest.mark.parametrize("data", [b"", b"<html>", b"{}{}", b"[" * 100_000, b"\xff\xfe"])
def test_what_is_no_json_is_refused_by_its_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^a\.json cannot be read: expected "):
        read_document(data, "a.json")
