"""Run by the Python SDK 2.x or by FastMCP, in its own environment: what its client lists of a server `COMMAND...` on stdio."""

import asyncio
import json
import os
import sys
from importlib.util import find_spec


async def with_fastmcp(command):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async with Client(StdioTransport(command[0], command[1:], env=dict(os.environ), keep_alive=False)) as client:
        return [tool.name for tool in await client.list_tools()]


async def with_the_sdk(command):
    from mcp import Client, StdioServerParameters

    async with Client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


print(json.dumps({"names": asyncio.run((with_fastmcp if find_spec("fastmcp") else with_the_sdk)(sys.argv[1:]))}))
