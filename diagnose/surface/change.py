"""The words in which two surfaces are told apart."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from diagnose.record import record

Impact: TypeAlias = Literal["breaking", "unclear", "behaviour", "routing", "compatible", "cosmetic"]
Relation: TypeAlias = Literal["equal", "equivalent", "different", "unknown"]

#: Worst first: what a change does to a caller who still holds the old definition.
IMPACTS: tuple[Impact, ...] = ("breaking", "unclear", "behaviour", "routing", "compatible", "cosmetic")


def worst(impacts: list[Impact] | tuple[Impact, ...]) -> Impact:
    """Return the worst of several impacts; `cosmetic` when there is none."""
    return min(impacts, key=IMPACTS.index, default="cosmetic")


@record
class Detail:
    """One difference inside a definition. ``path`` is a JSON Pointer (RFC 6901) into the definition.

    ``was`` and ``now`` are the values as received; a value that is missing on one side is `ABSENT`.
    """

    path: str
    was: Any
    now: Any
    impact: Impact


class Absent:
    """The type of `ABSENT`, a value that is not there (None is JSON's null, which is)."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


@record
class Change:
    """One tool that differs. ``tool`` is None for a change of the instructions or the capabilities.

    ``was`` is the old name of a renamed tool. ``confidence`` is `possible` where a rename is only likely.
    """

    tool: str | None
    kind: Literal["added", "removed", "changed", "renamed"]
    impact: Impact
    was: str | None = None
    confidence: Literal["proven", "possible"] = "proven"
    details: tuple[Detail, ...] = ()

    @property
    def subject(self) -> str:
        """What differs, in one word: the tool's name, or where it is none, `instructions` or `listChanged`."""
        if self.tool is not None:
            return self.tool
        return self.details[0].path.rpartition("/")[2] if self.details else "instructions"
