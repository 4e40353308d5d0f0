"""A session of langchain-mcp-adapters, held open: `URL`."""

import asyncio
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from lines import serve


async def main(url: str) -> None:
    """Hold it open."""
    client = MultiServerMCPClient({"orchard": {"transport": "streamable_http", "url": url}})
    async with client.session("orchard") as session:

        async def names() -> list[str]:
            return [tool.name for tool in await load_mcp_tools(session)]

        await serve("langchain-mcp-adapters", names)


asyncio.run(main(sys.argv[1]))
