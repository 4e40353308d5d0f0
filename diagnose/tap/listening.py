"""The event loop of an HTTP tap: from the port that it gets to the signal that ends it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection

from diagnose.tap.http import HttpTap


def run(
    tap_on: Callable[[int], HttpTap], host: str, port: int, ready: Callable[[HttpTap], None], stops: Collection[int]
) -> None:
    """Listen, call ``ready`` with the tap at the port that it got, and serve until one of the signals ``stops`` comes.

    Raises `OSError` where nobody can listen there.
    """

    async def serving() -> None:
        loop = asyncio.get_running_loop()
        taps: list[HttpTap] = []

        def accept() -> asyncio.Protocol:
            return taps[0].connection()

        server = await loop.create_server(accept, host, port, start_serving=False)
        taps.append(tap_on(server.sockets[0].getsockname()[1]))
        stop = asyncio.Event()
        for number in stops:
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, stop.set)
        await server.start_serving()
        ready(taps[0])
        await taps[0].serve(server, stop)

    asyncio.run(serving())
