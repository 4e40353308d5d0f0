"""Pages: cursors are opaque, name the list that they were issued for, and are refused for any other."""

from __future__ import annotations

import pytest

from diagnose.reference.contract import MANIFEST
from diagnose.reference.held import CursorError, HeldSurface
from diagnose.reference.options import ServeOptions
from diagnose.reference.orchard import orchard
from diagnose.surface import revision

from .conftest import Client


@pytest.fixture(scope="module")
def server_options() -> ServeOptions:
    return ServeOptions(control=True, page_size=2, ttl_ms=7, scope="private")


def test_a_walk_brings_every_tool_once(client: Client) -> None:
    client.handshake()
    pages = client.pages()
    assert [len(page["tools"]) for page in pages] == [2, 1]
    assert client.tools() == orchard()


def test_every_page_tells_of_the_whole_list(client: Client) -> None:
    client.handshake()
    whole = {"revision": revision(orchard()), "count": 3}
    assert [page["_meta"][MANIFEST] for page in client.pages()] == [whole, whole]


def test_every_page_carries_the_hints_that_were_asked_for(client: Client) -> None:
    client.handshake()
    expected = (7, "private") if client.era == "modern" else (None, None)
    assert {(page.get("ttlMs"), page.get("cacheScope")) for page in client.pages()} == {expected}


@pytest.mark.parametrize("cursor", ["", "2", "bm9uc2Vuc2U="])
def test_a_cursor_that_nobody_issued_is_refused(client: Client, cursor: str) -> None:
    client.handshake()
    assert client.rpc("tools/list", {"cursor": cursor})["error"]["code"] == -32602


def test_a_cursor_of_a_list_that_has_changed_is_refused(client: Client, server) -> None:
    client.handshake()
    cursor = client.rpc("tools/list")["result"]["nextCursor"]
    server.change({"add": "press_cider"}, notify=False)
    assert client.rpc("tools/list", {"cursor": cursor})["error"]["code"] == -32602
    assert len(client.tools()) == 4


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_pages_of_any_size_join_to_the_list(size: int) -> None:
    held = HeldSurface(page_size=size)
    tools, cursor = held.page(None)
    while cursor is not None:
        more, cursor = held.page(cursor)
        tools = tools + more
    assert tools == orchard()


def test_an_unknown_cursor_is_an_error_of_its_own() -> None:
    with pytest.raises(CursorError):
        HeldSurface(page_size=1).page("x")
