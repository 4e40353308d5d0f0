"""An orchard on the Python SDK 2.x: `stdio`, or `http` on a free port of loopback."""

import os
import sys

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("orchard on mcp 2", version="2.0.1", instructions="Trees first.")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def pick_apples(count: int, trees: list[str] | None = None) -> int:
    """Pick so many apples."""
    return count


@server.tool()
def prune_tree(tree: str) -> str:
    """Prune a tree."""
    return tree


if os.environ.get("ORCHARD_LATER"):

    @server.tool()
    def press_cider(litres: float) -> float:
        """Press cider."""
        return litres


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", host="127.0.0.1", port=0)
