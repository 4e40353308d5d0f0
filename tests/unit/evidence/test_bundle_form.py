"""The bundle as a document: what is read from it, from where, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from diagnose.errors import InputError
from diagnose.evidence.bundle import Bundle
from diagnose.evidence.bundle_form import SCHEMA, bundle_of
from diagnose.surface import Surface

TOOL = {"name": "pick_apples", "description": "Pick.", "inputSchema": {"type": "object"}}
PRUNE = {**TOOL, "name": "prune_tree"}
HEADER = {"schema": "diagnose.recording/1", "transport": "stdio"}
EVENT = {"t": 0, "from": "client", "message": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}


def made(**layers: Any) -> Bundle:
    return bundle_of({"schema": SCHEMA, "createdAt": "2026-11-30T12:00:00Z", "layers": layers})


def inline(**content: Any) -> dict[str, Any]:
    return {"inline": content}


def test_all_that_a_layer_says_is_kept():
    seen = made(
        origin=inline(
            tools=[TOOL],
            at="2026-11-30T11:00:00Z",
            source="tools/list",
            principal="A",
            era="modern",
            protocolVersion="2026-07-28",
            serverInfo={"name": "orchard"},
            capabilities={"tools": {}},
            instructions="Pick first.",
            advertised={"initialize": "a", "list": "b", "count": 1},
            ttlMs=5,
            cacheScope="private",
            pages=[{"cursor": None, "nextCursor": "2", "names": ["pick_apples"], "ttlMs": 5, "cacheScope": "private"}],
            meta={"x": 1},
        )
    ).origin
    assert seen is not None
    assert seen.surface is not None
    assert (seen.surface.names, seen.surface.instructions) == (("pick_apples",), "Pick first.")
    assert (seen.era, seen.principal, seen.ttl_ms, seen.cache_scope) == ("modern", "A", 5, "private")
    assert (seen.advertised.list, seen.advertised.count, seen.pages[0].next_cursor) == ("b", 1, "2")
    assert (seen.complete, seen.failure, seen.layer) == (True, None, "origin")


def test_a_version_tells_its_era():
    assert [made(origin=inline(tools=[], protocolVersion=v)).origin.era for v in ("2026-07-28", "2025-06-18", "2030")] == ["modern", "legacy", None]  # type: ignore[union-attr]  # fmt: skip


def test_names_alone_are_known_as_such():
    seen = made(model=inline(tools=["pick_apples"], turn=2, servers=[{"name": "orchard", "status": "connected"}])).model
    assert seen is not None
    assert (seen.names_only, seen.turn, len(seen.servers)) == (True, 2, 1)


def test_a_walk_that_did_not_end_is_not_complete():
    seen = made(origin=inline(tools=[TOOL], complete=False)).origin
    assert seen is not None
    assert not seen.complete


@pytest.mark.parametrize(
    ("error", "rule"),
    [
        ({"code": -32603, "message": "No."}, "list-error"),
        ({"status": 401}, "auth-blocked"),
        ({"rule": "timed-out"}, "timed-out"),
    ],
)
def test_an_error_stands_in_the_place_of_tools(error, rule):
    seen = made(origin=inline(error=error)).origin
    assert seen is not None
    assert seen.failure is not None
    assert (seen.failure.rule, seen.surface) == (rule, None)


def test_the_surface_itself_is_the_latest_sample():
    written_twice = made(origin=inline(tools=[PRUNE], samples=[{"tools": [TOOL]}, {"tools": [PRUNE]}])).origin
    written_once = made(origin=inline(tools=[PRUNE], samples=[{"tools": [TOOL]}])).origin
    for seen in (written_twice, written_once):
        assert seen is not None
        assert [sample.surface.names for sample in seen.samples if sample.surface] == [
            ("pick_apples",),
            ("prune_tree",),
        ]


def test_a_redacted_definition_is_known_by_its_digest():
    digest = Surface.of([TOOL]).tools[0].digest
    seen = made(origin=inline(tools=[{"name": "pick_apples", "$redacted": True, "$digest": digest}])).origin
    assert seen is not None
    assert seen.surface is not None
    assert seen.surface.tools[0].digest == digest


def test_what_no_strict_json_carries_is_an_anomaly():
    seen = made(origin=inline(tools=[{**TOOL, "description": "ok \ud83c"}])).origin
    assert seen is not None
    assert [(anomaly.kind, anomaly.where) for anomaly in seen.anomalies] == [("lone-surrogate", "/tools/0/description")]


def test_the_build_is_read_with_its_samples():
    seen = made(deployed=inline(expected={"build": "a"}, observed={"version": "1", "health": "ok", "startedAt": "t", "samples": [{"version": "1"}, {"version": "2"}]})).deployed  # fmt: skip
    assert seen is not None
    assert seen.expected is not None
    assert seen.observed is not None
    assert (seen.expected.build, seen.observed.started_at, [each.version for each in seen.samples]) == (
        "a",
        "t",
        ["1", "2"],
    )


@pytest.mark.parametrize("many", [True, False])
def test_a_recording_is_one_or_many(many):
    one = {"inline": [HEADER, EVENT]}
    assert [len(each.events) for each in made(wire=[one, one] if many else one).wire] == [1] * (2 if many else 1)


def test_files_come_through_the_function_that_was_handed_in():
    asked = []
    files = {
        "wire.jsonl": "\n".join(map(json.dumps, (HEADER, EVENT))).encode(),
        "origin.json": json.dumps({"tools": [TOOL]}).encode(),
    }

    def read_file(name: str) -> bytes:
        asked.append(name)
        return files[name]

    document = {"schema": SCHEMA, "layers": {"origin": {"file": "origin.json"}, "wire": [{"file": "wire.jsonl"}]}}
    bundle = bundle_of(document, read_file)
    assert asked == ["origin.json", "wire.jsonl"]
    assert bundle.origin is not None
    assert len(bundle.wire[0].events) == 1


def test_alone_a_bundle_has_no_files():
    with pytest.raises(InputError, match="stands alone"):
        made(origin={"file": "../../etc/passwd"})


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "no bundle"),
        ({"schema": "diagnose.bundle/2"}, "no bundle"),
        ({"schema": SCHEMA}, "layers"),
        ({"schema": SCHEMA, "layers": {"origin": 3}}, "layers/origin"),
        ({"schema": SCHEMA, "layers": {"origin": {"inline": {}}}}, "expected `tools`"),
        ({"schema": SCHEMA, "layers": {"origin": {"inline": {"tools": {}}}}}, "layers/origin/tools: expected a list"),
        (
            {"schema": SCHEMA, "layers": {"origin": {"inline": {"tools": [], "at": 3}}}},
            "at: expected a text, got a number",
        ),
        ({"schema": SCHEMA, "layers": {"wire": {"inline": {}}}}, "layers/wire"),
        ({"schema": SCHEMA, "layers": {"wire": {"inline": [{}]}}}, "no recording"),
        ({"schema": SCHEMA, "layers": {"deployed": {"inline": []}}}, "layers/deployed"),
    ],
)
def test_what_is_none_is_refused_with_its_place(document, says):
    with pytest.raises(InputError, match=says):
        bundle_of(document)


def test_a_layer_that_is_not_known_is_told():
    assert "'moon'" in made(moon=inline()).notes[0]


def test_the_client_and_its_lists_are_read():
    document = {
        "schema": SCHEMA,
        "target": {"transport": "http", "endpoint": "https://orchard.test/mcp?x=1"},
        "client": {"id": "codex", "version": "1", "serverKey": "orchard", "allow": ["a", 3]},
        "layers": {},
    }
    bundle = bundle_of(document)
    assert bundle.client is not None
    assert (bundle.client.id, bundle.client.server_key, bundle.client.allow) == ("codex", "orchard", ("a",))
    assert (bundle.target.id, bundle.target.transport) == ("orchard.test/mcp", "http")
