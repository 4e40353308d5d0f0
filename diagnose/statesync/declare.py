"""Declare what holds for each tool, in words: ``policy.mutation("billing.refund").invalidates("billing.*")``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

from diagnose.statesync.engine import PolicyEngine
from diagnose.statesync.names import SEPARATOR, check_separator
from diagnose.statesync.policy import CacheControl, Policy, check_cache_control, check_policy


class Declaration:
    """The policies of one server in their order, its default, and how it joins namespace and action on the wire.

    The first policy that fits a tool decides, so what is special comes before what is general. Every line is checked as
    it is written, and raises PolicyError.
    """

    def __init__(
        self, policies: Iterable[Policy] = (), *, default: CacheControl | None = None, separator: str = SEPARATOR
    ) -> None:
        check_separator(separator)
        check_cache_control(default)
        self.default = default
        self.separator = separator
        self._policies: list[Policy] = []
        for position, policy in enumerate(policies):
            check_policy(policy, position)
            self._policies.append(policy)

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policies as declared so far."""
        return tuple(self._policies)

    def query(self, match: str) -> Query:
        """Declare tools that only read."""
        return Query(self._policies, match)

    def mutation(self, match: str) -> Mutation:
        """Declare tools that change state."""
        return Mutation(self._policies, match)

    def engine(self) -> PolicyEngine:
        """Return the engine for what is declared so far."""
        return PolicyEngine(self._policies, self.default)


class _Line:
    """The policy that is being declared. Until more is said, the default holds for its tools."""

    __slots__ = ("_policies", "_position")

    def __init__(self, policies: list[Policy], match: str) -> None:
        self._policies = policies
        self._position = len(policies)
        policy = Policy(match)
        check_policy(policy, self._position)
        policies.append(policy)

    def stale(self) -> Self:
        """Say that an answer is never to be kept (`no-store`)."""
        return self._amend(cache_control="no-store")

    def _amend(self, **changes: Any) -> Self:
        policy = replace(self._policies[self._position], **changes)
        check_policy(policy, self._position)
        self._policies[self._position] = policy
        return self


class Query(_Line):
    """Tools that only read: they make nothing stale."""

    __slots__ = ()

    def cached(self) -> Self:
        """Say that an answer holds until an invalidation names the tool (`immutable`)."""
        return self._amend(cache_control="immutable")


class Mutation(_Line):
    """Tools that change state. They cannot be `cached`: that would contradict itself."""

    __slots__ = ()

    def invalidates(self, *domains: str) -> Self:
        """Say what a successful call makes stale; repeated calls add to it. Raises PolicyError."""
        return self._amend(invalidates=(*self._policies[self._position].invalidates, *domains))
