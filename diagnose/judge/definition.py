"""Whether an entry of a tool list is a valid tool: its name, its schemas, the types of its fields.

MCP 2026-07-28 (server/tools, Data Types, and the published schema): `inputSchema` is a JSON Schema whose root says
`"type": "object"`; `outputSchema` may be any JSON Schema object. Until 2025-11-25 the root of `outputSchema` must say
`"type": "object"` as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from diagnose.judge.schema import Fault, faults_of_schema
from diagnose.wire.headers import header_flaws

__all__ = ["Fault", "faults_of_entry"]

#: Revisions in which a structured result, and so the root of an output schema, must be an object.
_OBJECT_OUTPUT = frozenset({"2025-06-18", "2025-11-25"})
_TEXTS = ("description", "title")
_OBJECTS = ("annotations", "_meta", "execution")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
#: The most faults that are told of one definition.
_MANY = 20


def faults_of_entry(entry: Any, protocol_version: str | None, *, mirrored: bool = False) -> tuple[Fault, ...]:
    """Return what is wrong with one entry, worst first; pointers are into the entry.

    ``mirrored`` tells whether its parameters may be mirrored into HTTP headers (server/tools, x-mcp-header).
    """
    if not isinstance(entry, Mapping):
        return (Fault(pointer="", problem="the entry is no object"),)
    headers = header_flaws(entry) if mirrored else ()
    faults = chain(
        _faults(entry, protocol_version),
        (Fault(pointer="/inputSchema", problem=flaw, part="header") for flaw in headers),
    )
    found = list(islice(faults, _MANY))
    return tuple(sorted(found, key=lambda fault: not fault.fatal))


def _faults(entry: Mapping[str, Any], protocol_version: str | None) -> Iterator[Fault]:
    name = entry.get("name")
    if not isinstance(name, str):
        yield Fault(pointer="/name", problem="the name is no text" if "name" in entry else "the name is missing")
    elif not name:
        yield Fault(pointer="/name", problem="the name is empty")
    yield from _fields(entry)
    yield from _input(entry)
    if "outputSchema" in entry:
        yield from _output(entry["outputSchema"], protocol_version)


def _fields(entry: Mapping[str, Any]) -> Iterator[Fault]:
    for key in _TEXTS:
        if key in entry and not isinstance(entry[key], str):
            yield Fault(pointer=f"/{key}", problem=f"{key} is no text")
    for key in _OBJECTS:
        if key in entry and not isinstance(entry[key], Mapping):
            yield Fault(pointer=f"/{key}", problem=f"{key} is no object")
    if "icons" in entry and not isinstance(entry["icons"], list):
        yield Fault(pointer="/icons", problem="icons is no list")
    annotations = entry.get("annotations")
    if isinstance(annotations, Mapping):
        for hint in _HINTS:
            if hint in annotations and not isinstance(annotations[hint], bool):
                yield Fault(pointer=f"/annotations/{hint}", problem=f"{hint} is neither true nor false")
        if "title" in annotations and not isinstance(annotations["title"], str):
            yield Fault(pointer="/annotations/title", problem="title is no text")


def _input(entry: Mapping[str, Any]) -> Iterator[Fault]:
    key = "inputSchema"
    if key not in entry:
        problem = "inputSchema is missing" + (" (it is spelled input_schema)" if "input_schema" in entry else "")
        yield Fault(pointer=f"/{key}", problem=problem)
        return
    yield from _rooted(key, entry[key], must_be_object=True)


def _output(schema: Any, protocol_version: str | None) -> Iterator[Fault]:
    yield from _rooted("outputSchema", schema, must_be_object=protocol_version in _OBJECT_OUTPUT)


def _rooted(key: str, schema: Any, *, must_be_object: bool) -> Iterator[Fault]:
    if not isinstance(schema, Mapping):
        yield Fault(pointer=f"/{key}", problem=f"{key} is no schema object")
        return
    if must_be_object and schema.get("type") != "object":
        where = f"/{key}/type" if "type" in schema else f"/{key}"
        yield Fault(pointer=where, problem=f'the root of {key} does not say "type": "object"')
    for fault in faults_of_schema(schema):
        yield replace(fault, pointer=f"/{key}{fault.pointer}")
