"""A server of the OpenAI Agents SDK, held open: `URL [cache]`, with `cache_tools_list` where `cache` stands behind it."""

import asyncio
import sys

from agents.mcp import MCPServerStreamableHttp
from lines import serve


async def main(url: str, *, cache: bool) -> None:
    """Hold it open."""
    async with MCPServerStreamableHttp({"url": url}, cache_tools_list=cache) as server:

        async def names() -> list[str]:
            return [tool.name for tool in await server.list_tools()]

        await serve("openai-agents", names)


asyncio.run(main(sys.argv[1], cache="cache" in sys.argv[2:]))
