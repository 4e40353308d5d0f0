"""Going through a JSON value without recursion, and naming its places by JSON Pointer (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

#: Depth of nesting beyond which a value is refused. Real definitions stay below 20.
MAX_DEPTH = 128

#: The way to a place inside a value: member names and array indices, from the root.
Tokens: TypeAlias = tuple[str | int, ...]

_HOLDERS = frozenset({dict, list})


def pointer(tokens: Iterable[str | int]) -> str:
    """Return the JSON Pointer for a path of member names and indices; "" is the whole value."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def parse_pointer(text: str) -> tuple[str, ...]:
    """Return the tokens of a JSON Pointer; indices stay text, for only the value tells them from names."""
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:])


def at(value: Any, tokens: Iterable[str | int], default: Any = None) -> Any:
    """Return what stands at a path, or the default where the path leads nowhere."""
    for token in tokens:
        if isinstance(value, Mapping) and token in value:
            value = value[token]
        elif isinstance(value, (list, tuple)) and str(token).isdecimal() and int(token) < len(value):
            value = value[int(token)]
        else:
            return default
    return value


def places(value: Any) -> Iterator[tuple[Tokens, Any]]:
    """Yield every place of a value with what stands there, parents first, in the order of the document."""
    yield (), value
    open_holders: list[tuple[Tokens, Iterator[tuple[str | int, Any]]]] = [((), _members(value))]
    while open_holders:
        tokens, members = open_holders[-1]
        for token, child in members:
            yield (*tokens, token), child
            if isinstance(child, (Mapping, list, tuple)):
                open_holders.append(((*tokens, token), _members(child)))
                break
        else:
            open_holders.pop()


def _members(node: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(node, Mapping):
        return iter(node.items())
    return iter(enumerate(node if isinstance(node, (list, tuple)) else ()))


def deeper_than(value: Any, limit: int) -> bool:
    """Tell whether objects and arrays are nested in each other more than `limit` times."""
    level = [value] if type(value) in _HOLDERS else []
    depth = 0
    while level:
        depth += 1
        if depth > limit:
            return True
        members = (node.values() if type(node) is dict else node for node in level)
        level = [child for holder in members for child in holder if type(child) in _HOLDERS]
    return False
