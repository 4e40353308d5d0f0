"""The reference server keeps a Meridian's contract in both eras."""

from __future__ import annotations

import pytest

from diagnose.reference.contract import MANIFEST, REVISION_FIELD, SERVER_INFO
from diagnose.reference.orchard import PRESS_CIDER, orchard
from diagnose.surface import revision

from .conftest import Client

REVISION = revision(orchard())


def test_the_right_process_answers(client: Client) -> None:
    health = client.http("GET", "/health").json
    assert health["identity"] == "orchard-under-test"
    assert health["status"] == "ok"


def test_every_place_names_one_build(client: Client) -> None:
    health, version = client.http("GET", "/health").json, client.http("GET", "/version").json
    assert (health["version"], health["git_sha"]) == (version["version"], version["git_sha"])
    assert client.http("GET", "/health/deep").json["version"] == health["version"]


def test_the_handshake_tells_the_revision_in_both_places(client: Client) -> None:
    result = client.handshake()
    info = result["_meta"][SERVER_INFO] if client.era == "modern" else result["serverInfo"]
    assert info[REVISION_FIELD] == REVISION
    assert result["_meta"][MANIFEST]["revision"] == REVISION
    assert result["capabilities"]["tools"]["listChanged"] is True


def test_definitions_cross_the_wire_as_they_are_held(client: Client) -> None:
    client.handshake()
    body = client.post("tools/list").body
    assert client.tools() == orchard() == client.http("GET", "/tools").json
    assert b"600.0" in body
    assert b"600.0" in client.http("GET", "/tools").body


def test_a_list_tells_its_revision_and_count(client: Client) -> None:
    client.handshake()
    (page,) = client.pages()
    assert page["_meta"][MANIFEST] == {"revision": REVISION, "count": 3}


def test_hints_are_told_in_the_modern_era_only(client: Client) -> None:
    client.handshake()
    (page,) = client.pages()
    told = {key: page.get(key) for key in ("ttlMs", "cacheScope", "resultType")}
    modern = {"ttlMs": 60_000, "cacheScope": "public", "resultType": "complete"}
    assert told == (modern if client.era == "modern" else dict.fromkeys(modern))


def test_tools_can_be_called_and_do_nothing(client: Client) -> None:
    client.handshake()
    for tool in orchard():
        result = client.rpc("tools/call", {"name": tool["name"], "arguments": {"variety": "cox"}})["result"]
        assert not result.get("isError")
        if "outputSchema" in tool:
            assert result["structuredContent"] == {"variety": "cox", "ripeness": 0.5}


def test_an_unknown_tool_is_an_error(client: Client) -> None:
    client.handshake()
    assert client.rpc("tools/call", {"name": "fell_tree", "arguments": {}})["error"]["code"] == -32602


def test_a_change_moves_every_place_at_once(client: Client, server) -> None:
    client.handshake()
    server.change({"add": "press_cider"}, notify=False)
    expected = revision([*orchard(), PRESS_CIDER])
    (page,) = client.pages()
    assert page["_meta"][MANIFEST] == {"revision": expected, "count": 4}
    assert client.tools() == client.http("GET", "/tools").json
    assert client.handshake()["_meta"][MANIFEST]["revision"] == expected


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"remove": "ripen"}, ["pick_apples", "prune_tree"]),
        ({"rename": {"from": "ripen", "to": "mature"}}, ["pick_apples", "prune_tree", "mature"]),
        (
            {"add": {"name": "graft", "inputSchema": {"type": "object"}}},
            ["pick_apples", "prune_tree", "ripen", "graft"],
        ),
    ],
)
def test_the_surface_can_be_edited(client: Client, server, change, names) -> None:
    client.handshake()
    server.change(change)
    assert [tool["name"] for tool in client.tools()] == names


def test_a_description_can_be_edited(client: Client) -> None:
    client.handshake()
    got = client.rpc("reference/control", {"change": {"describe": {"name": "ripen", "description": "Ask the sun."}}})
    assert got["result"]["count"] == 3
    assert client.tools()[2]["description"] == "Ask the sun."


@pytest.mark.parametrize(
    "change",
    [{}, {"remove": "nothing"}, {"add": "press_wine"}, {"add": {"name": "ripen", "inputSchema": {"type": "object"}}}],
)
def test_a_change_that_cannot_be_made_is_refused(client: Client, change) -> None:
    assert client.http("POST", "/control", change).status == 400
    client.handshake()
    assert client.rpc("reference/control", {"change": change})["error"]["code"] == -32602
    assert client.tools() == orchard()
