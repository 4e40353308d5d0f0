"""An orchard on the first Python SDK, 1.0 of November 2024, which speaks revision 2024-11-05: `stdio`, or `sse`."""

import asyncio
import sys

from mcp.server import Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.types import Tool

server = Server("orchard on mcp 1.0")


@server.list_tools()
async def list_tools():
    count = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    return [
        Tool(name="pick_apples", description="Pick so many apples.", inputSchema=count),
        Tool(name="prune_tree", inputSchema={"type": "object"}),
    ]


async def over_pipes():
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def over_sse():
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    messages = SseServerTransport("/messages/")

    async def events(request):
        async with messages.connect_sse(request.scope, request.receive, request._send) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
        return Response()

    routes = [Route("/sse", endpoint=events), Mount("/messages/", app=messages.handle_post_message)]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=0)


if sys.argv[1] == "stdio":
    asyncio.run(over_pipes())
else:
    over_sse()
