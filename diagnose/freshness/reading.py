"""One try to read a whole list: a walk, when its pages were asked for and had come, and what was told meanwhile."""

from __future__ import annotations

from typing import Any

from diagnose.freshness.actions import ListPage, Reason
from diagnose.freshness.entry import CacheEntry
from diagnose.wire.message import RpcErrorBody
from diagnose.wire.paging import Limits, Progress, Walk, WalkFailure


class Reading:
    """A walk that knows the time. ``again`` is the reason, if there is one, to read the list once more after it."""

    def __init__(self, reason: Reason, limits: Limits) -> None:
        self.reason: Reason = reason
        self.again: Reason | None = None
        self.pages: list[CacheEntry] = []
        self._walk = Walk(limits)
        self._ticket = 0
        self._asked = 0.0

    @property
    def failure(self) -> WalkFailure | None:
        """Why the list could not be read to its end."""
        return self._walk.failure

    @property
    def tools(self) -> list[Any]:
        """The entries of all pages so far."""
        return self._walk.tools

    @property
    def is_overtaken(self) -> bool:
        """Whether a signal came that may have changed the list between two of its pages. One page cannot be of two lists."""
        return self.again == "signal" and (len(self.pages) > 1 or self._walk.progress == "asking")

    def ask(self, ticket: int, now: float) -> ListPage:
        """Return the next request; from now on the answer to this ticket is waited for, and to no other."""
        self._ticket, self._asked = ticket, now
        return ListPage(ticket=ticket, cursor=self._walk.params.get("cursor"))

    def awaits(self, ticket: int) -> bool:
        """Tell whether this is the request that is out."""
        return ticket == self._ticket

    def feed(self, result: Any, size: int, now: float) -> Progress:
        """Take in the answer that was waited for."""
        progress = self._walk.feed(result, size)
        if progress != "failed":
            self.pages.append(CacheEntry.of(result, asked=self._asked, received=now))
        return progress

    def refuse(self, error: RpcErrorBody) -> Progress:
        """Take in an error answer; if it was the cursor that was refused, every page is dropped."""
        progress = self._walk.refuse(error)
        if progress == "asking":
            self.pages.clear()
        return progress
