"""JSON values as JSON Schema compares them: 1 equals 1.0, true is not 1, the order of keys means nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Deeper data is not judged. Parsing refuses more than 128 levels, so that only a caller of the library meets this.
MAX_DEPTH = 200
_ENCODER = json.JSONEncoder(sort_keys=True, check_circular=False, default=repr)


def token(value: Any) -> str:
    """Return a text that two values share exactly when JSON Schema calls them equal (2020-12 core, 4.2.2)."""
    return _ENCODER.encode(value if isinstance(value, str) else _plain(value))


def tokens(values: Iterable[Any]) -> frozenset[str]:
    """Return the texts of several values."""
    return frozenset(token(value) for value in values)


def same(left: Any, right: Any) -> bool:
    """Say whether two JSON values are equal."""
    return token(left) == token(right)


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Say whether a value nests deeper than ``limit``, without recursion."""
    level = [value]
    for _ in range(limit + 1):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return False
    return True


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value
