"""What the channels need of the things that carry bytes, so that something that records can stand in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from diagnose.transport.answer import Headers
from diagnose.transport.deadline import Deadline
from diagnose.transport.stdio import Shutdown


class HttpBody(Protocol):
    """An answer over HTTP whose body is still to come; `diagnose.transport.stream.HttpStream` says what each part means."""

    @property
    def status(self) -> int:
        """The status code."""

    @property
    def headers(self) -> Headers:
        """The header fields as received."""

    def chunks(self, idle_timeout: float | None = None) -> Iterator[bytes]:
        """Yield the body as it arrives."""

    def read(self, max_bytes: int | None = None) -> bytes:
        """Return the whole body."""

    def abort(self) -> None:
        """End the connection now, from whatever thread."""


class HttpPort(Protocol):
    """Sends requests over HTTP; `diagnose.transport.http.HttpClient` is one."""

    @property
    def deadline(self) -> Deadline:
        """The moment by which everything must be done."""

    def sends_credential(self, url: str) -> bool:
        """Whether a request for ``url`` carries a credential of ours."""

    def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,
        retry: bool = True,
        max_bytes: int | None = None,
    ) -> AbstractContextManager[HttpBody]:
        """Send a request and yield its answer with the body unread."""


class ProcessPort(Protocol):
    """A child that is spoken to over its pipes; `diagnose.transport.stdio.StdioProcess` is one."""

    @property
    def exit_code(self) -> int | None:
        """The child's exit code; None while it runs."""

    def wait(self, timeout: float) -> int | None:
        """Wait for the child to end by itself, at most ``timeout`` seconds; return its exit code, None if it still runs."""

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the child."""

    def receive(self, timeout: float) -> bytes | None:
        """Return the next bytes of its output, `EOF` once that has ended, None when nothing came in time."""

    def stderr_tail(self) -> Sequence[str]:
        """Return the last lines of its stderr."""

    def close(self) -> Shutdown:
        """End the child."""
