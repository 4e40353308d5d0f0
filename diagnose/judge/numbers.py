"""Whether a revision differs only because a hop rewrote numbers: 600.0 became 600, or the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from diagnose.surface import Surface, Unhashable, revision

#: Lists larger than this are not searched number by number: each try costs a revision.
_SINGLES = 48
_SINGLE_TOOLS = 300


def rewritten(advertised: str, listed: Surface, manifest: Surface | None) -> str | None:
    """Return in words how the numbers of a list were rewritten, if that explains the advertised revision."""
    if manifest is not None and manifest.digest == listed.digest is not None and manifest.revision == advertised:
        return "it is that of the manifest, whose numbers are written otherwise: a hop rewrote numbers"
    for words, tools in _variants([tool.raw for tool in listed.tools]):
        try:
            if revision(tools) == advertised:
                return f"{words}: a hop rewrote numbers"
        except Unhashable:
            return None
    return None


def _variants(tools: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    yield "it is right with whole numbers for what is written 600.0 here", _mapped(tools, _whole)
    yield "it is right with 600.0 for every whole number here", _mapped(tools, _fraction)
    integers = sum(1 for _ in _integers(tools))
    if len(tools) <= _SINGLE_TOOLS and 1 < integers <= _SINGLES:
        for place in range(integers):
            yield "it is right with 600.0 for one of the whole numbers here", _mapped(tools, _only(place))


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return change(value)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _fraction(value: Any) -> Any:
    return float(value) if type(value) is int and abs(value) < 2**53 else value


def _only(place: int) -> Callable[[Any], Any]:
    seen = iter(range(1 << 30))

    def change(value: Any) -> Any:
        return _fraction(value) if type(value) is int and next(seen) == place else value

    return change


def _integers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _integers(item)
    elif type(value) is int:
        yield value
