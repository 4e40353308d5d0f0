"""The bench's lines, for a driver: `list` on stdin has the client list, `held` has it say what it holds. See README, "Bench"."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any


def say(**said: Any) -> None:
    """Print one line for the bench."""
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


async def serve(package: str, names: Callable[[], Awaitable[list[str]]]) -> None:
    """List once, and then as the lines say; ``names`` lists in the client's own way and returns the names."""
    say(version=version(package))
    held = await _listed(names, [])
    say(tools=held)
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        if line == "list":
            held = await _listed(names, held)
        say(tools=held)


async def _listed(names: Callable[[], Awaitable[list[str]]], held: list[str]) -> list[str]:
    try:
        return await names()
    except Exception as error:  # noqa: BLE001 - whatever it is, an application goes on with what it has
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return held
