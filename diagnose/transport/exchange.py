"""From one request to the answer that counts: redirects, retries, and the log."""

from __future__ import annotations

import time
from urllib.parse import urljoin

from diagnose.errors import InputError, ObservationError
from diagnose.transport.engine import Engine, build_request
from diagnose.transport.failures import FAILURES, Fault, Peer, fault
from diagnose.transport.origin import Origin, request_url
from diagnose.transport.proxies import proxy_for
from diagnose.transport.retry import RETRIED_STATUSES, retry_after
from diagnose.transport.settings import Ask, Settings, request_headers
from diagnose.transport.stream import HttpStream, Limits

MAX_REDIRECTS = 5

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_IDEMPOTENT = _SAFE | {"PUT", "DELETE"}
"""RFC 9110, 9.2.2: sending one of these twice is the same as sending it once."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD = frozenset({307, 308})
"""RFC 9110, 15.4: only after these must a client not turn another method into GET."""


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
                raise _endless(url, left, answer.status)
            url = target

    def close(self) -> None:
        """Close every connection."""
        self._engine.close()

    def _persistent(self, ask: Ask, url: str, left: tuple[str, ...]) -> HttpStream:
        attempt = 1
        while True:
            outcome = self._attempt(ask, url, left)
            delay = self._delay(ask, outcome, attempt)
            if isinstance(outcome, HttpStream):
                if delay is None:
                    return outcome
                outcome.close()
            elif delay is None:
                raise outcome.error from outcome.cause
            self._settings.say(f"{ask.method} {url}: again in {delay:.2f} s")
            self._settings.sleep(delay)
            attempt += 1

    def _attempt(self, ask: Ask, url: str, left: tuple[str, ...]) -> HttpStream | Fault:
        settings, origin = self._settings, Origin.of(url)
        settings.deadline.check(f"asking {origin}")
        request = build_request(ask.method, url, request_headers(ask, settings, url), ask.body)
        proxy = proxy_for(origin)
        transport = self._engine.transport(origin.scheme, proxy)
        within = settings.deadline.within(ask.timeout)
        peer = Peer(origin=origin, seconds=within.seconds, proxy=None if proxy is None else proxy.origin)
        started = time.perf_counter()
        try:
            with self._engine.pace.until(within):
                response = transport.handle_request(request)
        except FAILURES as error:
            outcome = fault(error, peer)
            settings.say(f"{ask.method} {url}: {outcome.error}")
            return outcome
        return HttpStream(
            response,
            url=url,
            redirects=left,
            peer=peer,
            limits=Limits(pace=self._engine.pace, request=within, command=settings.deadline, max_bytes=ask.max_bytes),
            started=started,
            on_close=lambda answer: self._note(ask.method, answer),
        )

    def _delay(self, ask: Ask, outcome: HttpStream | Fault, attempt: int) -> float | None:
        """Return the seconds until the next attempt, or None if the outcome stands."""
        settings, asked = self._settings, None
        if not ask.retry or not settings.retries.allows(attempt):
            return None
        if isinstance(outcome, HttpStream):
            if outcome.status not in RETRIED_STATUSES:
                return None
            asked = retry_after(outcome.headers.get("retry-after"), settings.now())
        elif not outcome.transient or (outcome.sent and ask.method not in _IDEMPOTENT):
            # A request that may have arrived is not sent again, unless twice is the same as once.
            return None
        delay = settings.retries.delay(attempt, settings.chance(), asked)
        longest = settings.deadline.remaining()
        return delay if delay < (longest if ask.patience is None else min(longest, ask.patience)) else None

    def _note(self, method: str, answer: HttpStream) -> None:
        settings = self._settings
        settings.say(f"{method} {answer.url}: {answer.status}, {answer.received} bytes, {answer.elapsed_ms:.0f} ms")
        if settings.log_headers:
            for name, value in answer.headers:
                settings.say(f"  {name}: {value}")


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


def _endless(url: str, left: tuple[str, ...], status: int) -> ObservationError:
    origin = Origin.of(url)
    count = "one redirect" if len(left) == 1 else f"{len(left)} redirects"
    how = f"more than {MAX_REDIRECTS} redirects led" if len(set(left)) > MAX_REDIRECTS else f"{count} led in a circle"
    return ObservationError(
        f"{origin} redirects without end: {how}, and to no answer.",
        rule="unreachable",
        host=origin.host,
        port=origin.port,
        kind="redirects",
        status=status,
        redirects=list(left),
    )
