"""HTTP for observing: bounded in time and size, careful with credentials, and told in one sentence when it fails.

Nothing heavy is imported before the first request.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from diagnose.transport.answer import HttpAnswer
from diagnose.transport.binding import Binding
from diagnose.transport.deadline import Deadline
from diagnose.transport.lean import load_httpx
from diagnose.transport.origin import Origin, request_url
from diagnose.transport.resolve import Resolver, system_resolver
from diagnose.transport.retry import RetryPolicy
from diagnose.transport.settings import Ask, Settings
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.transport.exchange import Exchange
    from diagnose.transport.stream import HttpStream

MAX_BYTES = 32 * 1024 * 1024
"""What one answer may have, decoded."""
RETRIES = RetryPolicy()
USER_AGENT = f"diagnose/{__version__}"


class HttpClient:
    """Fetches over HTTP and HTTPS. Close it, or use it as a context manager.

    ``timeout`` (seconds) limits one attempt as a whole: name, connection, TLS, request, answer and body; ``deadline`` limits
    everything. Headers of ``bindings`` are added where each may go, and only there; ``plain_http`` are the origins that
    a person accepted for credentials without TLS. ``max_bytes`` bounds one decoded answer. ``log`` takes one line an exchange,
    with ``log_headers`` also the headers of the answer; what it is given is not redacted.
    """

    def __init__(
        self,
        *,
        timeout: float,
        deadline: Deadline,
        bindings: Sequence[Binding] = (),
        plain_http: Collection[Origin] = (),
        max_bytes: int = MAX_BYTES,
        http2: bool = False,
        user_agent: str = USER_AGENT,
        log: Callable[[str], None] | None = None,
        log_headers: bool = False,
        retries: RetryPolicy = RETRIES,
        resolver: Resolver = system_resolver,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.timeout = timeout
        self.deadline = deadline
        self.max_bytes = max_bytes
        self._settings = Settings(
            deadline=deadline,
            bindings=tuple(bindings),
            plain_http=frozenset(plain_http),
            http2=http2,
            user_agent=user_agent,
            log=log,
            log_headers=log_headers,
            retries=retries,
            resolver=resolver,
            sleep=sleep,
            chance=chance,
            now=now,
        )
        self._exchange: Exchange | None = None

    def fetch(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,
        retry: bool = True,
        patience: float | None = None,
        max_bytes: int | None = None,
    ) -> HttpAnswer:
        """Send a request and return the whole answer, whatever its status.

        Redirects within the origin are followed, if the method may stay; any other answer of status 3xx is returned as it is.
        After a failed connection and after 429, 502, 503 and 504 it is tried again, unless ``retry`` is off or the
        wait would be longer than ``patience`` (seconds). Userinfo and fragment of ``url`` are never sent.

        Raises ObservationError (`unreachable`, `timed-out`, `limit-exceeded`), and UsageError for a request that cannot be
        written.
        """
        with self.stream(
            method,
            url,
            headers=headers,
            body=body,
            timeout=timeout,
            retry=retry,
            patience=patience,
            max_bytes=max_bytes,
        ) as answer:
            content = answer.read()
            return HttpAnswer(
                status=answer.status,
                headers=answer.headers,
                body=content,
                url=answer.url,
                elapsed_ms=answer.elapsed_ms,
                redirects=answer.redirects,
                http_version=answer.http_version,
            )

    @contextmanager
    def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,
        retry: bool = True,
        patience: float | None = None,
        max_bytes: int | None = None,
    ) -> Iterator[HttpStream]:
        """Send a request and yield its answer with the body unread; otherwise as `fetch`."""
        ask = Ask(
            method=method.upper(),
            headers=headers or {},
            body=body,
            timeout=self.timeout if timeout is None else timeout,
            retry=retry,
            patience=patience,
            max_bytes=self.max_bytes if max_bytes is None else max_bytes,
        )
        answer = self._connected().open(ask, request_url(url))
        try:
            yield answer
        finally:
            answer.close()

    def fresh(self) -> HttpClient:
        """Return a client with the same settings that shares no connection with this one."""
        other = copy.copy(self)
        other._exchange = None  # noqa: SLF001 - it is one of us
        return other

    def sends_credential(self, url: str) -> bool:
        """Return whether a request for ``url`` carries a credential of ours. Raises InputError where ``url`` is none."""
        bound = [each for each in self._settings.bindings if each.may_go_to(url, self._settings.plain_http)]
        return any(each.credentials for each in bound)

    def close(self) -> None:
        """Close every connection; the client may be used again."""
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connected(self) -> Exchange:
        if self._exchange is None:
            load_httpx(http2=self._settings.http2)
            from diagnose.transport.exchange import Exchange

            self._exchange = Exchange(self._settings)
        return self._exchange
