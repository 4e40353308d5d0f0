"""What a cached answer is found by, and what may be cached at all (MCP 2026-07-28, server/utilities/caching, Cache Key)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from diagnose.surface.canonical import lenient

#: The methods whose results carry hints; nothing else is ever cached.
CACHEABLE: Final = frozenset(
    {
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    }
)

#: What a notification says is old: the methods whose answers it concerns.
NOTIFICATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "notifications/tools/list_changed": ("tools/list",),
    "notifications/prompts/list_changed": ("prompts/list",),
    "notifications/resources/list_changed": ("resources/list", "resources/templates/list"),
    "notifications/resources/updated": ("resources/read",),
}

#: Parameters of a request that goes on with another one: its answer depends on more than what is asked (patterns/mrtr).
_CONTINUATIONS = frozenset({"inputResponses", "requestState"})
_BESIDE = frozenset({"_meta", "cursor"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, whoever asked it. ``parameters`` is JSON text without the cursor."""

    method: str
    parameters: str

    @classmethod
    def of(cls, method: str, params: Mapping[str, Any]) -> Question:
        """Return the question of a request.

        `_meta` is left out: what it says of the client (version, capabilities) is the same in all requests of one
        client, and a cache serves one client.
        """
        counted = {name: value for name, value in params.items() if name not in _BESIDE}
        return cls(method=method, parameters=lenient(counted).decode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One page of the answer to a question, and the authorization that it is for."""

    question: Question
    cursor: str | None
    context: Hashable


def is_cacheable(method: str, params: Mapping[str, Any]) -> bool:
    """Tell whether the answer to a request may be kept at all."""
    cursor = params.get("cursor")
    return method in CACHEABLE and _CONTINUATIONS.isdisjoint(params) and (cursor is None or isinstance(cursor, str))


def is_complete(result: Mapping[str, Any]) -> bool:
    """Tell whether a result is final. Before 2026-07-28 none says so, and all are."""
    return bool(result.get("resultType", "complete") == "complete")
