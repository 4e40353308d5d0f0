"""Names to addresses, within a time limit that the system's resolver does not have."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

Resolver: TypeAlias = Callable[[str, int], Sequence[str]]
"""Takes a host name and a port, returns IP addresses in the order to try; raises OSError or UnicodeError."""


class DnsTimeoutError(TimeoutError):
    """The resolver did not come back in time."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return the addresses that the operating system knows for ``host``, its preferred one first."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def resolve_within(seconds: float, resolver: Resolver, host: str, port: int) -> Sequence[str]:
    """Return what ``resolver`` says of ``host``, or raise DnsTimeoutError after ``seconds``.

    getaddrinfo(3) can neither be limited nor interrupted, so it runs in a thread that is left behind when it takes too long.
    An address stands for itself; nobody is asked.
    """
    if _is_address(host):
        return (host,)
    outcome: list[Sequence[str] | BaseException] = []

    def ask() -> None:
        try:
            outcome.append(resolver(host, port))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
            outcome.append(error)

    worker = threading.Thread(target=ask, name="resolver", daemon=True)
    worker.start()
    worker.join(seconds)
    if not outcome:
        raise DnsTimeoutError(f"no address within {seconds:.1f} s")
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _is_address(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except OSError:
            continue
        return True
    return False
