"""Rules of the manifest resource: what it lists beside `tools/list`, its form, and who gets it (M1, M2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.trust import nature
from diagnose.judge.trust.deeds import Manifest
from diagnose.judge.trust.needs import manifest, manifest_and_list, states
from diagnose.judge.trust.state import State
from diagnose.surface import Surface, Tool

FAMILY = "state-manifest"
_SOURCE = "MCP Fusion, introspection: the manifest resource"
_VERSIONS = ("MCPFUSION_VERSION", "vurb_version", "fusion_version")
_ACTION = {"destructive": bool, "idempotent": bool, "readOnly": bool, "required_fields": list}
_FILTERED = re.compile(r"filter|per (session|user|role)", re.IGNORECASE)


@check(
    "manifest-leak",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="The manifest names no tool and no action that the same caller is not listed (M1).",
    why="What was hidden from this caller is told to it after all, with its arguments.",
    remedy="Filter the manifest by the rules that hide tools, in actions, schema and description alike.",
    source=_SOURCE,
    message="The manifest names {what}.",
    needs=(manifest_and_list,),
)
def manifest_leak(case: Case) -> Iterable[Seen]:
    """Compare each manifest with the list of the same caller."""
    for line, state in states(case):
        found: dict[tuple[str, tuple[str, ...], str], list[Manifest]] = {}
        for each in state.ledger.manifests:
            surface = _list_of(state, each)
            for builder, actions, what in _leaks(state, each, surface) if surface is not None else ():
                found.setdefault((builder, actions, what), []).append(each)
        for (builder, actions, what), manifests in found.items():
            yield Seen(
                args={"tool": builder, "actions": list(actions)},
                words={"what": what},
                evidence=line.frames(*(each.answered for each in manifests)),
            )


def _list_of(state: State, manifest: Manifest) -> Surface | None:
    """Return the list of the same caller that was read last before the manifest, or else the first one after it."""
    own = [(at, surface) for session, at, surface in state.surfaces if session.principal == manifest.principal]
    before = [surface for at, surface in own if at.frame < manifest.answered.frame]
    return before[-1] if before else next((surface for _, surface in own), None)


def _leaks(state: State, manifest: Manifest, surface: Surface) -> Iterator[tuple[str, tuple[str, ...], str]]:
    shown = shown_names(state, surface.tools)
    for builder, body in tools_of(manifest).items():
        actions = body.get("actions")
        names = tuple(actions) if isinstance(actions, Mapping) else ()
        hidden = tuple(
            name for name in names if not shown & {f"{builder}.{name}", *([builder] if name == "default" else [])}
        )
        whole = len(hidden) == len(names)
        if hidden and not (whole and builder in shown and not _grouped(surface, builder)):
            what = f"{builder} ({', '.join(hidden)}), which tools/list does not show to the same caller"
            yield builder, hidden, what
        _, listed = nature.chooser({"inputSchema": body.get("input_schema"), "description": body.get("description")})
        stripped = tuple(name for name in listed if name not in names)
        if stripped:
            what = f"the action {', '.join(stripped)} of {builder} in its schema, and leaves it out of its actions"
            yield builder, stripped, what


def _grouped(surface: Surface, builder: str) -> bool:
    return any(nature.chooser(tool.raw)[1] for tool in surface.by_name.get(builder, ()))


def shown_names(state: State, tools: Iterable[Tool]) -> set[str]:
    """Return all canonical names that some tools may go by, and the actions of grouped ones."""
    shown: set[str] = set()
    for tool in tools:
        shown.update(state.names(tool.name))
        shown.update(f"{tool.name}.{action}" for action in nature.chooser(tool.raw)[1])
    return shown


def tools_of(manifest: Manifest) -> Mapping[str, Mapping[str, Any]]:
    """Return the groups of tools of a manifest, those that are objects."""
    capabilities = (manifest.body or {}).get("capabilities")
    tools = capabilities.get("tools") if isinstance(capabilities, Mapping) else None
    found = tools.items() if isinstance(tools, Mapping) else ()
    return {str(name): body for name, body in found if isinstance(body, Mapping)}


@check(
    "manifest-malformed",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="The manifest is a JSON document of its own form (M2).",
    why="Whoever introspects the server by it reads nothing, or the wrong thing.",
    remedy="Return the document, not a promise of it; keep its required keys when filtering.",
    source=_SOURCE,
    message="The manifest {what}.",
    needs=(manifest,),
)
def manifest_malformed(case: Case) -> Iterable[Seen]:
    """Hold each manifest against its schema."""
    for line, state in states(case):
        found: dict[str, list[Manifest]] = {}
        for each in state.ledger.manifests:
            for what in manifest_flaws(each.body):
                found.setdefault(what, []).append(each)
        for what, manifests in found.items():
            yield Seen(args={"what": what}, evidence=line.frames(*(each.answered for each in manifests)))


def manifest_flaws(body: Mapping[str, Any] | None) -> list[str]:
    """Return what is wrong with the form of a manifest, in a few words each."""
    if body is None:
        return ["is no JSON object"]
    flaws = [f"lacks {key}" for key in ("server", "architecture", "capabilities") if key not in body]
    if not any(key in body for key in _VERSIONS):
        flaws.append(f"lacks its version ({' or '.join(_VERSIONS[:2])})")
    capabilities = body.get("capabilities")
    parts = capabilities if isinstance(capabilities, Mapping) else {"tools": {}, "presenters": {}}
    flaws += [
        f"has no capabilities.{name}" for name in ("tools", "presenters") if not isinstance(parts.get(name), Mapping)
    ]
    tools = capabilities.get("tools") if isinstance(capabilities, Mapping) else None
    for name, tool in list(tools.items())[:1000] if isinstance(tools, Mapping) else ():
        flaws += _tool_flaws(str(name), tool)
    return list(dict.fromkeys(flaws))[:20]


def _tool_flaws(name: str, tool: Any) -> Iterator[str]:
    actions = tool.get("actions") if isinstance(tool, Mapping) else None
    if not isinstance(actions, Mapping) or not isinstance(tool.get("input_schema"), Mapping):
        yield f"describes {name} without actions or input_schema"
        return
    for action, body in actions.items():
        known = body if isinstance(body, Mapping) else {}
        if not all(isinstance(known.get(key), kind) for key, kind in _ACTION.items()):
            yield f"describes {name}.{action} without {', '.join(_ACTION)}"


@check(
    "manifest-unfiltered",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A manifest that claims to be filtered by caller differs where its callers do (M2).",
    why="A filter that is skipped without a word shows every caller everything.",
    remedy="Give the filter what it needs to know the caller, and refuse to serve the manifest without that.",
    source=_SOURCE,
    message="Two authorizations read the same manifest, to the byte, though it is said to be filtered: {claim}.",
    needs=(manifest,),
)
def manifest_unfiltered(case: Case) -> Iterable[Seen]:
    """Compare what two callers read, where a filter is claimed."""
    for line, state in states(case):
        for uri in dict.fromkeys(each.uri for each in state.ledger.manifests):
            listed = state.ledger.resources.get(uri)
            claim = listed.description if listed is not None else ""
            by_caller = _by_caller([each for each in state.ledger.manifests if each.uri == uri])
            if len(by_caller) > 1 and len({each.digest for each in by_caller}) == 1 and _FILTERED.search(claim):
                yield Seen(
                    args={"uri": uri, "claim": claim[:200].rstrip(".")},
                    evidence=line.frames(*(each.answered for each in by_caller)),
                )


def _by_caller(manifests: Sequence[Manifest]) -> list[Manifest]:
    # What has not the form of a manifest shows nothing to anybody.
    newest = {each.principal: each for each in manifests if "capabilities" in (each.body or {})}
    return list(newest.values())
