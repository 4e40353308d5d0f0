"""Checks on what a server declares, against what it then does."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.probed import probed
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.words import counted


def declared_tools(case: Case) -> str | None:
    """Require that the list was read, and that the server declared its capabilities."""
    missing = probed(case)
    if missing is None and (case.origin is None or case.origin.capabilities is None):
        return "the server declared no capabilities at all"
    return missing


@check(
    "tools-capability-missing",
    family="capability",
    layer="origin",
    severity="error",
    summary="A server that lists tools declares the capability `tools`.",
    why="A client that keeps to the protocol asks for no list, and shows no tools.",
    remedy="Declare `tools` in the handshake and in server/discover.",
    source="MCP 2026-07-28, server/tools, Capabilities: servers that support tools must declare it",
    message="The server lists {tools} and does not declare the capability `tools`: it declares {declared}.",
    needs=(declared_tools,),
)
def tools_capability_missing(case: Case) -> Iterable[Seen]:
    """Compare the declaration with the list."""
    origin, listed = case.origin, case.listed
    if origin is None or listed is None or origin.capabilities is None or not listed.tools:
        return
    if "tools" not in origin.capabilities:
        facts = {"declared": sorted(origin.capabilities), "tools": listed.count}
        yield Seen(args=facts, words={"tools": counted(listed.count, "tool")}, evidence=("capabilities",))
