"""One walk over a paged list, as a state machine: it says what to ask next and is told what came. Sans-IO.

MCP 2026-07-28, server/utilities/pagination and caching: a cursor is opaque, the empty string is one, its absence (or
null) ends the list; when a cursor expires the whole list is read anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias

from diagnose.record import record
from diagnose.wire.eras import HEADER_MISMATCH
from diagnose.wire.message import INVALID_PARAMS, INVALID_REQUEST, RpcErrorBody

Progress: TypeAlias = Literal["asking", "complete", "failed"]

#: So often is a walk begun again because a cursor was refused.
MAX_EXPIRED: Final = 2
#: So often is a walk begun again because the server said that its list had changed.
MAX_SIGNALS: Final = 3


@record
class Limits:
    """Where a walk gives up. ``max_bytes`` counts the answers of one attempt as received."""

    max_pages: int = 1_000
    max_tools: int = 100_000
    max_bytes: int = 128 * 1024 * 1024


@record
class WalkPage:
    """One page: the cursor it was asked with (None for the first) and the result as received."""

    cursor: str | None
    result: Mapping[str, Any]

    @property
    def tools(self) -> list[Any]:
        """The entries of this page, whatever they are."""
        tools: list[Any] = self.result["tools"]
        return tools


@record
class WalkFailure:
    """Why the list could not be read to its end; ``rule`` is a name of causes.md."""

    rule: str
    message: str
    code: int | None = None
    args: Mapping[str, Any] = field(default_factory=dict)


class Walk:
    """Reads one list to its end.

    While ``progress`` is `asking`, send `tools/list` with ``params`` and hand what came to `feed` or `refuse`; `signal`
    tells that the list has changed meanwhile. ``pages`` are those of the last attempt.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.progress: Progress = "asking"
        self.failure: WalkFailure | None = None
        self.pages: list[WalkPage] = []
        self.expired = 0
        self.signals = 0
        self._limits = limits or Limits()
        self._signalled = False
        self._cursor: str | None = None
        self._issued: set[str] = set()
        self._seen: set[bytes] = set()
        self._bytes = 0
        self._tools = 0

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the next request."""
        return {} if self._cursor is None else {"cursor": self._cursor}

    @property
    def tools(self) -> list[Any]:
        """The entries of all pages, in the order of the server."""
        return [tool for page in self.pages for tool in page.tools]

    def signal(self) -> None:
        """Tell that the server announced a change of the list before this walk was over."""
        self._signalled = True

    def refuse(self, error: RpcErrorBody) -> Progress:
        """Take in an error answer to the last request."""
        if self._cursor is None or not is_cursor_refusal(error):
            place = f"page {len(self.pages) + 1}"
            rule = "header-mismatch" if error.code == HEADER_MISMATCH else "list-error"
            return self._fail(rule, f"{place} of tools/list was refused with {error}", code=error.code)
        if self.expired < MAX_EXPIRED:
            self.expired += 1
            return self._restart()
        message = f"the server refused a cursor that it had just issued, {self.expired + 1} times, with {error.code}"
        args = {"cursor": self._cursor, "said": error.message} | ({} if self._cursor else {"reason": "empty"})
        return self._fail("cursor-rejected", message, code=error.code, **args)

    def feed(self, result: Any, size: int) -> Progress:
        """Take in the result of the last request and its size in bytes."""
        if self._signalled and self.signals < MAX_SIGNALS:
            self.signals += 1
            return self._restart()
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            return self._fail("list-error", _not_a_page(result), reason="tools")
        page = WalkPage(cursor=self._cursor, result=result)
        self.pages.append(page)
        self._bytes += size
        self._tools += len(page.tools)
        return self._limit() or self._follow(page)

    def _limit(self) -> Progress | None:
        for name, unit, value, limit in (
            ("max_tools", "tools", self._tools, self._limits.max_tools),
            ("max_bytes", "bytes", self._bytes, self._limits.max_bytes),
        ):
            if value > limit:
                message = f"tools/list was given up after {len(self.pages)} pages: more than {limit} {unit}"
                return self._fail("limit-exceeded", message, limit=name, value=limit)
        return None

    def _follow(self, page: WalkPage) -> Progress:
        following = page.result.get("nextCursor")
        # The usual list is one page; it is not worth a digest.
        repeated = (following is not None or len(self.pages) > 1) and self._is_repeated(page)
        if following is not None and not isinstance(following, str):
            message = f"nextCursor of page {len(self.pages)} is no text but {json.dumps(following)[:80]}"
            return self._fail("list-error", message, reason="cursor-type")
        if repeated and (following is not None or page.cursor == ""):
            return self._loop(page.cursor, f"page {len(self.pages)} repeats an earlier page", repeats="page")
        if following is None:
            self.progress = "complete"
            return self.progress
        if following in self._issued:
            return self._loop(following, f"page {len(self.pages)} issues a cursor again", repeats="cursor")
        if len(self.pages) >= self._limits.max_pages:
            message = f"tools/list was given up after {len(self.pages)} pages, and there are more"
            return self._fail("limit-exceeded", message, limit="max_pages", value=self._limits.max_pages)
        self._issued.add(following)
        self._cursor = following
        return self.progress

    def _is_repeated(self, page: WalkPage) -> bool:
        """Tell whether the same definitions came on an earlier page. An empty page says nothing."""
        if not page.tools:
            return False
        fingerprint = hashlib.sha256(json.dumps(page.tools, sort_keys=True).encode("ascii")).digest()
        known = fingerprint in self._seen
        self._seen.add(fingerprint)
        return known

    def _loop(self, cursor: str | None, what: str, *, repeats: str) -> Progress:
        names = len({json.dumps(_name(tool)) for tool in self.tools})
        rule = "cursor-empty-string" if cursor == "" else "cursor-loop"
        message = f"tools/list never ends: {what}"
        if cursor == "":
            message = f'tools/list sends "" as a cursor to mean its end, and asking on repeats: {what}'
        return self._fail(rule, message, cursor=cursor, repeats=repeats, pages=len(self.pages), names=names)

    def _restart(self) -> Progress:
        self._signalled = False
        self._cursor = None
        self.pages = []
        self._issued.clear()
        self._seen.clear()
        self._bytes = self._tools = 0
        return self.progress

    def _fail(self, rule: str, message: str, *, code: int | None = None, **args: Any) -> Progress:
        self.failure = WalkFailure(rule=rule, message=message, code=code, args=args)
        self.progress = "failed"
        return self.progress


def is_cursor_refusal(error: RpcErrorBody) -> bool:
    """Tell whether an error answer to a request with a cursor is about the cursor.

    The specification says -32602 and only as a SHOULD; others say "cursor" in their own words.
    """
    return error.code in {INVALID_PARAMS, INVALID_REQUEST} or "cursor" in error.message.lower()


def _not_a_page(result: Any) -> str:
    if not isinstance(result, dict):
        return f"the result of tools/list is no object but {json.dumps(result)[:80]}"
    if "tools" not in result:
        return "the result of tools/list has no `tools`"
    return f"`tools` in the result of tools/list is no list but {json.dumps(result['tools'])[:80]}"


def _name(tool: Any) -> Any:
    return tool.get("name") if isinstance(tool, dict) else None
