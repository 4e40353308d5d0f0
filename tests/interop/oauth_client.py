"""Run by FastMCP's client or by that of the Python SDK 1.x, each in its own environment: OAuth without a browser.

Prints what is listed, and the token, so that it can be looked for.
"""

import asyncio
import json
import sys
from importlib.util import find_spec
from urllib.parse import parse_qs, urlsplit


async def with_fastmcp(url):
    from fastmcp import Client
    from fastmcp.utilities.tests import HeadlessOAuth

    auth = HeadlessOAuth(mcp_url=url)
    async with Client(url, auth=auth) as client:
        return [tool.name for tool in await client.list_tools()], auth.context.current_tokens.access_token


class Storage:
    """Keeps tokens and the registration for this run."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def with_the_sdk(url):
    import httpx
    from mcp import ClientSession
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import OAuthClientMetadata

    came = {}

    async def visit(address):
        async with httpx.AsyncClient() as browser:
            answer = await browser.get(address)
        came.update(parse_qs(urlsplit(answer.headers["location"]).query))

    async def call_back():
        return came["code"][0], came["state"][0]

    storage = Storage()
    wanted = OAuthClientMetadata(client_name="barrow-bot", redirect_uris=["http://127.0.0.1:1/callback"])
    auth = OAuthClientProvider(url, wanted, storage, visit, call_back)
    async with (
        httpx.AsyncClient(auth=auth, timeout=30) as http,
        streamable_http_client(url, http_client=http) as streams,
        ClientSession(*streams[:2]) as session,
    ):
        await session.initialize()
        return [tool.name for tool in (await session.list_tools()).tools], storage.tokens.access_token


names, token = asyncio.run((with_fastmcp if find_spec("fastmcp") else with_the_sdk)(sys.argv[1]))
print(json.dumps({"names": names, "token": token}))
