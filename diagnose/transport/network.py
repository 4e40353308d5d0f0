"""Sockets whose every wait ends when the request that waits has run out of time.

httpx and httpcore limit each single read. A server that sends one byte now and then stays below every such limit for ever, so the
time left is looked up here, at the socket, before each wait.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore

from diagnose.transport.deadline import Deadline
from diagnose.transport.resolve import Resolver, resolve_within

LONGEST_WAIT = 3600.0
"""Seconds; only reached by work that has no deadline of its own."""


class Pace(threading.local):
    """The deadline of the request that the current thread is busy with; requests of other threads have their own."""

    def __init__(self) -> None:
        self.deadline: Deadline | None = None

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Let every wait of this thread end by ``deadline``."""
        before, self.deadline = self.deadline, deadline
        try:
            yield
        finally:
            self.deadline = before

    def seconds(self, error: type[Exception]) -> float:
        """Return how long the next wait may take; raises ``error`` when the time is over."""
        left = LONGEST_WAIT if self.deadline is None else self.deadline.remaining()
        if left <= 0.0:
            raise error("no time left")
        return left


class TlsTimeoutError(httpcore.ConnectTimeout):
    """The TLS handshake was not completed in time."""


class PacedStream(httpcore.NetworkStream):
    """A connection that keeps to a `Pace`."""

    def __init__(self, stream: httpcore.NetworkStream, pace: Pace) -> None:
        self._stream = stream
        self._pace = pace

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the next bytes, at most ``max_bytes``; none at the end."""
        del timeout  # the pace decides, here and below
        return self._stream.read(max_bytes, self._pace.seconds(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of ``buffer``."""
        del timeout
        self._stream.write(buffer, self._pace.seconds(httpcore.WriteTimeout))

    def close(self) -> None:
        """End the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Speak TLS from now on; a handshake that takes too long is told apart from a connection that does."""
        del timeout
        try:
            seconds = self._pace.seconds(httpcore.ConnectTimeout)
            return PacedStream(self._stream.start_tls(ssl_context, server_hostname, seconds), self._pace)
        except httpcore.ConnectTimeout as error:
            raise TlsTimeoutError from error

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore, and `HttpStream.abort`, ask about the socket."""
        return self._stream.get_extra_info(info)


class PacedBackend(httpcore.NetworkBackend):
    """Opens connections at a `Pace`, name resolution included."""

    def __init__(self, pace: Pace, resolver: Resolver) -> None:
        self._pace = pace
        self._resolver = resolver
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of ``host`` that answers; each gets an even share of the time that is left."""
        del timeout
        addresses = self._addresses(host, port)
        failure: Exception | None = None
        for position, address in enumerate(addresses):
            share = self._pace.seconds(httpcore.ConnectTimeout) / (len(addresses) - position)
            try:
                stream = self._plain.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = failure or error
            else:
                return PacedStream(stream, self._pace)
        raise failure or httpcore.ConnectError("the name has no address")

    def _addresses(self, host: str, port: int) -> list[str]:
        seconds = self._pace.seconds(httpcore.ConnectTimeout)
        try:
            return list(resolve_within(seconds, self._resolver, host, port))
        except (OSError, UnicodeError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise httpcore.ConnectError(str(error)) from error
