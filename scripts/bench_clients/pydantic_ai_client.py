"""A toolset of Pydantic AI, held open: `URL`. What an agent is offered is asked for as an agent does."""

import asyncio
import sys

from lines import serve
from pydantic_ai.mcp import MCPToolset


async def main(url: str) -> None:
    """Hold it open."""
    async with MCPToolset(url) as toolset:

        async def names() -> list[str]:
            return [tool.name for tool in await toolset.list_tools()]

        await serve("pydantic-ai-slim", names)


asyncio.run(main(sys.argv[1]))
