"""With a token, the MCP endpoint asks for it; health and manifest stay open, as a Meridian's do."""

from __future__ import annotations

import pytest

from diagnose.reference.options import ServeOptions

from .conftest import Client

TOKEN = "sk_orchard_1"


@pytest.fixture(scope="module")
def server_options() -> ServeOptions:
    return ServeOptions(token=TOKEN)


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}])
def test_the_endpoint_refuses_without_it(server, headers) -> None:
    for era in ("modern", "legacy"):
        got = Client(server.url, era, headers=headers).post("tools/list")
        assert (got.status, got.headers["www-authenticate"]) == (401, "Bearer")


def test_what_is_beside_the_endpoint_is_open(server) -> None:
    client = Client(server.url)
    assert [client.http("GET", path).status for path in ("/health", "/version", "/tools")] == [200, 200, 200]


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_token_opens_it(server, era) -> None:
    client = Client(server.url, era, headers={"authorization": f"Bearer {TOKEN}"})
    client.handshake()
    assert len(client.tools()) == 3


def test_the_surface_stays_as_it_is_unless_control_was_asked_for(server) -> None:
    assert Client(server.url).http("POST", "/control", {"remove": "ripen"}).status == 404
    client = Client(server.url, headers={"authorization": f"Bearer {TOKEN}"})
    client.handshake()
    assert client.rpc("reference/control", {"change": {"remove": "ripen"}})["error"]["code"] == -32601


def test_options_do_not_show_the_token() -> None:
    assert TOKEN not in repr(ServeOptions(token=TOKEN))
