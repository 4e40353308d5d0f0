"""YAML's flow form: `[a, b]` and `{a: 1}`, which JSON is a part of."""

from __future__ import annotations

import re
from typing import Any

from diagnose.clients.configuration.errors import ConfigurationError
from diagnose.clients.configuration.yaml_lines import scalar

_MAX_DEPTH = 64
_TOKENS = re.compile(
    r"""\s*(?P<token>"(?:[^"\\]|\\.)*" | '(?:[^']|'')*' | [\[\]{},] | :(?=[\s\[\]{},"]|\Z) | (?:[^\s\[\]{},:]|:(?=\S))(?:[^\[\]{},:]|:(?=[^\s\[\]{},]))*)""",
    re.VERBOSE,
)
_OPENING = {"[": "]", "{": "}"}


def balanced(text: str) -> bool:
    """Tell whether every bracket of a text is closed, so that it goes on in no other line."""
    depth = 0
    for match in _TOKENS.finditer(text):
        depth += (match["token"] in _OPENING) - (match["token"] in _OPENING.values())
    return depth <= 0


def read_flow(text: str, number: int, depth: int) -> Any:
    """Return the list or mapping of a text that begins with a bracket. Raises `ConfigurationError`."""
    tokens = [match["token"].strip() for match in _TOKENS.finditer(text)]
    value, left = _value(tokens, 0, number, depth)
    if left != len(tokens):
        raise ConfigurationError(f"line {number} goes on behind the closing bracket")
    return value


def _value(tokens: list[str], at: int, number: int, depth: int) -> tuple[Any, int]:
    if depth > _MAX_DEPTH:
        raise ConfigurationError("it is nested too deep")
    if at >= len(tokens):
        raise ConfigurationError(f"line {number} has a bracket that is not closed")
    if tokens[at] == "[":
        return _list(tokens, at + 1, number, depth)
    if tokens[at] == "{":
        return _mapping(tokens, at + 1, number, depth)
    if tokens[at] in {"]", "}", ",", ":"}:
        raise ConfigurationError(f"line {number} lacks a value before {tokens[at]}")
    return scalar(tokens[at], number), at + 1


def _list(tokens: list[str], at: int, number: int, depth: int) -> tuple[list[Any], int]:
    items = []
    while not _closed(tokens, at, "]", number):
        item, at = _value(tokens, at, number, depth + 1)
        items.append(item)
        at = _behind_comma(tokens, at, "]", number)
    return items, at + 1


def _mapping(tokens: list[str], at: int, number: int, depth: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    while not _closed(tokens, at, "}", number):
        key, at = str(scalar(tokens[at], number)), at + 1
        members[key] = None
        if at < len(tokens) and tokens[at] == ":":
            members[key], at = _value(tokens, at + 1, number, depth + 1)
        at = _behind_comma(tokens, at, "}", number)
    return members, at + 1


def _closed(tokens: list[str], at: int, bracket: str, number: int) -> bool:
    if at >= len(tokens):
        raise ConfigurationError(f"line {number} has a bracket that is not closed")
    return tokens[at] == bracket


def _behind_comma(tokens: list[str], at: int, bracket: str, number: int) -> int:
    if at < len(tokens) and tokens[at] == ",":
        return at + 1
    if not _closed(tokens, at, bracket, number):
        raise ConfigurationError(f"line {number} lacks a comma")
    return at
