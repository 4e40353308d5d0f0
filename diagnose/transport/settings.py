"""What a request is made of, and what all requests of one client share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from diagnose.record import record
from diagnose.transport.binding import Binding
from diagnose.transport.deadline import Deadline
from diagnose.transport.origin import Origin
from diagnose.transport.resolve import Resolver
from diagnose.transport.retry import RetryPolicy


@record
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

    def say(self, line: str) -> None:
        """Log one line, if anybody listens."""
        if self.log is not None:
            self.log(line)


@record
class Ask:
    """One request; ``timeout`` is seconds for each attempt as a whole, ``max_bytes`` bounds the decoded body."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None
    timeout: float
    retry: bool
    max_bytes: int
    patience: float | None = None
    """The longest wait for another attempt, in seconds; None: as long as the deadline allows."""


def request_headers(ask: Ask, settings: Settings, url: str) -> list[tuple[str, str]]:
    """Return the headers to send to ``url``: ours, then the request's, then those of every binding that may go there."""
    merged = {
        "user-agent": ("User-Agent", settings.user_agent),
        "accept": ("Accept", "*/*"),
        # Compressed answers are understood, but not wished for: what was sent is easier to show.
        "accept-encoding": ("Accept-Encoding", "identity"),
    }
    merged.update({name.lower(): (name, value) for name, value in ask.headers.items()})
    for binding in settings.bindings:
        allowed = binding.headers_for(url, settings.plain_http)
        merged.update({name.lower(): (name, secret.reveal()) for name, secret in allowed.items()})
    return list(merged.values())
