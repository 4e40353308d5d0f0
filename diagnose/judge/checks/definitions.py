"""Checks on the definitions themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from diagnose.evidence.observation import Observation
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_definitions, origin_list
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.definition import Fault, faults_of_entry
from diagnose.judge.pages import repeated_across_pages
from diagnose.judge.walks import surface_of
from diagnose.surface import Tool


@check(
    "invalid-definition",
    family="definitions",
    layer="origin",
    severity="error",
    summary="Every entry of the list is a valid tool.",
    why="Some clients drop the tool, others every tool of the server, and say nothing on either side.",
    remedy='Give the tool a name and an input schema with "type": "object", and references that resolve within it.',
    source="MCP 2026-07-28, server/tools, Data Types; JSON Schema 2020-12",
    message="{tool}: {problems}.",
    needs=(origin_definitions,),
)
def invalid_definition(case: Case) -> Iterable[Seen]:
    """Hold each entry, also those that are no tools, to the form of a tool."""
    listed, origin = case.listed, case.origin
    if listed is None or origin is None:
        return
    # Over HTTP, from 2026-07-28 on, clients must leave a tool out whose parameters cannot be mirrored into headers.
    mirrored = case.bundle.target.transport == "http" and origin.era == "modern"
    for place, entry in enumerate(listed.raw_entries):
        faults = own_faults(case, faults_of_entry(entry, origin.protocol_version, mirrored=mirrored))
        if faults:
            yield invalid_entry(place, entry, faults)


def own_faults(case: Case, faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    """Return the faults that make a definition invalid: all of them, unless checks of their own tell the others apart."""
    return faults if case.bundle.probes is None else tuple(fault for fault in faults if fault.part == "form")


def invalid_entry(place: int, entry: Any, faults: tuple[Fault, ...]) -> Seen:
    """Return what is wrong with one entry of a list; the finding is as bad as the worst of its faults."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return Seen(
        args={
            "tool": name if isinstance(name, str) and name else f"entry {place + 1} of the list",
            "problems": [f"{fault.problem} at {fault.pointer or 'the root'}" for fault in faults],
        },
        evidence=tuple(f"/tools/{place}{fault.pointer}" for fault in faults[:5]),
        severity=None if any(fault.fatal for fault in faults) else "warning",
    )


@check(
    "name-collision",
    family="definitions",
    layer="origin",
    severity="error",
    summary="Every tool has a name of its own.",
    why="A client keeps the first, the last, or none; a call reaches whichever it kept.",
    remedy="Give each tool a name of its own.",
    source="MCP 2026-07-28, server/tools: a tool is uniquely identified by its name; catalogue of causes, name-collision",
    message="{count} tools are named {tool}, with {definitions}.",
    needs=(origin_list,),
)
def name_collision(case: Case) -> Iterable[Seen]:
    """Look for names that more than one entry has, unless it is one definition on two pages.

    Where a client is seen to hold fewer of them, that is told of the client.
    """
    if case.origin is None:
        return
    view = case.view("registry")
    mixed = view.held.by_name if view is not None and view.differs else {}
    for seen in collisions(case.origin):
        if not 0 < len(mixed.get(seen.args["tool"], ())) < seen.args["count"] or seen.args["kinds"] == 1:
            yield seen


def collisions(reading: Observation) -> Iterator[Seen]:
    """Yield the names of one complete reading that more than one entry has."""
    listed = surface_of(reading)
    if listed is None or listed.count == len(listed.tools):
        return
    across = repeated_across_pages(reading, listed)
    for name, tools in listed.by_name.items():
        if len(tools) > 1 and name not in across:
            yield _collision(name, tools, tuple(_places(listed.raw_entries, name)))


def _collision(name: str, tools: tuple[Tool, ...], places: tuple[int, ...]) -> Seen:
    kinds = len({tool.identity for tool in tools})
    return Seen(
        args={
            "tool": name,
            "count": len(tools),
            "kinds": kinds,
            "places": list(places[:20]),
        },
        words={"definitions": "one and the same definition" if kinds == 1 else f"{kinds} different definitions"},
        evidence=tuple(f"/tools/{place}" for place in places[:5]),
    )


def _places(entries: tuple[Any, ...], name: str) -> Iterator[int]:
    for place, entry in enumerate(entries):
        if isinstance(entry, Mapping) and str(entry.get("name") or "") == name:
            yield place
