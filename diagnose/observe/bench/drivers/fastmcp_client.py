"""FastMCP's client, held open: run by an interpreter that has it. `URL ERA`; see `observe.bench.client`.

It lists once when it has connected, and holds what it was given.
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


async def main(url: str) -> None:
    """Connect, list, and do as the lines on stdin say."""
    say(version=importlib.metadata.version("fastmcp"))
    held: list[str] = []
    async with importlib.import_module("fastmcp").Client(url) as client:
        with contextlib.suppress(Exception):
            held = [tool.name for tool in await client.list_tools()]
        say(tools=held)
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            if line == "list":
                try:
                    held = [tool.name for tool in await client.list_tools()]
                except Exception as error:  # noqa: BLE001 - whatever it is, an application goes on with what it has
                    sys.stderr.write(f"{type(error).__name__}: {error}\n")
            say(tools=held)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
