"""What is wrong with a set of policies, or would not do what its author meant. Exact: no false alarm and no miss."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from diagnose.statesync.engine import PolicyEngine
from diagnose.statesync.index import GlobIndex
from diagnose.statesync.overlap import covers, meeting, remainder

FlawKind: TypeAlias = Literal[
    "never-matches", "hides-invalidation", "immutable-mutation", "matches-no-tool", "domain-reaches-nothing"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFlaw:
    """One thing that is wrong with the policy at ``position``.

    - ``never-matches``: the policies ``by`` together take every name that it fits.
    - ``hides-invalidation``: the earlier policy ``by`` takes names from it, such as ``example``, and then nothing is
      invalidated. A narrower earlier policy is no flaw but an exception on purpose, unless it takes a known mutation.
    - ``immutable-mutation``: the tool is said to change state, and its own answer to hold for ever.
    - ``matches-no-tool``: none of the known names fits it.
    - ``domain-reaches-nothing``: none of the known names fits ``domain``.
    """

    kind: FlawKind
    position: int
    by: tuple[int, ...] = ()
    example: str | None = None
    domain: str | None = None


def analyse(
    engine: PolicyEngine, *, names: Collection[str] | None = None, mutations: Collection[str] = ()
) -> tuple[PolicyFlaw, ...]:
    """Return all flaws, by position. Raises SegmentLimitError if the patterns are too wild to decide.

    ``names`` are the canonical names of all tools and resources, where they are known (with several readings of a wire
    name, all of them); ``mutations`` are those known to change state.
    """
    index = GlobIndex(policy.match for policy in engine.policies)
    flaws = chain(
        _unreached(engine, index),
        _hidden(engine, index),
        _hidden_mutations(engine, index, mutations),
        _contradictions(engine),
        () if names is None else _idle(engine, index, names),
    )
    return tuple(sorted(dict.fromkeys(flaws), key=lambda flaw: flaw.position))


def _unreached(engine: PolicyEngine, index: GlobIndex) -> Iterator[PolicyFlaw]:
    for position, policy in enumerate(engine.policies):
        left = remainder([policy.match], index, position)
        if left.example is None:
            yield PolicyFlaw(kind="never-matches", position=position, by=left.taken_by)


def _hidden(engine: PolicyEngine, index: GlobIndex) -> Iterator[PolicyFlaw]:
    for position, policy in enumerate(engine.policies):
        rivals = sorted(meeting(policy.match, index, position)) if policy.invalidates else ()
        for earlier in rivals:
            rival = engine.policies[earlier]
            if rival.invalidates or _narrower(rival.match, policy.match):
                continue
            example = remainder([rival.match, policy.match], index, earlier).example
            if example is not None:
                yield PolicyFlaw(kind="hides-invalidation", position=position, by=(earlier,), example=example)


def _narrower(special: str, general: str) -> bool:
    return covers(general, special) and not covers(special, general)


def _hidden_mutations(engine: PolicyEngine, index: GlobIndex, mutations: Iterable[str]) -> Iterator[PolicyFlaw]:
    for name in mutations:
        deciding = engine.deciding(name)
        if deciding is None or engine.policies[deciding].invalidates:
            continue
        meant = next((at for at in sorted(index.every(name)) if engine.policies[at].invalidates), None)
        if meant is not None:
            yield PolicyFlaw(kind="hides-invalidation", position=meant, by=(deciding,), example=name)


def _contradictions(engine: PolicyEngine) -> Iterator[PolicyFlaw]:
    for position, policy in enumerate(engine.policies):
        # A mutation without a directive of its own has the default's.
        if policy.invalidates and (policy.cache_control or engine.default) == "immutable":
            yield PolicyFlaw(kind="immutable-mutation", position=position)


def _idle(engine: PolicyEngine, index: GlobIndex, names: Collection[str]) -> Iterator[PolicyFlaw]:
    domains = list(dict.fromkeys(domain for policy in engine.policies for domain in policy.invalidates))
    matched = set(chain.from_iterable(map(index.every, names)))
    reaching = set(chain.from_iterable(map(GlobIndex(domains).every, names)))
    idle = {domain for at, domain in enumerate(domains) if at not in reaching}
    for position, policy in enumerate(engine.policies):
        if position not in matched:
            yield PolicyFlaw(kind="matches-no-tool", position=position)
        for domain in policy.invalidates:
            if domain in idle:
                yield PolicyFlaw(kind="domain-reaches-nothing", position=position, domain=domain)
