"""A surface: the complete list of tool definitions that somebody holds at one moment, exactly as received."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from diagnose.record import record
from diagnose.surface.canonical import Unhashable
from diagnose.surface.jsontext import JsonError
from diagnose.surface.revision import revision, take
from diagnose.surface.tool import Tool, is_tool
from diagnose.surface.walk import MAX_DEPTH, deeper_than

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@record
class Surface:
    """The tools of one list, in the order received.

    ``raw_entries`` is the whole list, with the entries that are no tools (no object, or no name). ``instructions`` and
    ``capabilities`` are the server's, as it gave them in the handshake; None is unknown, or not given. Of a surface with
    ``names_only`` the definitions are unknown; there is neither revision nor digest.
    """

    tools: tuple[Tool, ...]
    digest: str | None
    raw_entries: tuple[Any, ...] = field(repr=False, compare=False)
    instructions: str | None = field(default=None, repr=False)
    capabilities: Mapping[str, Any] | None = field(default=None, repr=False, hash=False)
    names_only: bool = False
    recorded_revision: str | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        raw_tools: Sequence[Any],
        instructions: str | None = None,
        capabilities: Mapping[str, Any] | None = None,
        names_only: bool = False,
    ) -> Surface:
        """Take up a list as received; with ``names_only`` its entries may also be bare names.

        Raises:
            JsonError: a definition is nested deeper than `MAX_DEPTH` (reason `too-deep`).

        """
        entries = tuple(_with_name(entry) for entry in raw_tools) if names_only else tuple(raw_tools)
        defined = [entry for entry in entries if is_tool(entry)]
        # The depth of the definitions is looked at where they are written out.
        unwritten = entries if names_only else [entry for entry in entries if not is_tool(entry)]
        if deeper_than(list(unwritten), MAX_DEPTH):
            raise JsonError(f"expected entries nested at most {MAX_DEPTH} deep, got deeper", reason="too-deep")
        tools, digest = (tuple(map(Tool.named, defined)), None) if names_only else take(defined)
        return cls(
            tools=tools,
            digest=digest,
            raw_entries=entries,
            instructions=instructions,
            capabilities=capabilities,
            names_only=names_only,
        )

    @classmethod
    def recorded(
        cls,
        raw_tools: Sequence[Any],
        instructions: str | None = None,
        capabilities: Mapping[str, Any] | None = None,
        *,
        revision: str | None = None,
        digest: str | None = None,
    ) -> Surface:
        """Take up a list that we wrote ourselves, where definitions may be redacted, see `Tool.recorded`.

        ``revision`` and ``digest`` were computed before that. They count only if there is such a definition: else both
        are computed as ever.

        Raises:
            JsonError: as `of`.

        """
        surface = cls.of(raw_tools, instructions, capabilities)
        tools = tuple(Tool.recorded(tool.raw) or tool for tool in surface.tools)
        if not any(tool.redacted for tool in tools):
            return surface
        return replace(surface, tools=tools, digest=digest, recorded_revision=revision)

    @cached_property
    def revision(self) -> str | None:
        """The revision by Meridian's rule; None where it is not to be known: names only, or a lone surrogate."""
        if self.names_only or any(tool.redacted for tool in self.tools):
            return self.recorded_revision
        try:
            return revision(self.tools)
        except Unhashable:
            return None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in the order received, duplicates included."""
        return tuple(tool.name for tool in self.tools)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Tool, ...]]:
        """The tools of each name, in the order received; more than one where a name is taken twice."""
        found: dict[str, tuple[Tool, ...]] = {}
        namesakes: dict[str, list[Tool]] = {}
        for tool in self.tools:
            first = found.setdefault(tool.name, (tool,))
            if first[0] is not tool:
                namesakes.setdefault(tool.name, [*first]).append(tool)
        return {**found, **{name: tuple(tools) for name, tools in namesakes.items()}}

    @property
    def count(self) -> int:
        """The number of unique names, as Meridian counts."""
        return len(self.by_name)


def _with_name(entry: Any) -> Any:
    return {"name": entry} if isinstance(entry, str) else entry
