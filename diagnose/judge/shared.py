"""Which definitions the manifest and the live list ought to share (Meridian: `/tools` against `tools/list`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Observation
from diagnose.record import record
from diagnose.surface import Surface, Tool

#: What Meridian lists beside its own tools for a tenant with a GitHub token.
GITHUB_TOOLS = frozenset(
    [
        "read_file",
        "patch_file",
        "list_files",
        "search_code",
        "get_commits",
        "get_commit",
        "search_commits",
        "get_workflow_runs",
        "get_workflow_run_logs",
        "trigger_workflow",
        "git_diff",
        "list_branches",
        "list_issues",
        "create_issue",
        "get_issue",
    ]
)
#: A Meridian endpoint that lists a subset, by the end of its path.
PROFILE_PATH = "/mcp/openai"


@record
class Shared:
    """Both lists without what only one of them may have; ``why`` says what was taken out, None if nothing."""

    manifest: Surface
    origin: Surface
    extras: tuple[str, ...] = ()
    """Names that the live list may have and the manifest does not."""
    missing: tuple[str, ...] = ()
    """Names that the live list may lack."""
    why: str | None = None
    reduced: bool = False
    """Only names and input schemas were kept: the texts of Meridian's stdio list are its own."""


def is_meridian(observation: Observation) -> bool:
    """Tell whether this server keeps Meridian's contract: by its name, or by a revision that it advertises."""
    info = observation.server_info or {}
    meta = observation.meta or {}
    return (
        info.get("name") == "meridian"
        or "toolManifestRevision" in info
        or any(isinstance(key, str) and key.startswith("meridian/") for key in meta)
    )


def share(manifest: Surface, walk: Observation, origin: Surface, target: Target) -> Shared:
    """Take legitimate extras out of both lists; where there are none, the lists stand as they are."""
    if not is_meridian(walk):
        return Shared(manifest=manifest, origin=origin)
    held, live = frozenset(manifest.names), frozenset(origin.names)
    stdio = target.transport == "stdio"
    extras = tuple(name for name in origin.names if name not in held and _is_extra(name, walk))
    subset = stdio or is_profile(target)
    missing = tuple(name for name in manifest.names if name not in live) if subset else ()
    if not extras and not missing and not stdio:
        return Shared(manifest=manifest, origin=origin)
    keep: Callable[[Tool], Mapping[str, Any]] = _reduced if stdio else _whole
    return Shared(
        manifest=_without(manifest, missing, keep),
        origin=_without(origin, extras, keep),
        extras=extras,
        missing=missing,
        why=_why(extras, missing, stdio=stdio),
        reduced=stdio,
    )


def is_profile(target: Target) -> bool:
    """Tell whether this endpoint lists a subset on purpose, if it is a Meridian's."""
    return target.endpoint.partition("?")[0].rstrip("/").endswith(PROFILE_PATH)


def _is_extra(name: str, walk: Observation) -> bool:
    """Tell whether a name is one that a tenant's GitHub account or tunnel adds (tunnel tools are `slot__tool`)."""
    if name in GITHUB_TOOLS:
        return True
    slot, separator, tool = name.partition("__")
    return bool(slot and separator and tool) and _tunnel(walk) is not False


def _tunnel(walk: Observation) -> bool | None:
    """Tell whether a tunnel is live, as the list says; None where an older server does not say."""
    manifest = (walk.meta or {}).get("meridian/toolManifest")
    tunnel = manifest.get("tunnel") if isinstance(manifest, Mapping) else None
    live = tunnel.get("has_active_tunnel") if isinstance(tunnel, Mapping) else None
    return live if isinstance(live, bool) else None


def _without(surface: Surface, names: Sequence[str], keep: Callable[[Tool], Mapping[str, Any]]) -> Surface:
    gone = frozenset(names)
    return Surface.of(
        [keep(tool) for tool in surface.tools if tool.name not in gone], instructions=surface.instructions
    )


def _whole(tool: Tool) -> Mapping[str, Any]:
    return tool.raw


def _reduced(tool: Tool) -> Mapping[str, Any]:
    return {key: tool.definition[key] for key in ("name", "inputSchema") if key in tool.definition}


def _why(extras: Sequence[str], missing: Sequence[str], *, stdio: bool) -> str:
    said = []
    if extras:
        tunnel = sum(name not in GITHUB_TOOLS for name in extras)
        said.append(
            f"{len(extras)} tools of the tenant taken out ({tunnel} of a tunnel, {len(extras) - tunnel} of GitHub)"
        )
    if missing and stdio:
        said.append(f"{len(missing)} tools that Meridian's stdio list does not hold taken out")
    elif missing:
        said.append(f"{len(missing)} tools that this profile does not list taken out")
    if stdio:
        said.append("only names and input schemas compared, as Meridian's stdio list has texts of its own")
    return "; ".join(said)
