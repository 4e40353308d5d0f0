"""What the shapes have in common: the view that they become, and the server that is meant among several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnose.errors import InputError


class NoSuchServerError(InputError):
    """The server that is meant is not among those of a view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A view as a file states it. ``tools`` are definitions, or bare names where ``names_only``."""

    shape: str
    """What kind of file it is, for people."""
    tools: Sequence[Any]
    names_only: bool = False
    session: str | None = None
    servers: tuple[Any, ...] = ()
    server_info: Mapping[str, Any] | None = None
    status: str | None = None
    error: str | None = None


def chosen(servers: Iterable[tuple[str, Any]], key: str | None, shape: str) -> Any:
    """Return the entry of the server that is meant: by its key, or the only one there is.

    Raises:
        NoSuchServerError: none of them has that key, or several have none to choose by.

    """
    found = list(servers)
    names = ", ".join(name[:60] for name, _ in found[:10]) or "none"
    if key is not None:
        entry = next((entry for name, entry in found if name == key), None)
        if entry is None:
            raise NoSuchServerError(f"{shape} has no server {key!r}; it has {names}")
        return entry
    if len(found) != 1:
        raise NoSuchServerError(f"{shape} has {len(found)} servers ({names})", advice="Name the one with --server-key.")
    return found[0][1]


def text_of(value: Any) -> str | None:
    """Return a text, None for anything else."""
    return value if isinstance(value, str) else None
