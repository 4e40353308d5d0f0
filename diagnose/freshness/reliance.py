"""What a planned step relies on beside the name of its tool, and whether a newer definition still gives it that."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from diagnose.errors import UsageError
from diagnose.surface import ABSENT
from diagnose.surface.walk import at, parse_pointer, places

#: A bound that a schema sets: upper ones may grow, lower ones may shrink, and either may fall away.
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"})
_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"})

RelianceKind: TypeAlias = Literal["argument", "media-type", "limit", "step"]
ObstacleKind: TypeAlias = Literal["gone", "ambiguous-name", "definition", "media-type", "limit", "step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """One reason why a step cannot go on as planned. ``what`` is the name, media type, pointer or step that it is about."""

    kind: ObstacleKind
    what: str
    was: Any = ABSENT
    now: Any = ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliance:
    """What a step relies on.

    ``arguments`` are the names that it sends, None if nobody said: then every part of the definition counts.
    ``media_types`` are those that the definition speaks of anywhere, words included. ``limits`` are numbers in the
    definition, by JSON Pointer. ``steps`` are the steps of the plan whose results this one is composed of.
    """

    arguments: tuple[str, ...] | None = None
    media_types: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[str, ...] = ()


def relying(
    definition: Mapping[str, Any],
    *,
    arguments: Collection[str] = (),
    media_types: Collection[str] = (),
    limits: Collection[str] = (),
    steps: Collection[str] = (),
) -> Reliance:
    """Return what a step relies on, completed from the definition: required arguments, and the value of each limit.

    Raises:
        UsageError: the definition says nothing of it, so that its loss could never be seen.

    """
    name = definition.get("name")
    properties, required = _inputs(definition)
    unknown = sorted(set(arguments) - properties.keys())
    if unknown:
        raise UsageError(f"the tool {name} has no argument {unknown[0]!r}")
    silent = [each for each in media_types if not _speaks_of(definition, each)]
    if silent:
        raise UsageError(f"the definition of {name} says nothing of {silent[0]}, so that a change of it cannot be seen")
    return Reliance(
        arguments=tuple(sorted({*arguments, *required})) if arguments else None,
        media_types=tuple(sorted(set(media_types))),
        limits={pointer: _limit(definition, pointer) for pointer in sorted(set(limits))},
        steps=tuple(dict.fromkeys(steps)),
    )


def broken(relies_on: Reliance, definition: Mapping[str, Any]) -> Iterator[Obstacle]:
    """Yield the media types and limits that a definition gives no longer."""
    for media_type in relies_on.media_types:
        if not _speaks_of(definition, media_type):
            yield Obstacle(kind="media-type", what=media_type)
    for pointer, was in relies_on.limits.items():
        place, _, keyword = pointer.rpartition("/")
        now = at(definition, parse_pointer(pointer), ABSENT)
        lifted = now is ABSENT and at(definition, parse_pointer(place), ABSENT) is not ABSENT
        if not _holds(keyword, was, now, lifted=lifted):
            yield Obstacle(kind="limit", what=pointer, was=was, now=now)


def as_sent(
    old: Mapping[str, Any], new: Mapping[str, Any], arguments: Collection[str]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return two definitions as far as they concern a step that sends these arguments, all of them, and no others.

    Other arguments are left out, unless the new definition requires them, or both have a default for them, which acts on
    a call that does not send them. Where an input schema is no plain object the definitions are returned whole.
    """
    if not (_is_plain(old) and _is_plain(new)):
        return old, new
    sent = sorted(arguments)
    (was, _), (now, required) = _inputs(old), _inputs(new)
    missing = [name for name in required if name not in arguments]
    defaults = {
        name for name in was.keys() & now.keys() - set(sent) if _has_default(was[name]) and _has_default(now[name])
    }
    return (
        _narrowed(old, {*sent, *missing}, defaults, sent),
        _narrowed(new, {*sent, *missing}, defaults, [*sent, *missing]),
    )


def _narrowed(
    definition: Mapping[str, Any], whole: Collection[str], defaults: Collection[str], required: list[str]
) -> Mapping[str, Any]:
    properties, _ = _inputs(definition)
    kept = {name: schema for name, schema in properties.items() if name in whole}
    kept |= {name: {"default": properties[name]["default"]} for name in defaults if name not in whole}
    schema = {**definition["inputSchema"], "properties": kept, "required": required, "additionalProperties": False}
    return {**definition, "inputSchema": schema}


def _inputs(definition: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return the properties of the input schema and the names it requires; empty where they are not what they should be."""
    schema = definition.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(schema, dict) else None
    return (
        properties if isinstance(properties, dict) else {},
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else [],
    )


def _is_plain(definition: Mapping[str, Any]) -> bool:
    schema = definition.get("inputSchema")
    return (
        isinstance(schema, dict)
        and isinstance(schema.get("properties", {}), dict)
        and isinstance(schema.get("required", []), list)
    )


def _has_default(schema: Any) -> bool:
    return isinstance(schema, dict) and "default" in schema


def _speaks_of(definition: Mapping[str, Any], media_type: str) -> bool:
    """Tell whether a media type stands anywhere in a definition, as a value or as a word. Case does not count (RFC 2045)."""
    # The characters that a media type may be made of (RFC 6838, 4.2): `image/png` is no part of `image/png2`.
    word = re.compile(rf"(?<![\w!#$&^.+/-]){re.escape(media_type)}(?![\w!#$&^+/-]|\.\w)", re.IGNORECASE)
    return any(isinstance(value, str) and word.search(value) for _, value in places(definition))


def _limit(definition: Mapping[str, Any], pointer: str) -> float:
    value = at(definition, parse_pointer(pointer), ABSENT)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(
            f"{pointer!r} leads to no number in the definition of {definition.get('name')}",
            advice="Give a JSON Pointer, such as /inputSchema/properties/files/maxItems.",
        )
    return value


def _holds(keyword: str, was: float, now: Any, *, lifted: bool) -> bool:
    """Tell whether a limit still allows what it did; ``lifted``: there is none any more, in a place that there is."""
    if isinstance(now, bool) or not isinstance(now, int | float):
        return lifted and keyword in _UPPER | _LOWER
    if keyword in _UPPER:
        return now >= was
    return now <= was if keyword in _LOWER else now == was
