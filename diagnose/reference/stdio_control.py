"""How the surface of a server on stdio is changed from outside: its pipes are its client's, so a loopback port has to serve."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.applications import Starlette

from diagnose.reference.http_app import control_route
from diagnose.reference.options import ServeOptions
from diagnose.reference.serve_http import listen
from diagnose.reference.server import ReferenceServer


class _Beside(uvicorn.Server):
    """Uvicorn that leaves the signals to the server that it stands beside."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def control_beside(server: ReferenceServer, options: ServeOptions) -> AsyncIterator[None]:
    """Answer `POST /control` at the options' host and port for the length of the block, where they ask for that.

    Raises `UsageError` where the address cannot be had.
    """
    if not options.control or options.port == 0:
        yield
        return
    listener = listen(options.host, options.port)
    beside = _Beside(uvicorn.Config(Starlette(routes=[control_route(server)]), log_config=None, lifespan="off"))
    serving = asyncio.create_task(beside.serve(sockets=[listener]))
    try:
        yield
    finally:
        beside.should_exit = True
        await serving
