"""Answers that refuse a request for its credential, in words that fit whether one was sent."""

from __future__ import annotations

from typing import Final

#: Statuses that refuse a request for its credential (RFC 9110, 15.5.2 and 15.5.4).
REFUSALS: Final = frozenset({401, 403})


def refusal(status: int | None, *, sent: bool) -> str:
    """Return what a server does that answers 401 or 403, as a predicate; ``sent``: the request carried a credential."""
    if sent:
        return "does not accept this credential" if status == 401 else "does not accept this credential, or this caller"
    return "asks for a credential" if status == 401 else "refuses a caller without a credential"
