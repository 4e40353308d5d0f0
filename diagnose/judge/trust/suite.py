"""The checks of state sync, of the registry."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from diagnose.judge.checks.registry import CHECKS, Check

_RULES = "diagnose.judge.trust.rules"
_FAMILIES = ("directives", "invalidations", "soundness", "updates", "lists", "manifests")


@cache
def suite() -> tuple[Check, ...]:
    """Return the checks of state sync in their order, declaring them in the registry."""
    names = [f"{_RULES}.{family}" for family in _FAMILIES]
    for name in names:
        import_module(name)
    return tuple(each for name in names for each in CHECKS.values() if each.look.__module__ == name)
