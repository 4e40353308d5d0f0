"""From one request to the answer that counts: redirects, retries, credentials, and the log."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

import httpcore

from diagnose.errors import InputError, ObservationError, UsageError
from diagnose.transport.binding import Binding
from diagnose.transport.deadline import Deadline
from diagnose.transport.engine import Engine
from diagnose.transport.failures import FAILURES, Fault, Peer, fault
from diagnose.transport.origin import Origin, request_url
from diagnose.transport.proxies import proxy_for
from diagnose.transport.resolve import Resolver
from diagnose.transport.retry import RETRIED_STATUSES, RetryPolicy, retry_after
from diagnose.transport.stream import HttpStream

MAX_REDIRECTS = 5

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_IDEMPOTENT = _SAFE | {"PUT", "DELETE"}
"""RFC 9110, 9.2.2: sending one of these twice is the same as sending it once."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD = frozenset({307, 308})
"""RFC 9110, 15.4: only after these must a client not turn another method into GET."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What all requests of one client have in common; `HttpClient` says what each field means."""

    deadline: Deadline
    bindings: tuple[Binding, ...]
    plain_http: frozenset[Origin]
    http2: bool
    user_agent: str
    log: Callable[[str], None] | None
    log_headers: bool
    retries: RetryPolicy
    resolver: Resolver
    sleep: Callable[[float], None]
    chance: Callable[[], float]
    now: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request; ``timeout`` in seconds for each attempt as a whole, ``max_bytes`` of decoded body."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None
    timeout: float
    retry: bool
    max_bytes: int


class Exchange:
    """Sends requests until there is an answer to give back, over connections of its own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine = Engine(resolver=settings.resolver, http2=settings.http2)

    def open(self, ask: Ask, url: str) -> HttpStream:
        """Return the answer to ``ask``, its body unread, after the redirects that may be followed."""
        left: tuple[str, ...] = ()
        while True:
            answer = self._persistent(ask, url, left)
            target = _next_url(ask.method, answer)
            if target is None:
                return answer
            answer.close()
            left = (*left, url)
            if target in left or len(left) > MAX_REDIRECTS:
                raise _circle(url, left, answer.status)
            url = target

    def close(self) -> None:
        """Close every connection."""
        self._engine.close()

    def _persistent(self, ask: Ask, url: str, left: tuple[str, ...]) -> HttpStream:
        attempt = 1
        while True:
            outcome = self._attempt(ask, url, left)
            delay = self._delay(ask, outcome, attempt)
            if delay is None and isinstance(outcome, Fault):
                raise outcome.error from outcome.cause
            if delay is None and isinstance(outcome, HttpStream):
                return outcome
            if isinstance(outcome, HttpStream):
                outcome.close()
            self._settings.sleep(delay or 0.0)
            attempt += 1

    def _attempt(self, ask: Ask, url: str, left: tuple[str, ...]) -> HttpStream | Fault:
        settings = self._settings
        origin, proxy = Origin.of(url), proxy_for(Origin.of(url))
        settings.deadline.check(f"asking {origin}")
        limit = settings.deadline.within(ask.timeout)
        peer = Peer(origin, limit.seconds, None if proxy is None else proxy.origin)
        started = time.perf_counter()
        try:
            with self._engine.pace.until(limit):
                response = self._engine.send(ask.method, url, self._headers(ask, url), ask.body, proxy)
        except httpcore.LocalProtocolError as error:
            raise UsageError(f"The request cannot be sent as it is: {error}.") from error
        except FAILURES as error:
            outcome = fault(error, peer)
            self._say(f"{ask.method} {url} failed: {outcome.error}")
            return outcome
        return HttpStream(
            response,
            url=url,
            redirects=left,
            peer=peer,
            pace=self._engine.pace,
            request_deadline=limit,
            deadline=settings.deadline,
            max_bytes=ask.max_bytes,
            started=started,
            on_close=lambda answer: self._note(ask.method, answer),
        )

    def _delay(self, ask: Ask, outcome: HttpStream | Fault, attempt: int) -> float | None:
        """Return the seconds until the next attempt, or None if the outcome stands."""
        settings = self._settings
        if not ask.retry or not settings.retries.allows(attempt):
            return None
        if isinstance(outcome, Fault):
            # A request that may have arrived is not sent again, unless twice is the same as once.
            if not outcome.transient or (outcome.sent and ask.method not in _IDEMPOTENT):
                return None
            asked = None
        else:
            if outcome.status not in RETRIED_STATUSES:
                return None
            asked = retry_after(outcome.headers.get("retry-after"), settings.now())
        delay = settings.retries.delay(attempt, settings.chance(), asked)
        return delay if delay < settings.deadline.remaining() else None

    def _headers(self, ask: Ask, url: str) -> list[tuple[str, str]]:
        merged = {
            "user-agent": ("User-Agent", self._settings.user_agent),
            "accept": ("Accept", "*/*"),
            # Compressed answers are understood, but not wanted: what was sent is easier to prove.
            "accept-encoding": ("Accept-Encoding", "identity"),
        }
        merged.update({name.lower(): (name, value) for name, value in ask.headers.items()})
        for binding in self._settings.bindings:
            if binding.may_go_to(url, self._settings.plain_http):
                merged.update({name.lower(): (name, secret.reveal()) for name, secret in binding.headers.items()})
        return list(merged.values())

    def _note(self, method: str, answer: HttpStream) -> None:
        self._say(f"{method} {answer.url} -> {answer.status}, {answer.received} bytes, {answer.elapsed_ms:.0f} ms")
        if self._settings.log_headers:
            for name, value in answer.headers:
                self._say(f"  {name}: {value}")

    def _say(self, line: str) -> None:
        if self._settings.log is not None:
            self._settings.log(line)


def _next_url(method: str, answer: HttpStream) -> str | None:
    """Return where a redirect leads, if it may be followed: within the origin, and without changing the request."""
    location = answer.headers.get("location")
    if answer.status not in _REDIRECTS or location is None:
        return None
    if method not in _SAFE and answer.status not in _SAME_METHOD:
        return None
    try:
        target = request_url(urljoin(answer.url, location))
    except (InputError, ValueError):
        return None
    return target if Origin.of(target) == Origin.of(answer.url) else None


def _circle(url: str, left: tuple[str, ...], status: int) -> ObservationError:
    origin = Origin.of(url)
    return ObservationError(
        f"{origin} redirects without end: {len(left)} redirects led to no answer.",
        rule="unreachable",
        host=origin.host,
        port=origin.port,
        kind="redirects",
        status=status,
        redirects=list(left),
    )
