"""What the reference server is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from diagnose.errors import UsageError
from diagnose.reference.principals import Principals

Scope = Literal["public", "private"]

#: The path of the MCP endpoint.
ENDPOINT = "/mcp"
MAX_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """How the server is reached, what it says of itself, and which fault stands in front of it."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 takes any free port. Over stdio it is that of `POST /control` alone, and 0 leaves that out."""
    page_size: int = 50
    """Tools a page; the three of the orchard fit one page."""
    ttl_ms: int | None = None
    """How long a list may be taken for fresh, in milliseconds; None is a minute, with a ledger five."""
    scope: Scope | None = None
    """Who may share a list; None is everybody, with a ledger nobody."""
    token: str | None = field(default=None, repr=False)
    """The bearer token that the MCP endpoint demands; None demands none."""
    second_token: str | None = field(default=None, repr=False)
    """The token of a second principal; there is none without it."""
    second_without: str | None = None
    """The tool that the second principal is not shown; None shows both the same. With it, the list is private."""
    identity: str | None = None
    """A word of the starter's, shown in `/health`: it tells that this is the process that was started."""
    control: bool = False
    """Whether the surface can be changed from outside (`POST /control`, and the method `reference/control`)."""
    fault: str | None = None
    ledger: bool = False
    """Whether a ledger is served, whose answers go stale and say so, in the place of the orchard."""

    def __post_init__(self) -> None:
        if self.page_size < 1:
            raise UsageError("a page holds at least one tool")
        if not 0 <= self.port <= MAX_PORT:
            raise UsageError(f"a port is a number from 0 to {MAX_PORT}, not {self.port}")
        if self.time_to_live < 0:
            raise UsageError("the time to live is at least 0 milliseconds")
        _ = self.principals  # which refuses what does not go together

    @property
    def time_to_live(self) -> int:
        """How long a list may be taken for fresh, in milliseconds."""
        if self.ttl_ms is not None:
            return self.ttl_ms
        return 300_000 if self.ledger else 60_000

    @property
    def audience(self) -> Scope:
        """Who may share a list. One that depends on who asks is private, whatever was said."""
        if self.principals.differ:
            return "private"
        return self.scope or ("private" if self.ledger else "public")

    @property
    def principals(self) -> Principals:
        """Who may ask, and what they are shown."""
        return Principals(token=self.token, second=self.second_token, hidden=self.second_without)

    @classmethod
    def of(cls, values: dict[str, Any]) -> ServeOptions:
        """Make options from plain values, as another process wrote them; raises `UsageError` for unknown ones."""
        try:
            return cls(**values)
        except TypeError as error:
            raise UsageError(f"these are no options of the reference server: {error}") from error
