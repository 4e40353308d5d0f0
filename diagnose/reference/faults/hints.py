"""Faults of the caching hints (MCP 2026-07-28, server/utilities/caching)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.capability import mute, unannounced
from diagnose.reference.faults.declare import Era, Passing, fault
from diagnose.reference.faults.pages import FIRST, SECOND
from diagnose.reference.faults.retell import Tools, absent, listed, retold
from diagnose.reference.faults.tools import moved

MODERN: tuple[Era, ...] = ("modern",)
TEN_YEARS = 10 * 365 * 86_400_000
Result = dict[str, Any]


def hinted(passing: Passing, change: Callable[[Result], Result], method: str = "tools/list") -> Answer:
    """Answer honestly, with other hints on the modern results of this method."""
    answer = passing.honest()
    result = answer.result
    if passing.ask.method != method or result is None or "ttlMs" not in result:
        return answer
    return answer.with_result(change(result))


def _without(result: Result, *names: str) -> Result:
    return {key: value for key, value in result.items() if key not in names}


@fault("ttl-misuse:missing", breaks="A modern list has no ttlMs.", eras=MODERN)
def ttl_missing(passing: Passing) -> Answer:
    """Leave it out."""
    return hinted(passing, lambda result: _without(result, "ttlMs"))


@fault("ttl-misuse:negative", breaks="ttlMs is negative.", eras=MODERN)
def ttl_negative(passing: Passing) -> Answer:
    """Take -1 for 'never'."""
    return hinted(passing, lambda result: {**result, "ttlMs": -1})


@fault("ttl-misuse:float", breaks="ttlMs is a number with a fraction.", eras=MODERN)
def ttl_float(passing: Passing) -> Answer:
    """Divide somewhere on the way."""
    return hinted(passing, lambda result: {**result, "ttlMs": 60_000.5})


@fault("ttl-misuse:text", breaks="ttlMs is a text.", eras=MODERN)
def ttl_text(passing: Passing) -> Answer:
    """Write the number in quotes."""
    return hinted(passing, lambda result: {**result, "ttlMs": "60000"})


@fault(
    "ttl-misuse:seconds-key",
    breaks="The time to live stands in seconds under `ttl`, and ttlMs is missing.",
    eras=MODERN,
)
def ttl_seconds_key(passing: Passing) -> Answer:
    """Use the name of an earlier draft."""
    return hinted(passing, lambda result: {**_without(result, "ttlMs"), "ttl": 60})


@fault("ttl-unit", breaks="ttlMs is 300, for a list that is good for 300 seconds.", eras=MODERN)
def ttl_unit(passing: Passing) -> Answer:
    """Count seconds."""
    return hinted(passing, lambda result: {**result, "ttlMs": 300})


@fault("ttl-too-long", breaks="ttlMs is ten years.", eras=MODERN)
def ttl_too_long(passing: Passing) -> Answer:
    """Promise what no server can keep."""
    return hinted(passing, lambda result: {**result, "ttlMs": TEN_YEARS})


@fault(
    "ttl-misuse:changed-inside",
    breaks="The list moves once, inside its own time to live; no changes are promised, and nobody is told.",
    eras=MODERN,
    tells=mute,
)
def ttl_changed_inside(passing: Passing) -> Answer:
    """Hold the moved surface from the second list on."""
    turn = passing.memory.turn("list") if passing.ask.is_list else passing.memory.seen("list")
    return unannounced(retold(passing, moved if turn else _same))


@fault(
    "ttl-on-varying-list",
    breaks="Every list is another one, and each has a time to live; no changes are promised, and there is no manifest.",
    eras=MODERN,
    tells=mute,
)
def ttl_on_varying_list(passing: Passing) -> Answer:
    """Say in a description how often the list was asked for."""
    if passing.ask.is_manifest:
        return absent()
    turn = passing.memory.turn("list") if passing.ask.is_list else passing.memory.seen("list")
    return unannounced(retold(passing, lambda tools: _numbered(tools, turn)))


@fault("cache-scope-invalid", breaks="cacheScope is neither public nor private.", eras=MODERN)
def cache_scope_invalid(passing: Passing) -> Answer:
    """Use a word of HTTP."""
    return hinted(passing, lambda result: {**result, "cacheScope": "shared"})


@fault("page-scope-differs", breaks="The first page of a list is public and the second one private.", eras=MODERN)
def page_scope_differs(passing: Passing) -> Answer:
    """Deal two pages; the second is marked private."""
    if not passing.ask.is_list:
        return passing.honest()
    whole = passing.tools()
    if passing.ask.cursor is None:
        return listed(passing, whole[:FIRST], following=SECOND, whole=whole)
    answer = listed(passing, whole[FIRST:], whole=whole, issued=(SECOND,))
    return answer if answer.result is None else answer.with_result({**answer.result, "cacheScope": "private"})


@fault("cache-hints-missing-elsewhere:prompts", breaks="The list of prompts has no caching hints.", eras=MODERN)
def hints_missing_prompts(passing: Passing) -> Answer:
    """Forget them on prompts."""
    return _hintless(passing, "prompts/list")


@fault("cache-hints-missing-elsewhere:resources", breaks="The list of resources has no caching hints.", eras=MODERN)
def hints_missing_resources(passing: Passing) -> Answer:
    """Forget them on resources."""
    return _hintless(passing, "resources/list")


@fault("cache-hints-missing-elsewhere:templates", breaks="The resource templates have no caching hints.", eras=MODERN)
def hints_missing_templates(passing: Passing) -> Answer:
    """Forget them on resource templates."""
    return _hintless(passing, "resources/templates/list")


@fault("cache-hints-missing-elsewhere:discover", breaks="server/discover has no caching hints.", eras=MODERN)
def hints_missing_discover(passing: Passing) -> Answer:
    """Forget them on discovery."""
    return _hintless(passing, "server/discover")


@fault("cache-hints-legacy", breaks="A list of the handshake era carries caching hints.", eras=("legacy",))
def cache_hints_legacy(passing: Passing) -> Answer:
    """Send one result to both eras."""
    answer = passing.honest()
    if not passing.ask.is_list or answer.result is None:
        return answer
    return answer.with_result({**answer.result, "ttlMs": 60_000, "cacheScope": "public"})


def _hintless(passing: Passing, method: str) -> Answer:
    return hinted(passing, lambda result: _without(result, "ttlMs", "cacheScope"), method)


def _numbered(tools: Tools, number: int) -> Tools:
    return [{**tools[0], "description": f"{tools[0]['description']} Asked {number} times."}, *tools[1:]]


def _same(tools: Tools) -> Tools:
    return tools
