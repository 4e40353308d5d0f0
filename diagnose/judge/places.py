"""Every text and every number in a JSON value, with the JSON Pointer (RFC 6901) of its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text, names of members too, in the order of the document."""
    for pointer, found in _leaves(value):
        if isinstance(found, str):
            yield pointer, found


def numbers(value: Any) -> Iterator[tuple[str, int | float]]:
    """Yield every number, in the order of the document."""
    for pointer, found in _leaves(value):
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            yield pointer, found


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        pointer, node = pending.pop()
        if isinstance(node, Mapping):
            for name in node:
                yield f"{pointer}/{_token(name)}", name
            pending.extend((f"{pointer}/{_token(name)}", node[name]) for name in reversed(node))
        elif isinstance(node, list):
            pending.extend((f"{pointer}/{place}", node[place]) for place in reversed(range(len(node))))
        else:
            yield pointer, node


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
