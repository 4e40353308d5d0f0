"""The tools that a client's configuration lets through or hides: which entries mean which live tool, and which none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from diagnose.clients import Lens, client
from diagnose.evidence.bundle import ClientEntry

#: How some clients begin the names of tools of any server; an entry without it is then one of the client's own tools.
_PREFIXED = re.compile(r"mcp(__|--|_|:)")
_OF_A_TOOL = re.compile(r"[A-Za-z0-9_.\-/:*]+")
#: What an agent's own tools are called; they stand in the same lists.
BUILT_IN = frozenset(
    [
        "Agent",
        "AskUserQuestion",
        "Bash",
        "BashOutput",
        "Edit",
        "ExitPlanMode",
        "Glob",
        "Grep",
        "KillShell",
        "LS",
        "ListMcpResourcesTool",
        "MultiEdit",
        "NotebookEdit",
        "NotebookRead",
        "Read",
        "ReadMcpResourceTool",
        "Skill",
        "SlashCommand",
        "Task",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "Write",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the lists do to the live tools: ``hidden`` are live tools kept back, ``dead`` entries that mean no live tool."""

    hidden: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()


NO_POLICY = Policy()


def policy_of(entry: ClientEntry | None, lens: Lens, live: Sequence[str]) -> Policy:
    """Read a client's lists against the live names; an entry of another server, or of the client itself, is neither."""
    if entry is None or not (entry.allow or entry.deny or entry.approve):
        return NO_POLICY
    entries = (*entry.allow, *entry.deny, *entry.approve)
    own = [each for each in entries if _is_own(each, lens, entries)]
    allowed = [each for each in entry.allow if each in own] if _hides_the_rest(entry) else []
    hidden = [
        name
        for name in live
        if (allowed and not any(_means(each, name, lens) for each in allowed))
        or any(_means(each, name, lens) for each in entry.deny)
    ]
    dead = [each for each in own if not _is_whole_server(each, lens) and not any(_means(each, n, lens) for n in live)]
    return Policy(hidden=tuple(hidden), dead=tuple(dict.fromkeys(dead)))


def _hides_the_rest(entry: ClientEntry) -> bool:
    """Tell whether what is not among the allowed is hidden: some clients only do not ask before those (Claude Code, Roo)."""
    known = client(entry.id)
    return known is None or not known.configuration or any(file.allow for file in known.configuration)


def _means(entry: str, name: str, lens: Lens) -> bool:
    if _is_whole_server(entry, lens):
        return True
    spelled = {name, *lens.spellings(name)}
    if lens.server_key is None and _PREFIXED.match(entry):
        return entry.endswith(tuple(f"{mark}{name}" for mark in ("__", "--", "_", ":")))
    return any(each == entry or fnmatchcase(each, entry) for each in spelled) if "[" not in entry else entry in spelled


def _is_whole_server(entry: str, lens: Lens) -> bool:
    """Tell whether an entry stands for every tool of this server (`mcp__orchard`, `mcp__orchard__*`, `*`)."""
    return entry == "*" or any(entry in {prefix.rstrip("_-:/."), prefix + "*"} for prefix in _prefixes(lens))


def _prefixes(lens: Lens) -> Iterator[str]:
    """Yield what stands before this server's names in the spellings that put something there."""
    for spelled in lens.spellings("x") if lens.server_key is not None else ():
        if spelled != "x" and spelled.endswith("x"):
            yield spelled[:-1]


def _is_own(entry: str, lens: Lens, entries: Sequence[str]) -> bool:
    if entry in BUILT_IN or not _OF_A_TOOL.fullmatch(entry):
        return False
    prefixes = tuple(_prefixes(lens))
    if entry.startswith(prefixes) or _is_whole_server(entry, lens):
        return True
    if lens.server_key is None:
        return True
    foreign = bool(_PREFIXED.match(entry)) and any(_PREFIXED.match(prefix) for prefix in prefixes)
    # Where this server's entries are spelled with its prefix, a bare name is somebody else's.
    return not foreign and not any(each.startswith(prefixes) for each in entries)
