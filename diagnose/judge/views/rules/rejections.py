"""Rules of definitions for which a client drops a tool, or all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from diagnose.clients.measured import Row
from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.definition import faults_of_entry
from diagnose.judge.views.causes import evidence, explaining
from diagnose.judge.views.quirks import AT_THE_ROOT, Drops, kind_of_fault, measured, quirk_of
from diagnose.judge.views.rules.needs import registry
from diagnose.judge.views.view import View

_SOURCE = "MCP 2026-07-28, server/tools, Data Types; catalogue of causes"
#: Where, why, and whether it is wrong by the protocol.
Flaw: TypeAlias = tuple[str, str, bool]


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


def refused(case: Case, view: View) -> dict[str, Flaw]:
    """Return the tools whose definition a client may refuse: where, why, and whether it is wrong by the protocol.

    What is wrong goes before what this client was measured to refuse, and that before what is odd.
    """
    version = view.seen.protocol_version or (case.origin.protocol_version if case.origin is not None else None)
    client = case.bundle.client.id if case.bundle.client is not None else None
    found: dict[str, dict[str, Flaw]] = {"wrong": {}, "known": {}, "odd": {}}
    for entry in () if view.live.names_only else view.live.raw_entries:
        flaw = _flaw_of(entry, version, client)
        if flaw is not None:
            found[flaw[0]][_name_of(entry)] = flaw[1]
    return found["wrong"] or found["known"] or found["odd"]


def _flaw_of(entry: Any, version: str | None, client: str | None) -> tuple[str, Flaw] | None:
    faults = [fault for fault in faults_of_entry(entry, version) if fault.fatal]
    if faults:
        where, problem = faults[0].pointer or "/", faults[0].problem
        seen = measured(client, kind_of_fault(entry, where)) if isinstance(entry, Mapping) else None
        return "wrong", (where, problem + _told(seen), True)
    quirk = quirk_of(entry)
    if quirk is None:
        return None
    kind, where, problem = quirk
    seen = measured(client, kind)
    if seen is not None and seen[0] == "none" and kind != AT_THE_ROOT:
        return None
    return "odd" if seen is None or seen[0] == "none" else "known", (where, problem + _told(seen), False)


def _told(seen: tuple[Drops, Row] | None) -> str:
    """Say what the client was measured to do about it."""
    if seen is None or seen[0] == "none":
        return ""
    return f"; {seen[1].version} was measured to drop {'every tool' if seen[0] == 'all' else 'that tool'} for it"


def _name_of(entry: Any) -> str:
    return str(entry.get("name") or "a nameless tool") if isinstance(entry, Mapping) else "an entry that is no tool"


def _is_out(view: View) -> bool:
    """Tell whether the client said that the server is not connected, which explains an empty list."""
    from diagnose.judge.views.status import status_of

    return status_of(view) in {"pending", "out"}
