"""Every check, one file a family. A family is loaded when its kind of evidence is there, or when all are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from diagnose.judge.checks.registry import CHECKS, Check, Seen, check, run

__all__ = ["ALL", "CHECKS", "Check", "Seen", "check", "of_state", "of_subscriptions", "run", "suited"]

_HERE = "diagnose.judge.checks"
_VIEWED = "diagnose.judge.views.rules"
_RULES = "diagnose.judge.timeline.rules"
_TRUST = "diagnose.judge.trust.rules"
#: What health, manifest and the live list tell.
_SERVER = ("observation", "deployed", "manifest", "listing", "revision", "consistency", "definitions", "wire")
#: What a server was tried out for.
_PROMISES = ("capability", "negotiation", "cursors", "caching", "principals", "names", "schemas")
#: What a gateway, a client and a model show.
_VIEWS = (
    "paths",
    "rejections",
    "identities",
    "holdings",
    "snapshots",
    "offers",
    "policies",
    "forms",
    "expected",
    "choices",
)
#: What crossed the wire.
_WIRE = (
    *("lists", "octets", "paging", "hints", "signals", "hops", "streams"),
    *("subscriptions", "held", "sessions", "eras", "reaction", "calls"),
)
#: What a server says of its state, and what its answers then show.
_STATE = ("directives", "invalidations", "soundness", "updates", "listening", "lists", "manifests", "locks")
_SUBSCRIPTION = ("stream-no-ack", "listen-wrong-id", "listen-id-missing", "listen-filter-exceeded")


@cache
def suited(*, tried: bool, wire: bool, viewed: bool = False) -> tuple[Check, ...]:
    """Return the checks for the kinds of evidence that there are, in the order of the ladder.

    ``tried`` tells whether the server was tried out (`check`), ``wire`` whether there is a recording, ``viewed``
    whether a gateway, a client or a model was looked at, whose rules say more about those of the other two.
    """
    tried, wire = tried or viewed, wire or viewed
    names = [f"{_HERE}.{family}" for family in (*_SERVER, *(_PROMISES if tried else ()))]
    names += [f"{_RULES}.{family}" for family in _WIRE if wire]
    names += [f"{_VIEWED}.{family}" for family in _VIEWS if viewed]
    names.append(f"{_HERE}.past")
    return _loaded(names)


@cache
def of_state() -> tuple[Check, ...]:
    """Return the checks of state sync, which have a command of their own (`statesync check`)."""
    return _loaded([f"{_TRUST}.{family}" for family in _STATE])


@cache
def of_subscriptions() -> tuple[Check, ...]:
    """Return the checks of how a subscription is acknowledged and named, which matter for one to resources as well (L1)."""
    loaded = _loaded([f"{_RULES}.{family}" for family in ("streams", "subscriptions")])
    return tuple(each for each in loaded if each.name in _SUBSCRIPTION)


def _loaded(names: Sequence[str]) -> tuple[Check, ...]:
    for name in names:
        import_module(name)
    return tuple(each for name in names for each in CHECKS.values() if each.look.__module__ == name)


def __getattr__(name: str) -> Any:
    """Give `ALL`, every check there is, loading every family."""
    if name == "ALL":
        return (*suited(tried=True, wire=True, viewed=True), *of_state())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
