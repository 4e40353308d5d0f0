"""An orchard on FastMCP, whatever its version: `stdio`, or `http` on a free port of loopback."""

import os
import sys

from fastmcp import FastMCP

server = FastMCP(sys.argv[2], version="3.1.4", instructions="Trees first.")


@server.tool
def pick_apples(count: int, trees: list[str] | None = None) -> int:
    """Pick so many apples."""
    return count


@server.tool
def prune_tree(tree: str) -> str:
    """Prune a tree."""
    return tree


if os.environ.get("ORCHARD_LATER"):

    @server.tool
    def press_cider(litres: float) -> float:
        """Press cider."""
        return litres


if sys.argv[1] == "stdio":
    server.run("stdio", show_banner=False)
else:
    server.run("http", host="127.0.0.1", port=0, show_banner=False)
