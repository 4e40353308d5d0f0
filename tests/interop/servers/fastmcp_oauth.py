"""An orchard on FastMCP that wants OAuth, of an authorization server in the same process. `any` or `own`: whose tokens it gives.

With `own`, a token is asked for this server's own address or not given at all (RFC 8707).
"""

import socket
import sys

from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from mcp.server.auth.provider import AuthorizeError

with socket.create_server(("127.0.0.1", 0)) as found:
    PORT = found.getsockname()[1]
URL = f"http://127.0.0.1:{PORT}"


class Strict(InMemoryOAuthProvider):
    async def authorize(self, client, params):
        if sys.argv[1] == "own" and params.resource != f"{URL}/mcp":
            raise AuthorizeError("invalid_request", "no such resource")
        return await super().authorize(client, params)


server = FastMCP(
    "orchard",
    auth=Strict(base_url=URL, client_registration_options=ClientRegistrationOptions(enabled=True)),
)


@server.tool
def pick_apples(count: int) -> int:
    """Pick so many apples."""
    return count


server.run("http", host="127.0.0.1", port=PORT, show_banner=False)
