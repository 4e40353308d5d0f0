"""Keeps quiet event streams open: now and then a comment, which every hop sees and no client hears.

MCP 2026-07-28, basic/transports/streamable-http encourages it. The SDK waits for 15 seconds; nobody has that patience
with a demonstration.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

#: Seconds between two comments.
BEAT = 0.4


class KeepAlive:
    """Adds the comments to every event stream of an application."""

    def __init__(self, app: ASGIApp, beat: float = BEAT) -> None:
        self._app = app
        self._beat = beat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        beating: list[asyncio.Task[None]] = []

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                _stop(beating)
            await send(message)
            if message["type"] == "http.response.start" and _is_stream(message):
                beating.append(asyncio.create_task(self._keep(send)))

        try:
            await self._app(scope, receive, sent)
        finally:
            _stop(beating)

    async def _keep(self, send: Send) -> None:
        with suppress(OSError):  # the client has gone, and the application will hear of it
            while True:
                await asyncio.sleep(self._beat)
                await send({"type": "http.response.body", "body": b":\r\n\r\n", "more_body": True})


def _stop(beating: list[asyncio.Task[None]]) -> None:
    for task in beating:
        task.cancel()


def _is_stream(message: Any) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message.get("headers", ())
    )
