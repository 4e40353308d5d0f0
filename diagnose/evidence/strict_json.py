"""What a JSON document of ours may hold: the parser reads more than strict JSON has, and no document may repeat that."""

from __future__ import annotations

from math import isfinite
from typing import Any


def finite(value: Any) -> Any:
    """Return a JSON value with every number that is not finite as a text (`"nan"`, `"inf"`): RFC 8259 has none."""
    if isinstance(value, dict):
        return {key: finite(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [finite(child) for child in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
