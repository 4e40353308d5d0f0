"""What is wrong with the policy itself, beside the tools that are listed: said as limits, for it is no fault of the server."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.judge.trust.nature import chooser
from diagnose.judge.trust.state import State
from diagnose.statesync import PolicyEngine, PolicyFlaw, SegmentLimitError, analyse

#: So many flaws are told of.
_MOST = 5


def policy_flaws(state: State) -> tuple[str, ...]:
    """Return what would not do what its author meant, in a sentence each; none without a policy."""
    if state.engine is None:
        return ()
    try:
        flaws = analyse(state.engine, names=_names(state) or None, mutations=_mutations(state))
    except SegmentLimitError:
        return ("The policy is too wild for its patterns to be held against each other.",)
    lost = {flaw.position for flaw in flaws if flaw.kind == "never-matches"}
    worse = [flaw for flaw in flaws if flaw.kind == "never-matches" or flaw.position not in lost]
    told = [sentence for flaw in worse for sentence in _sentence(state.engine, flaw)]
    more = (f"and {len(told) - _MOST} more flaws of the policy",) if len(told) > _MOST else ()
    return (*told[:_MOST], *more)


def _names(state: State) -> set[str]:
    found = {name for tool in state.tools for name in state.names(tool)}
    found |= {f"{name}.{action}" for name, tool in state.tools.items() for action in chooser(tool)[1]}
    return found | {resource.name for resource in state.ledger.resources.values()}


def _mutations(state: State) -> list[str]:
    """Return the canonical names of tools that are known to change state: those by which their calls went."""
    causes = (state.genuine(deed) for deed in state.calls)
    return list(dict.fromkeys(cause.cause for cause in causes if cause is not None))


def _sentence(engine: PolicyEngine, flaw: PolicyFlaw) -> Iterator[str]:
    mine = _called(engine, flaw.position)
    match flaw.kind:
        case "never-matches":
            yield f"The policy: {mine} never matches: what it fits is taken by {' and '.join(_called(engine, at) for at in flaw.by)}."
        case "hides-invalidation":
            yield (
                f"The policy: {mine} invalidates, and {_called(engine, flaw.by[0])}, which comes first and does not, takes "
                f"{flaw.example}."
            )
        case "immutable-mutation":
            yield f"The policy: {mine} invalidates, and says that its own answers are immutable."
        case "matches-no-tool":
            yield f"The policy: {mine} matches no tool that is listed."
        case _:
            # Where such a domain reaches the wire, it is a finding.
            return


def _called(engine: PolicyEngine, position: int) -> str:
    return f"policy[{position}] ({engine.policies[position].match})"
