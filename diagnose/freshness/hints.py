"""The caching hints of a result: what they allow, and what is wrong with them (MCP 2026-07-28, server/utilities/caching)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from diagnose.record import record

Scope: TypeAlias = Literal["public", "private"]
FlawKind: TypeAlias = Literal["absent", "wrong-type", "negative", "excessive", "unknown-value"]

#: The longest time, in milliseconds, that a hint is believed: a day. No session should go on for longer without asking
#: again, and a larger number is more likely a unit gone wrong than a promise.
MAX_TTL_MS: Final = 86_400_000


@record
class HintFlaw:
    """What is wrong with one hint. ``value`` is what came, None where nothing did.

    `absent` is a flaw only of a result of 2026-07-28 or later: older ones have no hints.
    """

    field: Literal["ttlMs", "cacheScope"]
    kind: FlawKind
    value: Any = None


@record
class Hints:
    """What a result allows a cache to do.

    ``ttl_ms`` is how long it is fresh, in milliseconds, from 0 to `MAX_TTL_MS`; ``scope`` is whom it may be served to,
    and `private` wherever the server did not clearly say `public`.
    """

    ttl_ms: int = 0
    scope: Scope = "private"
    flaws: tuple[HintFlaw, ...] = ()


def read_hints(result: Mapping[str, Any]) -> Hints:
    """Return the hints of a result, in the reading that trusts least.

    Absent is 0 and negative is 0 (the specification's rule); a float, a text or a boolean is 0 too, for a number in the
    wrong type may be in the wrong unit; what is above `MAX_TTL_MS` counts as that.
    """
    ttl, ttl_flaw = _ttl(result)
    scope, scope_flaw = _scope(result)
    return Hints(ttl_ms=ttl, scope=scope, flaws=tuple(flaw for flaw in (ttl_flaw, scope_flaw) if flaw))


def hint_members(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a result that are about caching, under whatever name a server gives them (`ttl`, `max_age`)."""
    return {
        name: value
        for name, value in result.items()
        if any(word in name.lower().replace("_", "") for word in ("ttl", "cache", "maxage"))
    }


def _ttl(result: Mapping[str, Any]) -> tuple[int, HintFlaw | None]:
    if "ttlMs" not in result:
        return 0, HintFlaw(field="ttlMs", kind="absent")
    value = result["ttlMs"]
    if not isinstance(value, int) or isinstance(value, bool):
        return 0, HintFlaw(field="ttlMs", kind="wrong-type", value=value)
    if value < 0:
        return 0, HintFlaw(field="ttlMs", kind="negative", value=value)
    if value > MAX_TTL_MS:
        return MAX_TTL_MS, HintFlaw(field="ttlMs", kind="excessive", value=value)
    return value, None


def _scope(result: Mapping[str, Any]) -> tuple[Scope, HintFlaw | None]:
    if "cacheScope" not in result:
        return "private", HintFlaw(field="cacheScope", kind="absent")
    value = result["cacheScope"]
    if not isinstance(value, str):
        return "private", HintFlaw(field="cacheScope", kind="wrong-type", value=value)
    if value == "public":
        return "public", None
    return "private", None if value == "private" else HintFlaw(field="cacheScope", kind="unknown-value", value=value)
