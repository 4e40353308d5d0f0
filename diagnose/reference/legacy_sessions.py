"""The handshake sessions that are open, so that a change can be told to them outside of any request.

The one place that uses a private part of the SDK (`ServerSession._connection`): there is no public hook for the end of
a session, and without it sessions that have gone would pile up. `pyproject.toml` pins the SDK's minor release for it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession


class LegacySessions:
    """Every session that shook hands and has not ended."""

    def __init__(self) -> None:
        self._open: dict[int, ServerSession] = {}
        self._uris: dict[int, set[str]] = {}
        self._telling: dict[int, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def remember(self, ctx: ServerRequestContext[Any, Any]) -> None:
        """Keep the session of this `initialize` until its connection ends."""
        connection = ctx.session._connection  # noqa: SLF001 - see the module's text
        key = id(connection)
        self._open[key] = ctx.session
        connection.exit_stack.callback(self._open.pop, key, None)
        connection.exit_stack.callback(self._uris.pop, key, None)
        connection.exit_stack.callback(self._stop_telling, key)

    def subscribe(self, ctx: ServerRequestContext[Any, Any], uri: str) -> None:
        """Keep that the session of this request wants to hear of updates of a resource."""
        key = id(ctx.session._connection)  # noqa: SLF001 - see the module's text
        if key in self._open:
            self._uris.setdefault(key, set()).add(uri)

    def unsubscribe(self, ctx: ServerRequestContext[Any, Any], uri: str) -> None:
        """Keep that the session of this request does not want to hear of them any more."""
        self._uris.get(id(ctx.session._connection), set()).discard(uri)  # noqa: SLF001 - see the module's text

    async def tell_updated(self, uris: Sequence[str]) -> None:
        """Send `notifications/resources/updated`, in order, to every open session that subscribed to one of them.

        Nobody is waited for: a session that has not taken in the last ones loses these.
        """
        for key, session in list(self._open.items()):
            wanted = [uri for uri in uris if uri in self._uris.get(key, ())]
            under_way = self._telling.get(key)
            if wanted and (under_way is None or under_way.done()):
                self._telling[key] = asyncio.create_task(_tell_updated(session, wanted))
        # Whoever reads has them now, before the answer of the call that was the cause.
        await asyncio.sleep(0)

    async def tell(self) -> None:
        """Send `notifications/tools/list_changed` to every open session; one without a stream open does not hear it."""
        for session in list(self._open.values()):
            await session.send_tool_list_changed()

    def _stop_telling(self, key: int) -> None:
        task = self._telling.pop(key, None)
        if task is not None:
            task.cancel()


async def _tell_updated(session: ServerSession, uris: Sequence[str]) -> None:
    for uri in uris:
        await session.send_resource_updated(uri)
