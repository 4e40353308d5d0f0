"""Who may ask the reference server, and what each of them is shown."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from diagnose.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Principals:
    """The bearer tokens that open the MCP endpoint. ``hidden`` is the tool that the holder of the second is not shown."""

    token: str | None = field(default=None, repr=False)
    second: str | None = field(default=None, repr=False)
    hidden: str | None = None

    def __post_init__(self) -> None:
        if self.second is not None and self.token is None:
            raise UsageError("a second token goes with a first one")
        if self.hidden is not None and self.second is None:
            raise UsageError("a tool can be kept from the holder of a second token only")

    @property
    def differ(self) -> bool:
        """Whether the list depends on who asks, so that it may not be shared."""
        return self.hidden is not None

    def admits(self, authorization: str) -> bool:
        """Tell whether a request with this header, empty where it has none, is let in."""
        known = [token for token in (self.token, self.second) if token is not None]
        return not known or any(_is(authorization, token) for token in known)

    def hides(self, authorization: str) -> str | None:
        """Return the tool that is not shown to whoever sends this header; None where all are."""
        return self.hidden if self.second is not None and _is(authorization, self.second) else None


def _is(authorization: str, token: str) -> bool:
    return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
