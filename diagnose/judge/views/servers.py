"""Which recordings are of one server, and which of servers that a client has beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from diagnose.judge.clock import seconds_after
from diagnose.judge.walks import same_list

if TYPE_CHECKING:
    from diagnose.judge.timeline.standing import Standing


def servers_of(standings: Sequence[Standing]) -> list[list[Standing]]:
    """Group standings by the server that they are of, in the order in which the servers first come."""
    groups: list[list[Standing]] = []
    for standing in standings:
        known = next((group for group in groups if _one_server(group[-1], standing)), None)
        if known is None:
            groups.append([standing])
        else:
            known.append(standing)
    return groups


def _one_server(left: Standing, right: Standing) -> bool:
    """Tell whether two recordings are of one server: by what they were made of, by its name, else by time and list."""
    if left.timeline is right.timeline or left.timeline.header.hop != right.timeline.header.hop:
        return True
    targets = target_of(left), target_of(right)
    if None not in targets:
        return bool(targets[0] == targets[1])
    names = identity_of(left), identity_of(right)
    if None not in names and names[0] != names[1]:
        return False
    mine, theirs = left.held, right.held
    if mine is None or theirs is None or mine.surface is None or theirs.surface is None:
        return True
    shared = set(mine.surface.names) & set(theirs.surface.names)
    return same_list(mine.surface, theirs.surface) or (bool(shared) and not _at_one_time(left, right))


def identity_of(standing: Standing) -> str | None:
    """Return the name that the server gives itself."""
    for session in reversed(standing.client.sessions):
        name = (session.server_info or {}).get("name")
        if isinstance(name, str):
            return name
    return None


def target_of(standing: Standing) -> Any:
    """Return what the recording says that it is of, as a text; None where it says nothing."""
    told = standing.timeline.header.target
    if isinstance(told, dict):
        told = told.get("serverKey") or told.get("id") or told.get("endpoint") or told.get("name")
    return told if isinstance(told, str) and told else None


def _at_one_time(left: Standing, right: Standing) -> bool:
    """Tell whether two recordings overlap; those that state no time are taken for such."""
    shift = seconds_after(left.timeline.header.started_at, right.timeline.header.started_at)
    if shift is None:
        return True
    return shift < left.timeline.last.t and shift + right.timeline.last.t > 0
