"""When a list that was read before may still be trusted: hints, caches, the refresh of a session, plans. Pure.

An integrator's own client can use all of it: it reads no clock, opens nothing, and imports nothing heavy.

* `read_hints` reads `ttlMs` and `cacheScope` of a result, and says what is wrong with them.
* `Cache` keeps single answers, each for those who may see it and as long as it is fresh.
* `CatalogueSession` keeps the tool list of one session whole and current; its `route` says whether a tool may be chosen.
* `PlanPin` and `check_plan` tell whether a step that was planned with an older list may still run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diagnose.freshness.actions import Action, Disregarded, ListPage, Reason, RefreshFailed, Swapped, WakeAt
    from diagnose.freshness.cache import Cache
    from diagnose.freshness.catalogue import Catalogue
    from diagnose.freshness.entry import CacheEntry
    from diagnose.freshness.hints import MAX_TTL_MS, HintFlaw, Hints, read_hints
    from diagnose.freshness.plan import Outcome, PlanPin, StepCheck, StepNotReadyError, check_plan
    from diagnose.freshness.policy import RefreshPolicy
    from diagnose.freshness.poll import Backoff, Polling
    from diagnose.freshness.reliance import Obstacle, Reliance, relying
    from diagnose.freshness.session import CatalogueSession
    from diagnose.freshness.status import Refusal, Route, State, Status

__all__ = [
    "MAX_TTL_MS",
    "Action",
    "Backoff",
    "Cache",
    "CacheEntry",
    "Catalogue",
    "CatalogueSession",
    "Disregarded",
    "HintFlaw",
    "Hints",
    "ListPage",
    "Obstacle",
    "Outcome",
    "PlanPin",
    "Polling",
    "Reason",
    "RefreshFailed",
    "RefreshPolicy",
    "Refusal",
    "Reliance",
    "Route",
    "State",
    "Status",
    "StepCheck",
    "StepNotReadyError",
    "Swapped",
    "WakeAt",
    "check_plan",
    "read_hints",
    "relying",
]

_HOMES = {
    "actions": ("Action", "Disregarded", "ListPage", "Reason", "RefreshFailed", "Swapped", "WakeAt"),
    "cache": ("Cache",),
    "catalogue": ("Catalogue",),
    "entry": ("CacheEntry",),
    "hints": ("MAX_TTL_MS", "HintFlaw", "Hints", "read_hints"),
    "plan": ("Outcome", "PlanPin", "StepCheck", "StepNotReadyError", "check_plan"),
    "policy": ("RefreshPolicy",),
    "poll": ("Backoff", "Polling"),
    "reliance": ("Obstacle", "Reliance", "relying"),
    "session": ("CatalogueSession",),
    "status": ("Refusal", "Route", "State", "Status"),
}


def __getattr__(name: str) -> Any:
    """Load the file that holds a public name when it is first asked for: who needs one rule need not load them all."""
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
