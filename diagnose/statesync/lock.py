"""The lock file of MCP Fusion (`mcpfusion.lock`, before that `vurb.lock`): read, and held against itself.

Its own checker trusts the digest that stands on top, so that a file whose tools were altered passes there. What of the
digests can be computed from the file is computed here: the one on top, from those of its tools and prompts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from diagnose.errors import InputError
from diagnose.surface import JsonError, parse_json

VERSION: Final = 1
_DIGEST: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_HEADER: Final = ("lockfileVersion", "serverName", "integrityDigest", "capabilities")
_PROMPTS: Final = "---prompts---"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedTool:
    """One group of tools as it is locked: its actions, and which of them destroy or only read."""

    name: str
    actions: tuple[str, ...]
    destructive: frozenset[str]
    read_only: frozenset[str]


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
    )


def _of(entry: Any, name: str) -> Mapping[str, Any]:
    found = entry.get(name) if isinstance(entry, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _flaws(body: Mapping[str, Any], tools: Mapping[str, Any], prompts: Mapping[str, Any]) -> Iterator[str]:
    if body["lockfileVersion"] != VERSION:
        yield f"its lockfileVersion is {body['lockfileVersion']!r}, and {VERSION} is the only one known"
    top = _bare(body["integrityDigest"])
    if top is None:
        yield "its integrityDigest is no SHA-256"
    entries = [*tools.items(), *prompts.items()]
    wrong = [name for name, entry in entries if _bare(_integrity(entry)) is None]
    if wrong:
        yield f"no SHA-256 stands for {', '.join(wrong[:5])}"
    elif top is not None and top != _server(tools, prompts):
        yield "its integrityDigest is not that of its tools and prompts: the file was altered, or not written by the tool"
    for name, entry in tools.items():
        known, told = set(_tool(name, entry).actions), _tool(name, entry)
        strange = sorted((told.destructive | told.read_only) - known)
        if strange:
            yield f"{name} has no action {', '.join(strange)}, and the file says what it does"


def _integrity(entry: Any) -> Any:
    return entry.get("integrityDigest") if isinstance(entry, Mapping) else None


def _bare(value: Any) -> str | None:
    found = _DIGEST.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def _server(tools: Mapping[str, Any], prompts: Mapping[str, Any]) -> str:
    digest = _sha256("\n".join(f"{name}:{_bare(_integrity(tools[name]))}" for name in sorted(tools)))
    if not prompts:
        return digest
    lines = [f"{name}:{_bare(_integrity(prompts[name]))}" for name in sorted(prompts)]
    return _sha256("\n".join([digest, _PROMPTS, *lines]))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
