"""What a server promises beside its tools: other lists with hints, versions, subscriptions, and streams kept alive."""

from __future__ import annotations

import pytest

from diagnose.reference.keep_alive import BEAT

from .conftest import HANDSHAKE, LEGACY, META, MODERN, Client

LISTS = ("prompts/list", "resources/list", "resources/templates/list")
KNOWN = [MODERN, LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"]


@pytest.mark.parametrize("method", LISTS)
def test_every_list_has_hints_where_the_era_knows_them(client: Client, method) -> None:
    client.handshake()
    result = client.rpc(method)["result"]
    (entries,) = (value for value in result.values() if isinstance(value, list))
    assert len(entries) == 1
    hints = (result.get("ttlMs"), result.get("cacheScope"))
    assert hints == ((60_000, "public") if client.era == "modern" else (None, None))
    assert client.rpc(method, {"cursor": "made-up"})["error"]["code"] == -32602


def test_what_they_name_can_be_had(client: Client) -> None:
    client.handshake()
    client.headers = {"mcp-name": "orchard://rows/2"}
    assert (
        client.rpc("resources/read", {"uri": "orchard://rows/2"})["result"]["contents"][0]["text"] == "row 2: 9 trees"
    )
    client.headers = {}
    assert client.rpc("prompts/get", {"name": "plan_harvest", "arguments": {"variety": "cox"}})["result"]["messages"]
    assert client.rpc("prompts/get", {"name": "plan_wedding", "arguments": {}})["error"]["code"] == -32602


def test_discovery_names_every_version_that_is_accepted(server) -> None:
    assert Client(server.url, "modern").handshake()["supportedVersions"] == KNOWN
    for version in KNOWN[1:]:
        got = Client(server.url, "legacy").rpc("initialize", {**HANDSHAKE, "protocolVersion": version})
        assert got["result"]["protocolVersion"] == version


def test_no_change_is_promised_of_what_never_changes(client: Client) -> None:
    assert client.handshake()["capabilities"] == {"prompts": {}, "resources": {}, "tools": {"listChanged": True}}


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        ({"toolsListChanged": True}, {"toolsListChanged": True}),
        ({"toolsListChanged": False}, {}),
        ({"promptsListChanged": True, "resourcesListChanged": True}, {}),
        ({"resourceSubscriptions": ["made-up:///nothing"]}, {}),
        ({"toolsListChanged": True, "example.test/unknown": 7}, {"toolsListChanged": True}),
    ],
)
def test_a_subscription_is_granted_what_this_server_can_tell_of(server, asked, granted) -> None:
    with Client(server.url).listen({"_meta": META, "notifications": asked}) as events:
        assert next(events)["params"]["notifications"] == granted


def test_several_subscriptions_hear_of_one_change(server) -> None:
    client, listen = Client(server.url), {"_meta": META, "notifications": {"toolsListChanged": True}}
    server.change({"restore": True})
    with client.listen(listen) as one, client.listen(listen) as other:
        assert {next(events)["method"] for events in (one, other)} == {"notifications/subscriptions/acknowledged"}
        server.change({"remove": "ripen"})
        assert {next(events)["method"] for events in (one, other)} == {"notifications/tools/list_changed"}


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_quiet_stream_is_kept_alive(server, era) -> None:
    client = Client(server.url, era, timeout=BEAT * 10)
    client.handshake()
    with client.channel() as lines:
        assert next(line for line in lines if line.startswith(b":")).strip() == b":"
