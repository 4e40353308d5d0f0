"""The SDK's own client, which was written by others, reads the server in both eras and over both transports."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from diagnose.reference.contract import MANIFEST
from diagnose.reference.options import ServeOptions
from diagnose.reference.orchard import orchard
from diagnose.reference.server import ReferenceServer
from diagnose.surface import revision

COMMAND = ["-P", "-m", "diagnose", "serve", "--stdio", "--control"]
NAMES = [tool["name"] for tool in orchard()]
LIMIT = 30


@pytest.fixture(params=["http", "stdio"])
def address(request: pytest.FixtureRequest) -> Any:
    if request.param == "stdio":
        return StdioServerParameters(command=sys.executable, args=COMMAND)
    server = request.getfixturevalue("server")
    server.change({"restore": True})
    return server.url


def run(session: Callable[[], Any]) -> None:
    async def limited() -> None:
        with anyio.fail_after(LIMIT):
            await session()

    anyio.run(limited)


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_it_lists_and_calls(address, mode, version) -> None:
    async def session() -> None:
        async with Client(address, mode=mode) as client:
            assert client.protocol_version == version
            assert client.server_capabilities.tools.list_changed is True
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == NAMES
            assert listed.meta[MANIFEST] == {"revision": revision(orchard()), "count": 3}
            result = await client.call_tool("ripen", {"variety": "cox"})
            assert result.structured_content == {"variety": "cox", "ripeness": 0.5}

    run(session)


def test_a_modern_subscription_hears_a_change(address) -> None:
    async def session() -> None:
        async with Client(address, mode="auto") as client, client.listen(tools_list_changed=True) as events:
            await change(client, {"add": "press_cider"})
            await anext(aiter(events))
            assert len((await client.list_tools()).tools) == 4

    run(session)


def test_a_legacy_stdio_session_hears_a_change() -> None:
    async def session() -> None:
        heard = anyio.Event()

        async def listen(message: Any) -> None:
            if isinstance(message, types.ToolListChangedNotification):
                heard.set()

        address = StdioServerParameters(command=sys.executable, args=COMMAND)
        async with Client(address, mode="legacy", message_handler=listen) as client:
            await change(client, {"remove": "ripen"})
            await heard.wait()
            assert len((await client.list_tools()).tools) == 2

    run(session)


def test_a_session_that_has_ended_is_forgotten() -> None:
    """The one private part of the SDK that the server stands on: without it, sessions that have gone pile up."""

    async def session() -> None:
        server = ReferenceServer(ServeOptions())
        async with Client(server, mode="legacy") as client:
            await client.list_tools()
            assert len(server._sessions) == 1
        assert len(server._sessions) == 0

    run(session)


class ControlParams(types.RequestParams):
    change: dict[str, Any]


class ControlRequest(types.Request[ControlParams, str]):
    method: str = "reference/control"
    params: ControlParams


async def change(client: Client, edit: dict[str, Any]) -> None:
    await client.session.send_request(ControlRequest(params=ControlParams(change=edit)), types.Result)
