"""An answer whose body is still to come."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from diagnose.transport.answer import Headers
from diagnose.transport.deadline import Deadline
from diagnose.transport.failures import FAILURES, Peer, coding_failure, fault, too_large
from diagnose.transport.inflate import CodingError, decoded

if TYPE_CHECKING:
    import httpx

    from diagnose.transport.network import Pace


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
        pace: Pace,
        request_deadline: Deadline,
        deadline: Deadline,
        max_bytes: int,
        started: float,
        on_close: Callable[[HttpStream], None],
    ) -> None:
        self.status = response.status_code
        self.headers = Headers(tuple((k.decode("latin-1"), v.decode("latin-1")) for k, v in response.headers.raw))
        self.url = url
        self.redirects = redirects
        self.http_version = response.http_version
        self.received = 0
        self._response = response
        self._peer = peer
        self._pace = pace
        self._request_deadline = request_deadline
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._started = started
        self._on_close = on_close
        self._closed = False

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since this attempt began."""
        return (time.perf_counter() - self._started) * 1000

    def chunks(self, idle_timeout: float | None = None) -> Iterator[bytes]:
        """Yield the body as it arrives, in pieces of at most 64 KiB (if compressed), until it ends.

        ``idle_timeout`` limits the seconds between two pieces; the deadline of the client always holds. Raises ObservationError:
        `timed-out`, or `unreachable` where the connection ends in the middle of the body.
        """
        pieces = self._pieces()
        while True:
            limit = self._deadline if idle_timeout is None else self._deadline.within(idle_timeout)
            with self._pace.until(limit), self._failures("idle", limit):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def read(self, max_bytes: int | None = None) -> bytes:
        """Return the whole body, within the time of the request.

        Raises ObservationError: `limit-exceeded` beyond ``max_bytes`` decoded bytes (default: the client's bound), else as
        `chunks` does.
        """
        limit = self._max_bytes if max_bytes is None else max_bytes
        if int(self._declared_length()) > limit:
            raise too_large(self._peer, limit)
        body = bytearray()
        with self._pace.until(self._request_deadline), self._failures("body", self._request_deadline):
            for piece in self._pieces():
                body += piece
                if len(body) > limit:
                    raise too_large(self._peer, limit)
        return bytes(body)

    def abort(self) -> None:
        """End the connection now, so that a thread that waits for the next piece is woken by an error."""
        stream = self._response.extensions.get("network_stream")
        sock = None if stream is None else stream.get_extra_info("socket")
        if isinstance(sock, socket.socket):
            try:
                # The method of the plain socket: the one of SSLSocket would take the TLS state away from its reader.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                return  # it had ended already

    def close(self) -> None:
        """Give the connection back, or end it if the body was not read to its end."""
        if not self._closed:
            self._closed = True
            self._response.close()
            self._on_close(self)

    def _declared_length(self) -> str:
        length = self.headers.get("content-length") or "0"
        return length if length.isdecimal() else "0"

    def _pieces(self) -> Iterator[bytes]:
        return decoded(self._counted(), self.headers.get("content-encoding") or "")

    def _counted(self) -> Iterator[bytes]:
        for chunk in self._response.iter_raw():
            self.received += len(chunk)
            yield chunk

    @contextmanager
    def _failures(self, stage: str, limit: Deadline) -> Iterator[None]:
        try:
            yield
        except CodingError as error:
            raise coding_failure(error, self._peer) from error
        except FAILURES as error:
            raise fault(error, replace(self._peer, seconds=limit.seconds), stage).error from error
