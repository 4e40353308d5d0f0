"""Which policy holds for a tool: the first that fits, and nothing is merged in from the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from diagnose.statesync.index import GlobIndex
from diagnose.statesync.policy import CacheControl, Policy, check_cache_control, check_policy

#: How many names an engine remembers, the latest used.
MEMO: Final = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What holds for a tool. ``position`` is that of the policy that decided; None where only the default did."""

    cache_control: CacheControl | None = None
    invalidates: tuple[str, ...] = ()
    position: int | None = None


class PolicyEngine:
    """Resolves tool names by policies in their order; it never changes.

    A policy without a directive of its own has the default's: naming a tool is no way out of the default. Raises
    PolicyError at once for the first policy that is wrong, with its position, and then for a wrong default.
    """

    __slots__ = ("_default", "_index", "_policies", "_resolutions", "deciding")

    def __init__(self, policies: Iterable[Policy], default: CacheControl | None = None) -> None:
        self._policies = tuple(policies)
        for position, policy in enumerate(self._policies):
            check_policy(policy, position)
        check_cache_control(default)
        self._default = Resolution(cache_control=default) if default else None
        self._resolutions = tuple(_resolution(policy, at, default) for at, policy in enumerate(self._policies))
        self._index = GlobIndex(policy.match for policy in self._policies)
        #: The position of the policy that decides about a name, None where none fits. Raises SegmentLimitError.
        self.deciding = lru_cache(MEMO)(self._index.first)

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policies, in their order."""
        return self._policies

    @property
    def default(self) -> CacheControl | None:
        """The directive of every tool that no policy gives one."""
        return self._default.cache_control if self._default else None

    def resolve(self, name: str) -> Resolution | None:
        """Return what holds for the tool of a canonical name, always the same object; None if nothing does.

        A policy that fits and says nothing still keeps the later ones from being asked. Raises SegmentLimitError for a
        name of too many segments.
        """
        position = self.deciding(name)
        return self._default if position is None else self._resolutions[position]


def _resolution(policy: Policy, position: int, default: CacheControl | None) -> Resolution | None:
    cache_control = policy.cache_control or default
    if cache_control is None and not policy.invalidates:
        return None
    return Resolution(cache_control=cache_control, invalidates=policy.invalidates, position=position)
