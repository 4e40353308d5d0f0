"""The event loop of an HTTP tap: from the port that it gets to the signal that ends it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection

from diagnose.tap.http import HttpTap


def run(
    tap_on: Callable[[int], HttpTap],
    host: str,
    port: int,
    ready: Callable[[HttpTap], None],
    stops: Collection[int] = (),
    stopper: Callable[[Callable[[], None]], None] | None = None,
) -> None:
    """Listen, call ``ready`` with the tap at the port that it got, and serve until one of the signals ``stops`` comes.

    ``stopper`` is given a function that ends it as well, from any thread. Raises `OSError` where nobody can listen there.
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
        if stopper is not None:
            stopper(lambda: _from_elsewhere(loop, stop))
        await server.start_serving()
        ready(taps[0])
        await taps[0].serve(server, stop)

    asyncio.run(serving())


def _from_elsewhere(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # it has ended already
        loop.call_soon_threadsafe(stop.set)
