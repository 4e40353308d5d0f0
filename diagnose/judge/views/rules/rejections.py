"""Rules of definitions for which a client drops a tool, or all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.definition import faults_of_entry
from diagnose.judge.views.causes import evidence, explaining
from diagnose.judge.views.rules.needs import registry
from diagnose.judge.views.view import View

_SOURCE = "MCP 2026-07-28, server/tools, Data Types; catalogue of causes"
#: What may stand beside `type: object` at the root of an input schema, and what some clients and providers refuse there.
_AT_THE_ROOT = ("anyOf", "oneOf", "allOf", "not", "if", "enum")


@check(
    "schema-rejects-all",
    family="views",
    layer="registry",
    severity="error",
    summary="No definition makes a client drop the whole list.",
    why="All tools of the server are gone in that client, and neither side says why.",
    remedy="Correct the definition that is named.",
    source=_SOURCE,
    message="The client holds none of the {count} tools, and {tool} is a definition that it cannot take: {problem}.",
    needs=(registry,),
)
@explaining("schema-rejects-all", "registry")
def schema_rejects_all(case: Case, view: View) -> Seen | None:
    """Look for an empty registry behind a list in which a definition is wrong."""
    if view.held.tools or not view.live.tools or _is_out(view):
        return None
    wrong = refused(case, view)
    if not wrong:
        return None
    name, (pointer, problem, sure) = next(iter(wrong.items()))
    args = {"tool": name, "pointer": pointer, "problem": problem, "count": view.live.count, "refused": list(wrong)[:20]}
    return Seen(args=args, evidence=evidence(view, f"{name} {pointer}"), confidence="proven" if sure else "likely")


@check(
    "schema-rejects-one",
    family="views",
    layer="registry",
    severity="error",
    summary="No definition makes a client drop a tool.",
    why="A tool that exists is missing in that client, and neither side says why.",
    remedy="Correct the definition that is named.",
    source=_SOURCE,
    message="The client lacks {tools}, and nothing else: those definitions it cannot take ({problem}).",
    needs=(registry,),
)
@explaining("schema-rejects-one", "registry")
def schema_rejects_one(case: Case, view: View) -> Seen | None:
    """Look for a registry that lacks just the tools whose definitions are wrong."""
    if not view.held.tools or not view.is_subset:
        return None
    wrong = refused(case, view)
    if not wrong or set(view.missing) != set(wrong):
        return None
    pointer, problem, sure = next(iter(wrong.values()))
    args = {"tools": list(wrong), "pointer": pointer, "problem": problem}
    places = (f"{name} {where}" for name, (where, _, _) in wrong.items())
    return Seen(args=args, evidence=evidence(view, *list(places)[:5]), confidence="proven" if sure else "likely")


def refused(case: Case, view: View) -> dict[str, tuple[str, str, bool]]:
    """Return the tools whose definition a client may refuse: where, why, and whether it is wrong by the protocol."""
    version = view.seen.protocol_version or (case.origin.protocol_version if case.origin is not None else None)
    wrong: dict[str, tuple[str, str, bool]] = {}
    odd: dict[str, tuple[str, str, bool]] = {}
    if view.live.names_only:
        return {}
    for entry in view.live.raw_entries:
        faults = [fault for fault in faults_of_entry(entry, version) if fault.fatal]
        name = str(entry.get("name") or "a nameless tool") if isinstance(entry, Mapping) else "an entry that is no tool"
        if faults:
            wrong[name] = (faults[0].pointer or "/", faults[0].problem, True)
        elif (root := _odd_root(entry)) is not None:
            odd[name] = (f"/inputSchema/{root}", f"{root} stands at the root of its input schema", False)
    return wrong or odd


def _odd_root(entry: Any) -> str | None:
    schema = entry.get("inputSchema") if isinstance(entry, Mapping) else None
    return next((word for word in _AT_THE_ROOT if word in schema), None) if isinstance(schema, Mapping) else None


def _is_out(view: View) -> bool:
    """Tell whether the client said that the server is not connected, which explains an empty list."""
    from diagnose.judge.views.status import status_of

    return status_of(view) in {"pending", "out"}
