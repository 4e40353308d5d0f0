"""Every cause of the server's side, with the evidence that shows it, and its nearest neighbours that must not.

Each row is one bundle; the verdict is state, layer and cause, and no other error may stand beside it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from unit.judge.looks import (
    ORCHARD,
    PICK,
    PRESS,
    PRUNE,
    RIPEN,
    SHA_A,
    SHA_B,
    advertised,
    answer,
    baseline,
    build,
    deployed,
    failing,
    judged,
    manifest,
    origin,
    paged,
    rules,
    tool,
    walks,
)

from diagnose.evidence.observation import Anomaly, Build, Page

RIPEN_NEW = tool("ripen", "Ripen, and say for how long.")
RIPEN_TITLED = {**RIPEN, "icons": [{"src": "https://orchard.test/ripen.png"}]}
GROWN = [*ORCHARD, PRESS]
REWORDED = [PICK, PRUNE, RIPEN_NEW]
NOT_SIX = 600.0
WITH_FLOAT = [tool("pick_apples", inputSchema={"type": "object", "properties": {"s": {"default": NOT_SIX}}})]
WITH_INT = [tool("pick_apples", inputSchema={"type": "object", "properties": {"s": {"default": 600}}})]
TENANT = [*ORCHARD, tool("filesystem__read_file"), tool("git_diff")]
MERIDIAN = {"name": "meridian", "version": "0.2.0"}
IN_SYNC = ("in-sync", None, None)
OPEN = ("inconclusive", None, None)

_BOM = Anomaly(kind="bom", where="stdout line 1")
_CRLF = Anomaly(kind="crlf", where="stdout line 1")
_JUNK = Anomaly(kind="junk-line", where="stdout line 1", detail="Starting orchard…")
_TWICE = Anomaly(kind="duplicate-key", where="page 1 /tools/0/description")
_HALF = Anomaly(kind="lone-surrogate", where="page 1 /tools/0/description")


def schema(**keywords: Any) -> dict[str, Any]:
    return tool("ripen", inputSchema=keywords)


FOUND: list[tuple[str, dict[str, Any], tuple[str, str, str]]] = [
    ("a tool came", {"baseline": baseline(), "origin": origin(GROWN)}, ("stale", "baseline", "surface-changed")),
    ("a tool went", {"baseline": baseline(GROWN), "origin": origin()}, ("stale", "baseline", "surface-changed")),
    ("words changed", {"baseline": baseline(), "origin": origin(REWORDED)}, ("stale", "baseline", "surface-changed")),
    (
        "names alone differ",
        {"baseline": baseline(names_only=True), "origin": origin(GROWN)},
        ("stale", "baseline", "surface-changed"),
    ),
    (
        "a past of the other era",
        {"baseline": baseline(era="modern"), "origin": origin(GROWN)},
        ("stale", "baseline", "surface-changed"),
    ),
    (
        "a past of the other era, and a manifest that agrees",
        {"baseline": baseline(era="modern"), "manifest": manifest(GROWN), "origin": origin(GROWN)},
        ("stale", "baseline", "surface-changed"),
    ),
    (
        "the manifest fits and the past does not",
        {"manifest": manifest(GROWN), "baseline": baseline(), "origin": origin(GROWN)},
        ("stale", "baseline", "surface-changed"),
    ),
    (
        "an older version",
        {"deployed": deployed(build("0.1.9"), expected=Build(version="0.2.0")), "origin": walks(ORCHARD, ORCHARD)},
        ("stale", "deployed", "server-old-build"),
    ),
    (
        "another commit",
        {"deployed": deployed(build(sha=SHA_B), expected=Build(build=SHA_A)), "origin": walks(ORCHARD, ORCHARD)},
        ("stale", "deployed", "server-old-build"),
    ),
    (
        "a process older than its source",
        {
            "deployed": deployed(
                build(None, None, started_at="2026-09-09T08:00:00Z"), expected=Build(at="2026-09-12T08:00:00Z")
            ),
            "origin": walks(ORCHARD, ORCHARD),
        },
        ("stale", "deployed", "server-old-build"),
    ),
    (
        "an old build explains nothing else away, and goes first",
        {
            "deployed": deployed(build("0.1.9"), expected=Build(version="0.2.0")),
            "baseline": baseline(),
            "origin": origin(),
        },
        ("stale", "deployed", "server-old-build"),
    ),
    (
        "two commits of one endpoint",
        {"deployed": deployed(build(sha=SHA_A), build(sha=SHA_B)), "origin": walks(ORCHARD, ORCHARD)},
        ("stale", "deployed", "mixed-builds"),
    ),
    (
        "two commits of two endpoints",
        {"deployed": deployed(build(sha=SHA_A), build(sha=SHA_B, source="GET /version")), "origin": origin()},
        ("stale", "deployed", "mixed-builds"),
    ),
    (
        "two versions of one endpoint",
        {"deployed": deployed(build("0.1.9", None), build("0.2.0", None)), "origin": walks(ORCHARD, ORCHARD)},
        ("stale", "deployed", "mixed-builds"),
    ),
    (
        "two builds, and the lists differ for it",
        {
            "deployed": deployed(build(sha=SHA_A), build(sha=SHA_B)),
            "manifest": manifest(),
            "origin": origin(GROWN),
        },
        ("stale", "deployed", "mixed-builds"),
    ),
    (
        "a gate page",
        {"manifest": failing("manifest", "manifest-gated", status=200), "origin": walks(ORCHARD, ORCHARD)},
        ("broken", "manifest", "manifest-gated"),
    ),
    (
        "the manifest has a tool more",
        {"manifest": manifest(GROWN), "origin": origin()},
        ("stale", "origin", "manifest-disagrees"),
    ),
    (
        "the manifest has other words",
        {"manifest": manifest(REWORDED), "origin": origin()},
        ("stale", "origin", "manifest-disagrees"),
    ),
    (
        "a shared tool differs beside a tenant's own",
        {"manifest": manifest(REWORDED), "origin": origin(TENANT, server_info=MERIDIAN)},
        ("stale", "origin", "manifest-disagrees"),
    ),
    (
        "two underscores on a server that is no Meridian",
        {"manifest": manifest(), "origin": origin([*ORCHARD, tool("filesystem__read_file")])},
        ("stale", "origin", "manifest-disagrees"),
    ),
    *[
        (
            f"{name} is no name of a tunnel's tool",
            {"manifest": manifest(), "origin": origin([*ORCHARD, tool(name)], server_info=MERIDIAN)},
            ("stale", "origin", "manifest-disagrees"),
        )
        for name in ("__read", "fs__", "__", "fs_read")
    ],
    (
        "an observed build without samples",
        {
            "deployed": replace(deployed(expected=Build(version="0.2.0")), observed=build("0.1.0")),
            "origin": walks(ORCHARD, ORCHARD),
        },
        ("stale", "deployed", "server-old-build"),
    ),
    (
        "a tunnel's tool without a tunnel",
        {
            "manifest": manifest(),
            "origin": origin(
                [*ORCHARD, tool("fs__read")],
                server_info=MERIDIAN,
                meta={"meridian/toolManifest": {"tunnel": {"has_active_tunnel": False}}},
            ),
        },
        ("stale", "origin", "manifest-disagrees"),
    ),
    (
        "a list that is not the advertised one",
        {"origin": walks(ORCHARD, ORCHARD, advertised=advertised(list="0" * 64))},
        ("broken", "origin", "revision-mismatch"),
    ),
    (
        "a handshake that advertises another revision",
        {"origin": walks(ORCHARD, ORCHARD, advertised=advertised(initialize="0" * 64))},
        ("broken", "origin", "revision-mismatch"),
    ),
    (
        "a handshake that advertises two",
        {"origin": walks(ORCHARD, ORCHARD, advertised=advertised(initialize_meta="0" * 64))},
        ("broken", "origin", "revision-mismatch"),
    ),
    (
        "a revision that is none",
        {"origin": walks(ORCHARD, ORCHARD, advertised=advertised(list=7))},
        ("broken", "origin", "revision-mismatch"),
    ),
    (
        "a hop that rewrote a number",
        {"manifest": manifest(WITH_FLOAT), "origin": origin(WITH_INT, advertised=advertised(WITH_FLOAT))},
        ("broken", "origin", "revision-mismatch"),
    ),
    (
        "a count that is not that of the names",
        {"origin": walks(ORCHARD, ORCHARD, advertised=advertised(count=4))},
        ("broken", "origin", "count-mismatch"),
    ),
    (
        "a count that is no number",
        {"origin": walks(ORCHARD, ORCHARD, advertised=advertised(count="3"))},
        ("broken", "origin", "count-mismatch"),
    ),
    (
        "a count that is a truth value",
        {"origin": walks([PICK], [PICK], advertised=advertised([PICK], count=True))},
        ("broken", "origin", "count-mismatch"),
    ),
    (
        "an internal error for a list",
        {"origin": failing("origin", "list-error", code=-32603, capabilities={"tools": {}})},
        ("broken", "origin", "list-error"),
    ),
    (
        "method not found, though tools are declared",
        {"origin": failing("origin", "list-error", code=-32601, capabilities={"tools": {}})},
        ("broken", "origin", "list-error"),
    ),
    (
        "a refused credential",
        {"origin": failing("origin", "auth-blocked", status=401)},
        ("broken", "origin", "auth-blocked"),
    ),
    ("a cursor again", {"origin": failing("origin", "cursor-loop")}, ("broken", "origin", "cursor-loop")),
    (
        "an empty cursor that repeats a page",
        {"origin": failing("origin", "cursor-empty-string")},
        ("broken", "origin", "cursor-empty-string"),
    ),
    (
        "a fresh cursor refused",
        {"origin": failing("origin", "cursor-rejected", code=-32602)},
        ("broken", "origin", "cursor-rejected"),
    ),
    (
        "one definition on two pages",
        {"origin": paged([PICK, PRUNE], [PRUNE, RIPEN])},
        ("broken", "origin", "page-mixed-snapshot"),
    ),
    (
        "pages of two revisions",
        {"origin": paged([PICK], [PRUNE], revisions=["0" * 64, "1" * 64])},
        ("broken", "origin", "page-mixed-snapshot"),
    ),
    (
        "a walk that is put together from the ones beside it",
        {
            "origin": replace(
                origin([PRUNE, PRESS]),
                samples=(origin([PICK, RIPEN]), paged([PICK], [PRESS]), origin([PRUNE, PRESS])),
            )
        },
        ("broken", "origin", "page-mixed-snapshot"),
    ),
    (
        "a walk that lacks what both of its neighbours have",
        {
            "origin": replace(
                origin([PRUNE, RIPEN, PRESS]),
                samples=(
                    origin([PICK, PRUNE, RIPEN, PRESS]),
                    paged([PICK, PRUNE], [PRESS]),
                    origin([PRUNE, RIPEN, PRESS]),
                ),
            )
        },
        ("broken", "origin", "page-mixed-snapshot"),
    ),
    (
        "every walk mixes",
        {
            "origin": replace(
                paged([PICK, PRUNE], [PRUNE, RIPEN]),
                samples=(paged([PICK, PRUNE], [PRUNE, RIPEN]), paged([PICK, PRUNE], [PRUNE, RIPEN])),
            )
        },
        ("broken", "origin", "page-mixed-snapshot"),
    ),
    (
        "a mixed walk explains that the manifest differs",
        {"manifest": manifest(GROWN), "origin": paged([PICK, PRUNE], [PRUNE, RIPEN])},
        ("broken", "origin", "page-mixed-snapshot"),
    ),
    ("A, B, A", {"origin": walks(ORCHARD, GROWN, ORCHARD)}, ("broken", "origin", "replica-skew")),
    (
        "A, B, A, and the manifest is of one of them",
        {"manifest": manifest(GROWN), "origin": walks(ORCHARD, GROWN, ORCHARD)},
        ("broken", "origin", "replica-skew"),
    ),
    (
        "A, B, A, and the past was B",
        {"baseline": baseline(GROWN), "origin": walks(ORCHARD, GROWN, ORCHARD)},
        ("broken", "origin", "replica-skew"),
    ),
    (
        "an old session keeps the old list",
        {"origin": walks(ORCHARD, GROWN, GROWN, ORCHARD, sessions="abca")},
        ("stale", "origin", "server-frozen-snapshot"),
    ),
    (
        "two definitions of one name",
        {"origin": walks([*ORCHARD, RIPEN_NEW], [*ORCHARD, RIPEN_NEW])},
        ("broken", "origin", "name-collision"),
    ),
    (
        "one definition twice on a page",
        {"origin": walks([*ORCHARD, RIPEN], [*ORCHARD, RIPEN])},
        ("broken", "origin", "name-collision"),
    ),
    (
        "a banner on stdout",
        {"transport": "stdio", "origin": walks(ORCHARD, ORCHARD, anomalies=(_JUNK,))},
        ("broken", "origin", "wire-corrupt"),
    ),
    (
        "half a character",
        {"origin": walks([tool("pick_apples", "ok \ud83c")], [tool("pick_apples", "ok \ud83c")], anomalies=(_HALF,))},
        ("broken", "origin", "wire-corrupt"),
    ),
    ("bytes that end it", {"origin": failing("origin", "wire-corrupt")}, ("broken", "origin", "wire-corrupt")),
    *[
        (words, {"origin": walks([PICK, entry], [PICK, entry])}, ("broken", "origin", "invalid-definition"))
        for words, entry in (
            ("no name", {"inputSchema": {"type": "object"}}),
            ("an empty name", {"name": "", "inputSchema": {"type": "object"}}),
            ("no input schema", {"name": "ripen"}),
            ("an input schema that is null", {"name": "ripen", "inputSchema": None}),
            ("only a dialect", schema(**{"$schema": "http://json-schema.org/draft-07/schema#"})),
            ("a bare anyOf", schema(anyOf=[{"type": "object"}])),
            ("a dangling reference", schema(type="object", properties={"row": {"$ref": "#/$defs/Row"}})),
            ("a type that is none", schema(type="object", properties={"n": {"type": "int"}})),
            ("required within properties", schema(type="object", properties={"a": {}, "required": ["a"]})),
            ("required as a truth value", schema(type="object", properties={"a": {"type": "string"}}, required=True)),
            ("an entry that is no object", "ripen"),
            ("annotations as a text", tool("ripen", annotations="read-only")),
            (
                "an output reference into the input",
                tool("ripen", outputSchema={"type": "object", "$ref": "#/$defs/Row"}),
            ),
        )
    ],
]

NOT_FOUND: list[tuple[str, dict[str, Any], tuple[str, str | None, str | None]]] = [
    ("nothing moved", {"baseline": baseline(), "origin": origin()}, IN_SYNC),
    ("only an icon moved", {"baseline": baseline(), "origin": origin([PICK, PRUNE, RIPEN_TITLED])}, IN_SYNC),
    ("the order moved", {"baseline": baseline(), "origin": origin([RIPEN, PICK, PRUNE])}, IN_SYNC),
    ("a past of the other era that agrees", {"baseline": baseline(era="modern"), "origin": origin()}, IN_SYNC),
    (
        "a past of another principal",
        {"baseline": baseline(principal="a"), "origin": origin(GROWN, principal="b")},
        OPEN,
    ),
    (
        "a past of another principal, and a manifest that agrees",
        {
            "baseline": baseline(principal="a"),
            "manifest": manifest(GROWN),
            "origin": origin(GROWN, principal="b"),
        },
        IN_SYNC,
    ),
    (
        "a profile's handshake may cover all tools",
        {
            "endpoint": "https://orchard.test/mcp/openai",
            "origin": walks(
                [PICK],
                [PICK],
                server_info=MERIDIAN,
                advertised=replace(advertised([PICK]), initialize="0" * 64, initialize_meta=None),
            ),
        },
        IN_SYNC,
    ),
    (
        "a whole list of several pages between two others",
        {"origin": replace(origin(GROWN), samples=(origin([PICK]), paged([PICK], [PRUNE, RIPEN]), origin(GROWN)))},
        OPEN,
    ),
    ("names alone agree", {"baseline": baseline(names_only=True), "origin": origin()}, OPEN),
    (
        "a short form of the expected commit",
        {"deployed": deployed(build(), expected=Build(build=SHA_A[:7])), "origin": walks(ORCHARD, ORCHARD)},
        IN_SYNC,
    ),
    (
        "a v before the version",
        {"deployed": deployed(build("v0.2.0"), expected=Build(version="0.2")), "origin": walks(ORCHARD, ORCHARD)},
        IN_SYNC,
    ),
    (
        "a newer version",
        {
            "deployed": deployed(build("0.3.0", SHA_B), expected=Build(version="0.2.0", build=SHA_A)),
            "origin": walks(ORCHARD, ORCHARD),
        },
        IN_SYNC,
    ),
    (
        "a version that nobody tells",
        {"deployed": deployed(build(None, None), expected=Build(version="0.2.0")), "origin": walks(ORCHARD, ORCHARD)},
        OPEN,
    ),
    (
        "a process that started after the source was written",
        {
            "deployed": deployed(
                build(None, None, started_at="2026-09-13T08:00:00+02:00"), expected=Build(at="2026-09-12T08:00:00Z")
            ),
            "origin": walks(ORCHARD, ORCHARD),
        },
        IN_SYNC,
    ),
    (
        "one commit in two lengths",
        {"deployed": deployed(build(sha=SHA_A), build(sha=SHA_A[:8])), "origin": walks(ORCHARD, ORCHARD)},
        IN_SYNC,
    ),
    (
        "an SDK's version in serverInfo",
        {
            "deployed": deployed(build("0.2.0", None), build("1.30.0", None, source="serverInfo")),
            "origin": walks(ORCHARD, ORCHARD),
        },
        IN_SYNC,
    ),
    (
        "an endpoint that reads its version from another file",
        {
            "deployed": deployed(build("0.2.0", None), build("0.1.0", None, source="GET /health/deep")),
            "origin": walks(ORCHARD, ORCHARD),
        },
        IN_SYNC,
    ),
    ("manifest and list agree", {"manifest": manifest(), "origin": origin()}, IN_SYNC),
    (
        "the manifest spells input_schema",
        {
            "manifest": manifest([{"name": "a", "description": "A", "input_schema": {"type": "object"}}]),
            "origin": origin([{"name": "a", "description": "A", "inputSchema": {"type": "object"}}]),
        },
        IN_SYNC,
    ),
    (
        "a tenant's own tools beside the manifest's",
        {
            "manifest": manifest(),
            "origin": origin(TENANT, server_info=MERIDIAN, advertised=advertised(list=None, count=5)),
        },
        IN_SYNC,
    ),
    (
        "a profile's subset of the manifest",
        {
            "endpoint": "https://orchard.test/mcp/openai",
            "manifest": manifest(),
            "origin": origin([PICK], server_info=MERIDIAN),
        },
        IN_SYNC,
    ),
    (
        "a stdio form with words of its own",
        {
            "transport": "stdio",
            "manifest": manifest(),
            "origin": origin([{**PICK, "description": "Pick."}, RIPEN], server_info=MERIDIAN),
        },
        IN_SYNC,
    ),
    (
        "600.0 in the manifest and 600 in the list",
        {"manifest": manifest(WITH_FLOAT), "origin": origin(WITH_INT)},
        IN_SYNC,
    ),
    ("every revision fits", {"origin": walks(ORCHARD, ORCHARD, advertised=advertised())}, IN_SYNC),
    (
        "a tenant's list has a revision of its own",
        {
            "manifest": manifest(),
            "origin": origin(
                TENANT,
                server_info=MERIDIAN,
                advertised=replace(advertised(TENANT), initialize=advertised().list, initialize_meta=None),
            ),
        },
        IN_SYNC,
    ),
    (
        "a tenant's list without a manifest: the handshake's revision covers less",
        {
            "origin": walks(
                TENANT,
                TENANT,
                server_info=MERIDIAN,
                advertised=replace(advertised(TENANT), initialize="0" * 64, initialize_meta=None),
            )
        },
        IN_SYNC,
    ),
    (
        "no tools, and none declared",
        {"origin": failing("origin", "list-error", code=-32601, capabilities={"resources": {}})},
        OPEN,
    ),
    (
        "a manifest that asks for a credential",
        {"manifest": failing("manifest", "auth-blocked", status=401), "origin": walks(ORCHARD, ORCHARD)},
        IN_SYNC,
    ),
    (
        "a cursor refused once, and a fresh walk that works",
        {"origin": replace(origin(), samples=(failing("origin", "cursor-rejected"), origin(), origin()))},
        IN_SYNC,
    ),
    (
        "an empty cursor that leads to new names",
        {
            "origin": replace(
                origin(
                    pages=(
                        Page(cursor=None, next_cursor="", names=("pick_apples",)),
                        Page(cursor="", names=("prune_tree", "ripen")),
                    )
                ),
                samples=(),
            )
        },
        OPEN,
    ),
    ("A, A", {"origin": walks(ORCHARD, ORCHARD)}, IN_SYNC),
    ("A, B, B", {"origin": walks(ORCHARD, GROWN, GROWN)}, IN_SYNC),
    ("A, B, B with the manifest of B", {"manifest": manifest(GROWN), "origin": walks(ORCHARD, GROWN, GROWN)}, IN_SYNC),
    ("A, B, B with the manifest of A", {"manifest": manifest(), "origin": walks(ORCHARD, GROWN, GROWN)}, OPEN),
    ("A, B", {"origin": walks(ORCHARD, GROWN)}, OPEN),
    ("A, B, C", {"origin": walks(ORCHARD, GROWN, [PICK])}, OPEN),
    (
        "an old session that hears of the change",
        {"origin": walks(ORCHARD, GROWN, GROWN, GROWN, sessions="abca")},
        IN_SYNC,
    ),
    (
        "two principals with two lists",
        {
            "origin": replace(
                origin(principal="b"),
                samples=(origin(GROWN, principal="a"), origin(principal="b"), origin(principal="b")),
            )
        },
        IN_SYNC,
    ),
    (
        "two eras with two lists",
        {
            "origin": replace(
                origin(era="legacy"),
                samples=(origin(GROWN, era="modern"), origin(era="legacy"), origin(era="legacy")),
            )
        },
        IN_SYNC,
    ),
    (
        "a mixed walk before two whole ones",
        {
            "origin": replace(
                origin(),
                samples=(paged([PICK, PRUNE], [PRUNE, RIPEN], session="1"), origin(session="2"), origin(session="3")),
            )
        },
        IN_SYNC,
    ),
    ("pages of one revision", {"origin": paged([PICK], [PRUNE], revisions=["0" * 64, "0" * 64])}, OPEN),
    ("two orders", {"origin": walks(ORCHARD, [RIPEN, PRUNE, PICK])}, IN_SYNC),
    (
        "a byte order mark and CR LF",
        {"transport": "stdio", "origin": walks(ORCHARD, ORCHARD, anomalies=(_BOM, _CRLF))},
        IN_SYNC,
    ),
    ("a key twice", {"origin": walks(ORCHARD, ORCHARD, anomalies=(_TWICE,))}, IN_SYNC),
    *[
        (words, {"origin": walks([PICK, entry], [PICK, entry])}, IN_SYNC)
        for words, entry in (
            ("a schema with anyOf beside its type", schema(type="object", anyOf=[{"required": ["a"]}])),
            (
                "a reference that resolves",
                schema(type="object", properties={"r": {"$ref": "#/$defs/R"}}, **{"$defs": {"R": {}}}),
            ),
            (
                "a reference to an anchor",
                schema(type="object", properties={"r": {"$ref": "#r"}}, **{"$defs": {"R": {"$anchor": "r"}}}),
            ),
            ("a reference elsewhere", schema(type="object", properties={"r": {"$ref": "https://other.test/r.json"}})),
            ("an output schema of text, as the newest revision allows", tool("ripen", outputSchema={"type": "object"})),
            ("a property named required", schema(type="object", properties={"required": {"type": "boolean"}})),
            ("a property named $ref", schema(type="object", properties={"$ref": {"type": "string"}})),
            ("unknown fields", tool("ripen", category="session", workflow_tier="main-workflow")),
        )
    ],
]


@pytest.mark.parametrize(("words", "layers", "expected"), FOUND, ids=[row[0] for row in FOUND])
def test_the_cause_is_named_and_nothing_else_is_an_error(words, layers, expected):
    diagnosis = judged(**layers)
    assert answer(diagnosis) == expected
    assert rules(diagnosis) == {expected[2]}
    assert diagnosis.exit_code == 1
    assert diagnosis.verdict.next, "a cause without a next step helps nobody"


@pytest.mark.parametrize(("words", "layers", "expected"), NOT_FOUND, ids=[row[0] for row in NOT_FOUND])
def test_what_only_looks_like_a_cause_is_none(words, layers, expected):
    diagnosis = judged(**layers)
    assert answer(diagnosis) == expected
    assert rules(diagnosis) == set()
    assert diagnosis.exit_code == (0 if expected == IN_SYNC else 3)


CAUSES_OF_THE_SERVER = {
    "surface-changed", "server-old-build", "mixed-builds", "replica-skew", "manifest-gated", "manifest-disagrees",
    "revision-mismatch", "count-mismatch", "list-error", "auth-blocked", "cursor-loop", "cursor-empty-string",
    "cursor-rejected", "page-mixed-snapshot", "name-collision", "wire-corrupt", "invalid-definition",
    "server-frozen-snapshot",
}  # fmt: skip


def test_every_cause_of_the_server_is_reached():
    assert {expected[2] for _, _, expected in FOUND} == CAUSES_OF_THE_SERVER


@pytest.mark.parametrize("rule", ["unreachable", "handshake-failed", "timed-out", "limit-exceeded"])
def test_what_could_not_be_observed_is_no_cause(rule):
    diagnosis = judged(origin=failing("origin", rule, "Nobody answered."))
    assert answer(diagnosis) == OPEN
    assert diagnosis.exit_code == 3
    assert rules(diagnosis, "warning") == {rule}
    assert diagnosis.verdict.summary == "Nobody answered."
    outcomes = {result.rule: result.outcome for result in diagnosis.checks}
    assert outcomes["invalid-definition"] == "not-verified"
    assert outcomes[rule] == "failed"


def test_an_unstable_order_is_a_warning_beside_in_sync():
    diagnosis = judged(origin=walks(ORCHARD, [RIPEN, PRUNE, PICK]))
    assert rules(diagnosis, "warning") == {"order-unstable"}
    assert diagnosis.exit_code == 0
