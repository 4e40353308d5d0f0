"""Run by the Python SDK 1.x, in its own environment: what its client lists. `stdio COMMAND...`, `http URL` or `sse URL`."""

import asyncio
import json
import os
import sys

from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


def connect(how, target):
    if how == "stdio":
        return stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ)))
    return {"http": streamable_http_client, "sse": sse_client}[how](target[0])


async def main(how, *target):
    async with connect(how, list(target)) as streams, ClientSession(*streams[:2]) as session:
        told = await session.initialize()
        tools = (await session.list_tools()).tools
        print(json.dumps({"info": told.serverInfo.name, "names": [tool.name for tool in tools]}))


asyncio.run(main(*sys.argv[1:]))
