"""Checks on single definitions beyond their form: schemas by their dialect, header annotations, numbers, sizes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from diagnose.judge.case import Case
from diagnose.judge.checks.definitions import invalid_entry
from diagnose.judge.checks.needs import origin_definitions
from diagnose.judge.checks.probed import probed
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.definition import faults_of_entry
from diagnose.judge.places import numbers

_FAMILY = "definitions"
_DIALECT = (
    "MCP 2026-07-28, basic, JSON Schema Usage: schemas must be valid by their dialect, 2020-12 without another word"
)
_HEADERS = "MCP 2026-07-28, server/tools, x-mcp-header: a client over HTTP must leave such a tool out"
#: About so many bytes of a definition are one token of a model.
_BYTES_A_TOKEN = 4
#: Beyond this a list takes up a good part of what a model can attend to, before anything was asked.
MAX_LIST = 200_000
#: Beyond this one tool takes as much room as a page of text; clients cut long descriptions, or leave the tool out.
MAX_DEFINITION = 20_000


@check(
    "schema-invalid",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="Every schema is one that its dialect allows.",
    why="A validator refuses the schema as a whole, so that the tool cannot be called, or is not shown.",
    remedy="Give the keyword a value that JSON Schema allows; a validator names it.",
    source=_DIALECT,
    message="{tool}: {problems}.",
    needs=(probed, origin_definitions),
)
def schema_invalid(case: Case) -> Iterable[Seen]:
    """Look for keywords whose values are not allowed; what is no schema of an object is an invalid definition."""
    return _faults(case, "schema")


@check(
    "header-annotation-invalid",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="Every x-mcp-header names a header, once, for a parameter that can be one.",
    why="Clients over HTTP must leave the whole tool out.",
    remedy="Annotate only texts, whole numbers and truth values that are reached through `properties` alone, each with a name of its own.",
    source=_HEADERS,
    message="{tool}: {problems}.",
    needs=(probed, origin_definitions),
)
def header_annotation_invalid(case: Case) -> Iterable[Seen]:
    """Look for annotations that cost a tool its place; over stdio they are ignored."""
    for seen in _faults(case, "header"):
        over_http = case.bundle.target.transport == "http"
        yield seen if over_http else Seen(args=seen.args, evidence=seen.evidence, severity="note")


def _faults(case: Case, part: Literal["schema", "header"]) -> Iterator[Seen]:
    listed, origin = case.listed, case.origin
    mirrored = origin is not None and origin.era == "modern"
    for place, entry in enumerate(listed.raw_entries if listed is not None and origin is not None else ()):
        found = faults_of_entry(entry, origin.protocol_version if origin else None, mirrored=mirrored)
        faults = tuple(fault for fault in found if fault.part == part)
        if faults:
            yield invalid_entry(place, entry, faults)


@check(
    "number-precision",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="Every number in a definition is one that a double holds exactly.",
    why="Most clients read numbers as doubles: they get another one, and a digest over it differs.",
    remedy="Write such a number as a text, or choose one up to 2^53.",
    source="RFC 8259, section 6; RFC 7493 (I-JSON), section 2.2",
    message="{tool} has a number that no double holds exactly: {number} at {place}.",
    needs=(probed, origin_definitions),
)
def number_precision(case: Case) -> Iterable[Seen]:
    """Look for whole numbers that a double rounds."""
    for place, tool in enumerate(case.listed.tools if case.listed is not None else ()):
        for pointer, number in numbers(tool.raw):
            if isinstance(number, int) and not _survives(number):
                facts = {"tool": tool.name, "number": str(number)[:60], "place": pointer}
                yield Seen(args=facts, evidence=(f"/tools/{place}{pointer}",))
                break


def _survives(number: int) -> bool:
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


@check(
    "list-too-large",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary=f"The whole list is at most {MAX_LIST:,} bytes, some {MAX_LIST // _BYTES_A_TOKEN:,} tokens.",
    why="A client puts the list before the model with every turn, or leaves tools out without a word.",
    remedy="Serve fewer tools by default, and shorten what the model does not need to choose by.",
    source="practice of clients: limits on tools and on the text of a turn",
    message="The list of {tools} tools has {bytes} bytes, some {tokens} tokens.",
    needs=(probed, origin_definitions),
)
def list_too_large(case: Case) -> Iterable[Seen]:
    """Weigh the list."""
    sizes = [size for _, _, size in _weighed(case)]
    if sum(sizes) > MAX_LIST:
        yield Seen(args={"tools": len(sizes), "bytes": sum(sizes), "tokens": sum(sizes) // _BYTES_A_TOKEN})


@check(
    "definition-too-large",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary=f"A definition is at most {MAX_DEFINITION:,} bytes, some {MAX_DEFINITION // _BYTES_A_TOKEN:,} tokens.",
    why="Clients cut long texts, so that the end of a description never reaches the model.",
    remedy="Shorten the description, and split the tool where its schema is that large.",
    source="practice of clients: descriptions are cut, some at 2 KB",
    message="The definition of {tool} has {bytes} bytes, some {tokens} tokens.",
    needs=(probed, origin_definitions),
)
def definition_too_large(case: Case) -> Iterable[Seen]:
    """Weigh each definition."""
    for place, name, size in _weighed(case):
        if size > MAX_DEFINITION:
            facts = {"tool": name, "bytes": size, "tokens": size // _BYTES_A_TOKEN}
            yield Seen(args=facts, evidence=(f"/tools/{place}",))


def _weighed(case: Case) -> Iterator[tuple[int, str, int]]:
    """Yield the place, name and size in bytes of each definition, without spaces, as a server would send it."""
    for place, tool in enumerate(case.listed.tools if case.listed is not None else ()):
        yield place, tool.name, len(_text(tool.raw).encode("utf-8", "surrogatepass"))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
