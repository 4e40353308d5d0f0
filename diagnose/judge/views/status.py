"""What a client says of its connection to the server, beside the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from diagnose.judge.views.view import View

Status: TypeAlias = Literal["connected", "pending", "out", "unknown"]

_WORDS: tuple[tuple[Status, tuple[str, ...]], ...] = (
    ("pending", ("pending", "connecting", "starting", "initializing", "loading", "discovering")),
    ("out", ("failed", "error", "disconnected", "needs-auth", "needs_auth", "disabled", "stopped", "not_connected")),
    ("connected", ("connected", "ready", "running", "enabled", "ok", "completed")),
)


def status_of(view: View) -> Status:
    """Return what the client said of this server; `unknown` where it said nothing."""
    said = [word.lower() for word in _said(view)]
    return next((status for status, words in _WORDS if any(word in words for word in said)), "unknown")


def _said(view: View) -> Iterator[str]:
    key = view.lens.server_key
    for entry in view.seen.servers:
        if isinstance(entry, Mapping) and (key is None or entry.get("name") in (key, None)):
            yield str(entry.get("status") or entry.get("state") or "")
    meta: Any = view.seen.meta
    if isinstance(meta, Mapping):
        yield str(meta.get("status") or meta.get("state") or "")
