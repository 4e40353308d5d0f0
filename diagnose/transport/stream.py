"""An answer whose body is still to come."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from diagnose.record import record
from diagnose.transport.answer import Headers
from diagnose.transport.deadline import Deadline
from diagnose.transport.failures import FAILURES, Peer, coding_failure, fault, too_large
from diagnose.transport.inflate import CodingError, decoded
from diagnose.transport.network import Pace

if TYPE_CHECKING:
    import httpx

DRAINED = 64 * 1024
DRAIN_SECONDS = 0.25
"""A body that nobody wants is read to its end if it is at most this long and comes this quickly: cheaper than a new connection."""

_BODILESS = frozenset({204, 304})
_LENGTH = re.compile(r"[0-9]{1,18}")


@record
class Limits:
    """What reading a body may take: until when, of the request and of the whole command, and how many bytes."""

    pace: Pace
    request: Deadline
    command: Deadline
    max_bytes: int


class HttpStream:
    """Status and headers of an answer, and its body piece by piece, decoded (gzip, deflate).

    Read it once, with either `chunks` or `read`, in one thread; `abort` may be called from any other.
    """

    def __init__(
        self,
        response: httpx.Response,
        *,
        url: str,
        redirects: tuple[str, ...],
        peer: Peer,
        limits: Limits,
        started: float,
        on_close: Callable[[HttpStream], None],
    ) -> None:
        self.status = response.status_code
        self.headers = Headers(pairs=tuple((k.decode("latin-1"), v.decode("latin-1")) for k, v in response.headers.raw))
        self.url = url
        self.redirects = redirects
        self.http_version = response.http_version
        self.received = 0
        """Bytes of the body that have arrived, still encoded."""
        self._response = response
        self._peer = peer
        self._limits = limits
        self._started = started
        self._on_close = on_close
        self._begun = False
        self._closed = False

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since this attempt began."""
        return (time.perf_counter() - self._started) * 1000

    def chunks(self, idle_timeout: float | None = None) -> Iterator[bytes]:
        """Yield the body as it arrives, piece by piece, until it ends.

        ``idle_timeout`` limits the seconds from one piece to the next; the deadline of the command always holds, the bound on
        bytes does not: whoever reads a stream decides what to keep. Raises ObservationError: `timed-out`, or `unreachable`
        where the connection ends in the middle of the body. Nothing can be read after that.
        """
        pieces = self._pieces(None)
        while True:
            limit = self._limits.command if idle_timeout is None else self._limits.command.within(idle_timeout)
            with self._watched("idle", limit):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def read(self, max_bytes: int | None = None) -> bytes:
        """Return the whole body, within the time of the request.

        Raises ObservationError: `limit-exceeded` beyond ``max_bytes`` (default: the client's bound), decoded or not; else as
        `chunks` does.
        """
        limit = self._limits.max_bytes if max_bytes is None else max_bytes
        if (self._declared_length() or 0) > limit:
            raise too_large(self._peer, limit)
        body = bytearray()
        with self._watched("body", self._limits.request):
            for piece in self._pieces(limit):
                body += piece
                if len(body) > limit:
                    raise too_large(self._peer, limit)
        return bytes(body)

    def abort(self) -> None:
        """End the connection now; a thread that waits for the next piece gets an error instead."""
        stream = self._response.extensions.get("network_stream")
        sock = None if stream is None else stream.get_extra_info("socket")
        if isinstance(sock, socket.socket):
            with suppress(OSError):  # it had ended already
                # The plain socket's method: SSLSocket's own would take the TLS state away from the thread that reads.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the connection back, or end it if the body was not read to its end. Closing again does nothing."""
        if not self._closed:
            self._closed = True
            try:
                self._drain()
            finally:
                self._response.close()
            self._on_close(self)

    def _drain(self) -> None:
        length = self._declared_length()
        if not self._begun and length is not None and length <= DRAINED:
            with suppress(*FAILURES), self._limits.pace.until(self._limits.command.within(DRAIN_SECONDS)):
                for _ in self._arriving(None):
                    pass

    def _declared_length(self) -> int | None:
        if self.status in _BODILESS:
            return 0
        length = self.headers.get("content-length") or ""
        return int(length) if _LENGTH.fullmatch(length) else None

    def _pieces(self, max_bytes: int | None) -> Iterator[bytes]:
        return decoded(self._arriving(max_bytes), self.headers.get("content-encoding") or "")

    def _arriving(self, max_bytes: int | None) -> Iterator[bytes]:
        self._begun = True
        for chunk in self._response.iter_raw():
            self.received += len(chunk)
            # Compressed data can go on for ever and decode to nothing.
            if max_bytes is not None and self.received > max_bytes:
                raise too_large(self._peer, max_bytes)
            yield chunk

    @contextmanager
    def _watched(self, stage: str, limit: Deadline) -> Iterator[None]:
        try:
            with self._limits.pace.until(limit):
                yield
        except CodingError as error:
            raise coding_failure(error, self._peer) from error
        except FAILURES as error:
            raise fault(error, replace(self._peer, seconds=limit.seconds), stage).error from error
