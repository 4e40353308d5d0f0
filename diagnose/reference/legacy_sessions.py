"""The handshake sessions that are open, so that a change can be told to them outside of any request.

The one place that uses a private part of the SDK (`ServerSession._connection`): there is no public hook for the end of
a session, and without it sessions that have gone would pile up. `pyproject.toml` pins the SDK's minor release for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession


class LegacySessions:
    """Every session that shook hands and has not ended."""

    def __init__(self) -> None:
        self._open: dict[int, ServerSession] = {}
        self._uris: dict[int, set[str]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def remember(self, ctx: ServerRequestContext[Any, Any]) -> None:
        """Keep the session of this `initialize` until its connection ends."""
        connection = ctx.session._connection  # noqa: SLF001 - see the module's text
        key = id(connection)
        self._open[key] = ctx.session
        connection.exit_stack.callback(self._open.pop, key, None)
        connection.exit_stack.callback(self._uris.pop, key, None)

    def subscribe(self, ctx: ServerRequestContext[Any, Any], uri: str) -> None:
        """Keep that the session of this request wants to hear of updates of a resource."""
        key = id(ctx.session._connection)  # noqa: SLF001 - see the module's text
        if key in self._open:
            self._uris.setdefault(key, set()).add(uri)

    async def tell_updated(self, uri: str) -> None:
        """Send `notifications/resources/updated` to every open session that subscribed to a resource."""
        for key, session in list(self._open.items()):
            if uri in self._uris.get(key, ()):
                await session.send_resource_updated(uri)

    async def tell(self) -> None:
        """Send `notifications/tools/list_changed` to every open session; one without a stream open does not hear it."""
        for session in list(self._open.values()):
            await session.send_tool_list_changed()
