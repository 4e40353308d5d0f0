"""The rows of the ladder, with the keys of the contract."""

from dataclasses import replace

from unit.judge.looks import (
    ORCHARD,
    PICK,
    PRESS,
    SHA_A,
    advertised,
    baseline,
    build,
    deployed,
    failing,
    judged,
    manifest,
    origin,
    paged,
)

from diagnose.evidence.observation import LADDER, Build, Deployment, Failure


def rows(**layers):
    return {row["layer"]: row for row in judged(**layers).layers}


def test_all_seven_layers_are_listed_and_the_past_if_there_is_one():
    assert tuple(rows(origin=origin())) == LADDER
    assert tuple(rows(origin=origin(), baseline=baseline())) == (*LADDER, "baseline")


def test_a_layer_that_was_not_observed_says_why():
    found = rows(
        origin=failing("origin", "unreachable", "Nobody answered."), unobserved={"path": "no --path was named"}
    )
    assert found["origin"] == {"layer": "origin", "observed": False, "why": "Nobody answered."}
    assert found["path"] == {"layer": "path", "observed": False, "why": "no --path was named"}
    assert found["registry"]["why"] == "no client was named"


def test_the_build():
    assert rows(deployed=deployed(build()))["deployed"] == {
        "layer": "deployed", "observed": True, "source": "GET /health", "health": "ok", "version": "0.2.0", "build": SHA_A,
    }  # fmt: skip


def test_health_that_cannot_be_reached_is_no_observed_build():
    down = Deployment(
        observed=Build(source="GET /health", health="unreachable"),
        failure=Failure(rule="unreachable", message="Refused."),
    )
    assert rows(deployed=down)["deployed"] == {
        "layer": "deployed", "observed": False, "why": "Refused.", "health": "unreachable",
    }  # fmt: skip


def test_the_manifest():
    row = rows(manifest=manifest())["manifest"]
    assert list(row) == ["layer", "observed", "source", "count", "revision", "digest"]
    assert row["count"] == 3


def test_the_origin():
    seen = replace(
        paged([PICK], [PRESS], capabilities={"tools": {"listChanged": True}}, ttl_ms=300, cache_scope="private"),
        advertised=advertised([PICK, PRESS]),
    )
    row = rows(origin=seen)["origin"]
    assert list(row) == [
        "layer", "observed", "source", "era", "protocolVersion", "pages", "count", "revision", "digest", "advertised",
        "listChanged", "ttlMs", "cacheScope",
    ]  # fmt: skip
    assert (row["pages"], row["count"], row["ttlMs"], row["cacheScope"]) == (2, 2, 300, "private")
    assert row["advertised"] == {"initialize": row["revision"], "list": row["revision"], "count": 2}


def test_list_changed_is_unknown_only_where_the_capabilities_are():
    assert rows(origin=origin())["origin"]["listChanged"] is None
    for capabilities, told in (
        ({}, False),
        ({"tools": {}}, False),
        ({"tools": None}, False),
        ({"tools": {"listChanged": 1}}, False),
    ):
        assert rows(origin=origin(ORCHARD, capabilities=capabilities))["origin"]["listChanged"] is told


def test_either_place_of_the_handshake_tells_the_revision():
    said = rows(origin=origin(advertised=advertised(initialize=None, initialize_meta="0" * 64)))["origin"]["advertised"]
    assert said["initialize"] == "0" * 64
    said = rows(origin=origin(advertised=advertised(initialize="1" * 64, initialize_meta="0" * 64)))["origin"][
        "advertised"
    ]
    assert said["initialize"] == "1" * 64


def test_the_source_of_the_build_is_the_layers_or_the_samples():
    assert rows(deployed=Deployment(observed=build()))["deployed"]["source"] == "GET /health"
    assert rows(deployed=Deployment(observed=build(), source="GET /health, GET /version"))["deployed"]["source"] == (
        "GET /health, GET /version"
    )
