"""Runs the reference server on stdin and stdout until stdin ends."""

from __future__ import annotations

import asyncio
import signal

from mcp.server.stdio import stdio_server

from diagnose.reference.ledger_server import server_of
from diagnose.reference.options import ServeOptions
from diagnose.reference.stdio_control import control_beside


def serve_stdio(options: ServeOptions) -> None:
    """Serve one client; a signal ends the process at once, as the thread that reads stdin cannot be woken."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    asyncio.run(_serve(options))


async def _serve(options: ServeOptions) -> None:
    server = server_of(options)
    async with control_beside(server, options), stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
