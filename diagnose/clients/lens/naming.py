"""How one client makes the name that a person or a model sees out of a server's key and a tool's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

NameRule: TypeAlias = Callable[[str, str], str]
"""From the key of a server in the client's configuration and the name of a tool to the name that is shown."""

Twins: TypeAlias = Literal["hashed", "first-wins", "last-wins", "unknown"]
"""What becomes of two tools that would be shown under one name."""


def plain(server: str, tool: str) -> str:
    """Show the tool's own name."""
    del server
    return tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The rule, always forward: no shown name is ever split, because keys and names may hold any separator.

    ``pattern`` shows the rule to people. ``others`` are spellings that other versions or views of this client use; the
    tool's own name is always one of them. ``limit`` is the longest name in characters, whatever comes of a longer one.
    """

    rule: NameRule = plain
    pattern: str = "<tool>"
    others: tuple[NameRule, ...] = ()
    limit: int | None = None
    refuses_longer: bool = False
    """A longer name is neither cut nor hashed: the tool cannot be called."""
    twins: Twins = "unknown"
    twin: Callable[[str, str, str], str] | None = None
    """From key, tool and shown name to the name of a tool that shares its shown name; None where nothing is done."""
    hashed: re.Pattern[str] | None = None
    """What a name that was kept apart by a hash ends with."""
    splits: bool = False
    """The client itself splits shown names, so that another key or tool may be meant."""

    @property
    def rules(self) -> tuple[NameRule, ...]:
        """Every spelling, the usual one first; the tool's own name last."""
        rest = tuple(rule for rule in self.others if rule is not plain)
        return (self.rule, *rest, plain) if self.rule is not plain else (plain, *rest)
