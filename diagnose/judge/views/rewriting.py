"""Differences in form alone that no playbook lists: numbers read as doubles, an optional part that was left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unicodedata import normalize

from diagnose.clients.lens.words import without_invisible
from diagnose.judge.schema import faults_of_schema
from diagnose.surface.impact.values import same

_DEFINITIONS = ("$defs", "definitions")
#: Beyond this no double holds every whole number (2^53).
_EXACT = 2**53


def loosely_equal(live: Mapping[str, Any], shown: Mapping[str, Any]) -> str | None:
    """Return what was done to the live definition so that it is the shown one, in a few words; None if that is not it."""
    if same(_doubled(_plain(live)), _doubled(_plain(shown))):
        return "a client reads numbers with less precision"
    without = {key: value for key, value in live.items() if key != "outputSchema"}
    if "outputSchema" not in shown and _is_faulty(live.get("outputSchema")) and same(_plain(without), _plain(shown)):
        return "a client leaves out an output schema that it cannot use"
    if same(_compatible(_plain(live)), _compatible(_plain(shown))):
        return "a client puts texts into a compatible form"
    if _emptied(live, shown):
        return "a client shows no parameters where it loses the definitions that they refer to"
    return None


def _plain(definition: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in definition.items() if key not in {"name", "icons", "_meta"}}


def _doubled(value: Any) -> Any:
    """Return a value with every number as a double would have it."""
    if isinstance(value, Mapping):
        return {key: _doubled(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_doubled(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _EXACT:
        try:
            return float(value)
        except OverflowError:
            return float("inf")
    return value


def _compatible(value: Any) -> Any:
    """Return a value with every text, but no name of a member, in Unicode's form NFKC and without what draws nothing."""
    if isinstance(value, Mapping):
        return {key: _compatible(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_compatible(each) for each in value]
    return normalize("NFKC", without_invisible(value)).strip() if isinstance(value, str) else value


def _is_faulty(schema: Any) -> bool:
    if schema is None:
        return False
    return not isinstance(schema, Mapping) or next(iter(faults_of_schema(schema)), None) is not None


def _emptied(live: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
    schema, left = live.get("inputSchema"), shown.get("inputSchema")
    if not isinstance(schema, Mapping) or not isinstance(left, Mapping):
        return False
    lost = any(key in schema and key not in left for key in _DEFINITIONS)
    bare = not left.get("properties") and left.keys() <= {"type", "properties", "required", "$schema"}
    rest = {key: value for key, value in live.items() if key != "inputSchema"}
    return lost and bare and same(_plain(rest), _plain({k: v for k, v in shown.items() if k != "inputSchema"}))
