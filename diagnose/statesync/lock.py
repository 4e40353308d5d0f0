"""The lock file of MCP Fusion (`mcpfusion.lock`, before that `vurb.lock`): read, and held against itself.

Its own checker trusts the digest that stands on top, so that a file whose tools were altered passes there. What of the
digests can be computed from the file is computed here: the one on top from those of its tools and prompts, and those of
the prompts. Those of the tools take a manifest as well (`contract`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from diagnose.errors import InputError
from diagnose.statesync.fusion_digest import digest_of, in_order, prompt_digests
from diagnose.surface import JsonError, parse_json
from diagnose.surface.canonical import Unhashable

VERSION: Final = 1
_DIGEST: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_HEADER: Final = ("lockfileVersion", "serverName", "integrityDigest", "capabilities")
_RELEASES: Final = ("mcpfusionVersion", "vurbVersion")
_PROMPTS: Final = "---prompts---"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedTool:
    """One group of tools as it is locked: its actions, and which of them destroy or only read."""

    name: str
    actions: tuple[str, ...]
    destructive: frozenset[str]
    read_only: frozenset[str]
    entry: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All that the file says of it."""

    @property
    def digest(self) -> str | None:
        """The digest of its contract (64 hex digits); None where there is none."""
        return bare(self.entry.get("integrityDigest"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionLock:
    """A lock file. ``flaws`` are what is wrong with it by itself, in a few words each."""

    server: str
    tools: tuple[LockedTool, ...]
    flaws: tuple[str, ...]


def read_fusion_lock(data: bytes | str) -> FusionLock:
    """Read a lock file. Raises `InputError` where it is none."""
    try:
        body = parse_json(data).value
    except JsonError as error:
        raise InputError(f"this is no lock file: {error}") from error
    missing = [key for key in _HEADER if key not in body] if isinstance(body, Mapping) else list(_HEADER)
    if missing or not isinstance(body["capabilities"], Mapping):
        raise InputError(f"this is no lock file of MCP Fusion: it lacks {', '.join(missing) or 'capabilities'}")
    tools, prompts = _part(body, "tools"), _part(body, "prompts")
    return FusionLock(
        server=str(body["serverName"])[:200],
        tools=tuple(_tool(name, entry) for name, entry in tools.items()),
        flaws=tuple(_flaws(body, tools, prompts)),
    )


def bare(value: Any) -> str | None:
    """Return the hex digits of a digest as the file writes it; None where it is none."""
    found = _DIGEST.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def _part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = body["capabilities"].get(name)
    return found if isinstance(found, Mapping) else {}


def _tool(name: str, entry: Any) -> LockedTool:
    surface, behaviour = _of(entry, "surface"), _of(entry, "behavior")
    return LockedTool(
        name=name,
        actions=_texts(surface.get("actions")),
        destructive=frozenset(_texts(behaviour.get("destructiveActions"))),
        read_only=frozenset(_texts(behaviour.get("readOnlyActions"))),
        entry=entry if isinstance(entry, Mapping) else {},
    )


def _of(entry: Any, name: str) -> Mapping[str, Any]:
    found = entry.get(name) if isinstance(entry, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _flaws(body: Mapping[str, Any], tools: Mapping[str, Any], prompts: Mapping[str, Any]) -> Iterator[str]:
    if body["lockfileVersion"] != VERSION:
        yield f"its lockfileVersion is {body['lockfileVersion']!r}, and {VERSION} is the only one known"
    if not any(key in body for key in _RELEASES) or "generatedAt" not in body:
        yield f"it lacks {' or '.join(_RELEASES)}, or generatedAt: its own program takes it for no lock file"
    top = bare(body["integrityDigest"])
    if top is None:
        yield "its integrityDigest is no SHA-256"
    entries = [*tools.items(), *prompts.items()]
    wrong = [name for name, entry in entries if bare(_integrity(entry)) is None]
    if wrong:
        yield f"no SHA-256 stands for {', '.join(wrong[:5])}"
    elif top is not None and top != _server(tools, prompts):
        yield "its integrityDigest is not that of its tools and prompts: the file was altered, or not written by the tool"
    for name, entry in tools.items():
        yield from _tool_flaws(_tool(name, entry))
    for name, entry in prompts.items():
        if isinstance(entry, Mapping) and bare(_integrity(entry)) is not None:
            yield from _prompt_flaws(name, entry)


def _tool_flaws(told: LockedTool) -> Iterator[str]:
    strange = sorted((told.destructive | told.read_only) - set(told.actions))
    if strange:
        yield f"{told.name} has no action {', '.join(strange)}, and the file says what it does"
    both = sorted(told.destructive & told.read_only)
    if both:
        yield f"{told.name} both destroys and only reads by {', '.join(both)}"


def _prompt_flaws(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    try:
        whole, arguments = prompt_digests(name, entry)
    except Unhashable:
        yield f"the prompt {name} holds what has no digest"
        return
    if arguments != bare(entry.get("argumentsDigest")):
        yield f"the argumentsDigest of the prompt {name} is not that of its arguments"
    if whole != bare(entry.get("integrityDigest")):
        yield f"the integrityDigest of the prompt {name} is not that of what the file says of it"


def _integrity(entry: Any) -> Any:
    return entry.get("integrityDigest") if isinstance(entry, Mapping) else None


def _server(tools: Mapping[str, Any], prompts: Mapping[str, Any]) -> str:
    digest = digest_of("\n".join(f"{name}:{bare(_integrity(tools[name]))}" for name in in_order(tools)))
    if not prompts:
        return digest
    # Here the digests stand with their prefix, and those of the tools without.
    lines = [f"{name}:{_integrity(prompts[name])}" for name in in_order(prompts)]
    return digest_of("\n".join([digest, _PROMPTS, *lines]))
