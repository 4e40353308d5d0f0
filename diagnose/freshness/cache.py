"""A cache of answers, which serves each caller only what it may see and what is fresh. In memory; no I/O, no clock."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from diagnose.freshness.entry import CacheEntry
from diagnose.freshness.key import NOTIFICATIONS, Key, Question, is_cacheable, is_complete


class _Everybody(Enum):
    """The context of answers that are public: a value that no caller can have."""

    EVERYBODY = "everybody"


EVERYBODY: Final = _Everybody.EVERYBODY


class _Kept(NamedTuple):
    entry: CacheEntry
    size: int


class Cache:
    """Answers by method, parameters, cursor and authorization context (MCP 2026-07-28, server/utilities/caching).

    A ``context`` is any hashable value that stands for an authorization, such as the fingerprint of a token, or None for
    no credential; never the token itself. Times are seconds of one monotonic clock. A cache is for one client, which asks
    all its questions in one protocol version and with the same capabilities.

    Beyond ``max_entries`` or ``max_bytes`` (sizes as handed in) the answers that were stored first are dropped.
    """

    def __init__(self, *, max_entries: int = 10_000, max_bytes: int = 256 * 1024 * 1024) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._kept: dict[Key, _Kept] = {}
        self._pages: dict[Question, set[Key]] = {}
        self._bytes = 0
        self._told: dict[tuple[Question | str, Hashable], float] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(
        self, method: str, params: Mapping[str, Any], *, context: Hashable, now: float, stale: bool = False
    ) -> CacheEntry | None:
        """Return the answer that this caller may be served, its own before a public one; None if the server is to be asked.

        ``stale`` takes one that is no longer fresh, too: only for when the server was asked and could not answer.
        """
        if not is_cacheable(method, params):
            return None
        found = self._found(_keys(method, params, context))
        return next((entry for entry in found if entry.is_fresh(now)), _newest(found) if stale else None)

    def put(
        self,
        method: str,
        params: Mapping[str, Any],
        result: Mapping[str, Any],
        *,
        context: Hashable,
        asked: float,
        received: float,
        size: int = 0,
    ) -> CacheEntry | None:
        """Store an answer; None if it may not be stored, or is older than the one that is there.

        ``asked`` is when the request went out: what was announced after that makes the answer stale from the start, for
        nobody can say whether the server wrote it before or after the change. ``size`` is in bytes.
        """
        if not is_cacheable(method, params) or not is_complete(result):
            return None
        keys = _keys(method, params, context)
        there = _newest(self._found(keys))
        if there is not None and there.asked > asked:
            return None
        entry = CacheEntry.of(result, asked=asked, received=received)
        key = self._place(entry, *keys)
        for older in keys:
            self._drop(older)
        self._store(key, entry, size)
        return self._as_told(key, entry)

    def notified(self, notification: str, params: Mapping[str, Any], *, context: Hashable, now: float) -> None:
        """Take in a notification that came over a connection with this authorization.

        The answers that it concerns are stale at once, those of this caller and the public ones; those of other callers
        are none of its business.
        """
        for method in NOTIFICATIONS.get(notification, ()):
            subject: Question | str = method
            if method == "resources/read" and len(self._told) < self._max_entries:
                subject = Question.of(method, {"uri": params.get("uri")})
            # A server that names resources without end makes all of them stale, and does not fill the memory.
            for owner in (context, EVERYBODY):
                self._told[subject, owner] = now

    def cursor_refused(self, method: str, params: Mapping[str, Any], *, context: Hashable) -> None:
        """Tell that the server no longer takes a cursor of this list: every page of it goes, to be read anew."""
        self._drop_pages(Question.of(method, params), context, EVERYBODY)

    def forget(self, context: Hashable) -> None:
        """Drop all that is kept for an authorization, as when its token is revoked or replaced."""
        for key in [key for key in self._kept if key.context == context]:
            self._drop(key)
        self._told = {told: at for told, at in self._told.items() if told[1] != context}

    def _found(self, keys: tuple[Key, Key]) -> list[CacheEntry]:
        return [self._as_told(key, self._kept[key].entry) for key in keys if key in self._kept]

    def _as_told(self, key: Key, entry: CacheEntry) -> CacheEntry:
        """Return an entry in the light of what was announced since it was asked for."""
        subjects: tuple[Question | str, ...] = (key.question, key.question.method)
        told = max(self._told.get((subject, key.context), float("-inf")) for subject in subjects)
        return entry.invalidate() if told >= entry.asked else entry

    def _place(self, entry: CacheEntry, own: Key, shared: Key) -> Key:
        """Return whom an answer is kept for.

        All pages of a list MUST have one scope. Where they have not, or the scope has changed, the list is private.
        """
        if entry.hints.scope == "private":
            self._drop_pages(own.question, EVERYBODY)
            return own
        beside = (key for key in self._pages.get(own.question, ()) if key.context == own.context and key != own)
        return own if any(self._kept[key].entry.is_fresh(entry.received) for key in beside) else shared

    def _store(self, key: Key, entry: CacheEntry, size: int) -> None:
        self._kept[key] = _Kept(entry, size)
        self._pages.setdefault(key.question, set()).add(key)
        self._bytes += size
        while self._kept and (len(self._kept) > self._max_entries or self._bytes > self._max_bytes):
            self._drop(next(iter(self._kept)))

    def _drop_pages(self, question: Question, *owners: Hashable) -> None:
        for key in [key for key in self._pages.get(question, ()) if key.context in owners]:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return
        self._bytes -= kept.size
        pages = self._pages[key.question]
        pages.discard(key)
        if not pages:
            del self._pages[key.question]


def _newest(entries: Iterable[CacheEntry]) -> CacheEntry | None:
    return max(entries, key=lambda entry: entry.asked, default=None)


def _keys(method: str, params: Mapping[str, Any], context: Hashable) -> tuple[Key, Key]:
    """Return where an answer is kept for this caller alone, and where for everybody."""
    question, cursor = Question.of(method, params), params.get("cursor")
    own = Key(question=question, cursor=cursor, context=context)
    return own, Key(question=question, cursor=cursor, context=EVERYBODY)
