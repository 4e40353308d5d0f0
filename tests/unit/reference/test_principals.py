"""Two principals: both are let in by their tokens, and one may be shown less; everything told to it is of its own list."""

from __future__ import annotations

import pytest

from diagnose.jobs.embedded import embedded
from diagnose.reference.contract import MANIFEST, REVISION_FIELD, SERVER_INFO
from diagnose.reference.options import ServeOptions
from diagnose.reference.orchard import orchard
from diagnose.surface import revision

from .conftest import Client

FIRST, SECOND = "sk_orchard_1", "sk_orchard_2"


@pytest.fixture(scope="module")
def server_options() -> ServeOptions:
    return ServeOptions(token=FIRST, second_token=SECOND, second_without="ripen", control=True)


def holder(server, token: str, era: str) -> Client:
    return Client(server.url, era, headers={"authorization": f"Bearer {token}"})


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize(("token", "shown"), [(FIRST, orchard()), (SECOND, orchard()[:2])])
def test_each_is_told_of_the_own_list_everywhere(server, era, token, shown) -> None:
    client = holder(server, token, era)
    handshake = client.handshake()
    info = handshake.get("serverInfo") or handshake["_meta"][SERVER_INFO]
    (page,) = client.pages()
    told = {"revision": revision(shown), "count": len(shown)}
    assert page["tools"] == shown
    assert (info[REVISION_FIELD], handshake["_meta"][MANIFEST], page["_meta"][MANIFEST]) == (
        told["revision"],
        told,
        told,
    )
    assert page.get("cacheScope") == ("private" if era == "modern" else None)
    assert client.http("GET", "/tools").json == shown


def test_a_tool_that_is_not_shown_cannot_be_called(server) -> None:
    client = holder(server, SECOND, "modern")
    assert client.rpc("tools/call", {"name": "ripen", "arguments": {}})["error"]["code"] == -32602
    assert "result" in client.rpc("tools/call", {"name": "prune_tree", "arguments": {}})


def test_nobody_else_is_let_in(server) -> None:
    assert holder(server, "sk_orchard_3", "modern").post("tools/list").status == 401


def test_both_are_shown_the_same_unless_told_otherwise() -> None:
    with embedded(ServeOptions(token=FIRST, second_token=SECOND)) as server:
        pages = [holder(server, token, "modern").pages() for token in (FIRST, SECOND)]
    assert pages[0] == pages[1]
    assert pages[0][0]["cacheScope"] == "public"
