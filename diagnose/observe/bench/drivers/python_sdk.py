"""The Python SDK's client, 1.x or 2.x, held open: run by an interpreter that has it. `URL ERA`; see `observe.bench.client`.

It lists once when it has connected, and holds what it was given: the SDK refreshes nothing by itself.
"""

import asyncio
import contextlib
import importlib
import importlib.metadata
import json
import sys
from typing import Any


def say(**said: Any) -> None:
    """Print one line for the bench."""
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


async def main(url: str, era: str) -> None:
    """Connect, list, and do as the lines on stdin say."""
    say(version=importlib.metadata.version("mcp"))
    held: list[str] = []
    async with connected(url, era) as client:
        with contextlib.suppress(Exception):
            held = await names(client)
        say(tools=held)
        async for line in lines():
            if line == "list":
                try:
                    held = await names(client)
                except Exception as error:  # noqa: BLE001 - whatever it is, an application goes on with what it has
                    sys.stderr.write(f"{type(error).__name__}: {error}\n")
            say(tools=held)


async def names(client: Any) -> list[str]:
    """List once, as an application does."""
    return [tool.name for tool in (await client.list_tools()).tools]


@contextlib.asynccontextmanager
async def connected(url: str, era: str) -> Any:
    """Connect: by the high-level client where there is one (2.x), else by a session over the transport."""
    sdk = importlib.import_module("mcp")
    if hasattr(sdk, "Client"):
        async with sdk.Client(url, **({} if era == "default" else {"mode": era})) as client:
            yield client
        return
    transport = importlib.import_module("mcp.client.streamable_http")
    opened = getattr(transport, "streamable_http_client", None) or transport.streamablehttp_client
    async with opened(url) as streams, sdk.ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session


async def lines() -> Any:
    """Yield the lines of stdin until it ends."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line.strip()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
