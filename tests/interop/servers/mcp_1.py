"""An orchard on the Python SDK 1.x: `stdio`, or `http` or `sse` on a free port of loopback."""

import os
import sys

from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

server = FastMCP("orchard on mcp 1", instructions="Trees first.", host="127.0.0.1", port=0)


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def pick_apples(count: int, trees: list[str] | None = None) -> int:
    """Pick so many apples."""
    return count


@server.tool()
def prune_tree(tree: str) -> str:
    """Prune a tree."""
    return tree


@server.tool()
def ripen(days: float = 1.0) -> float:
    """Let the apples ripen."""
    return days


if os.environ.get("ORCHARD_LATER"):

    @server.tool()
    def press_cider(litres: float) -> float:
        """Press cider."""
        return litres


server.run({"stdio": "stdio", "http": "streamable-http", "sse": "sse"}[sys.argv[1]])
