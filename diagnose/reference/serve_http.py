"""Runs the reference server over HTTP until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from diagnose.errors import UsageError
from diagnose.reference.http_app import build_app
from diagnose.reference.ledger_server import server_of
from diagnose.reference.options import ServeOptions
from diagnose.reference.server import ReferenceServer

#: Seconds that open streams get to end; uvicorn would wait for them without end.
GRACE = 1


class _Uvicorn(uvicorn.Server):
    """Uvicorn that tells when it answers, and ends the subscriptions before it waits for them."""

    def __init__(self, config: uvicorn.Config, server: ReferenceServer, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._reference = server
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._reference.close_streams()
        await super().shutdown(sockets=sockets)


def serve_http(options: ServeOptions, ready: Callable[[int], None]) -> None:
    """Serve until a signal ends it; `ready` is called with the port as soon as the server answers.

    Raises `UsageError` where the address cannot be had, `KeyboardInterrupt` on Ctrl-C, `SystemExit` on SIGTERM.
    """
    listener = listen(options.host, options.port)
    server = server_of(options)
    # The last-resort handler would print the library's log on stderr, which is the user's.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    config = uvicorn.Config(
        build_app(server, options),
        log_config=None,
        log_level=logging.CRITICAL + 1,
        timeout_graceful_shutdown=GRACE,
    )
    signal.signal(signal.SIGTERM, _terminated)
    _Uvicorn(config, server, lambda: ready(listener.getsockname()[1])).run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket, so that the port is known before anything else starts; raises `UsageError`."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host} port {port}: {error.strerror or error}",
            advice="Choose another --port, or leave it out: any free one is taken then.",
        ) from error
    # Accepted connections inherit it. Without, each answer on a kept connection waits 40 ms for a delayed acknowledgement:
    # asyncio turns Nagle's algorithm off only for sockets that were made with the protocol named.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _terminated(number: int, _frame: FrameType | None) -> None:
    """Uvicorn stops by itself and then raises the signal again: end the usual way, cleaning up."""
    raise SystemExit(128 + number)
