"""Rules of what the signals are for: no answer changes unannounced (R5, R7), and no client acts on a stale one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.model import Timeline
from diagnose.judge.trust.deeds import Deed
from diagnose.judge.trust.needs import failed_call, read_twice, speaking, states
from diagnose.judge.trust.rules.directives import SCHEME
from diagnose.judge.trust.rules.invalidations import called_as
from diagnose.judge.trust.state import State
from diagnose.judge.trust.tracker import misuses, trusts
from diagnose.judge.words import told

FAMILY = "state-soundness"


@check(
    "answer-changed-unannounced",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="An answer that changed was made stale by what came between, and an immutable one never changes (R7).",
    why="This is what all the signals are for: an agent that obeys every one of them still holds an old answer.",
    remedy="Let the policy of the mutation reach every read that shows what it changes.",
    source=f"{SCHEME}: an answer holds until an invalidation names its tool",
    message="{call} answered the same question otherwise, and {why}.",
    needs=(read_twice,),
)
def answer_changed_unannounced(case: Case) -> Iterable[Seen]:
    """Compare equal reads, and look for what covers their difference."""
    for line, state in states(case):
        for group in state.reads:
            restless = _restless(state, group)
            for first, second in _unannounced(state, group):
                immutable = "immutable" in (state.directive(first), first.directive)
                done = [deed for deed in state.between(first, second) if _took_effect(deed)]
                kept = state.directive(first) != "no-store"
                if immutable or (done and kept and not restless):
                    yield _changed(line, state, (first, second), done, immutable=immutable)


def _changed(line: Timeline, state: State, pair: tuple[Deed, Deed], done: Sequence[Deed], *, immutable: bool) -> Seen:
    first, second = pair
    mutations = list(dict.fromkeys(called_as(deed.name, state.action(deed)) for deed in done))
    facts = {"tool": first.name, "action": state.action(first), "immutable": immutable, "mutations": mutations}
    covers = f"nothing that {told(mutations)} said covers it" if mutations else "nothing was announced between"
    return Seen(
        args=facts,
        words={
            "call": called_as(first.name, state.action(first)),
            "why": f"it is immutable, and {covers}" if immutable else covers,
        },
        evidence=line.frames(first.answered, *(deed.answered for deed in done), second.answered),
    )


def _unannounced(state: State, group: Sequence[Deed]) -> Iterator[tuple[Deed, Deed]]:
    """Yield neighbours with different answers, between which nothing said that the first is stale."""
    for first, second in pairwise(group):
        if first.answer != second.answer and state.said_stale(first, first.asked.frame, second.end) is None:
            yield first, second


def _restless(state: State, group: Sequence[Deed]) -> bool:
    """Tell whether an answer also changes when nobody changes anything through this connection, as a clock does."""
    return any(first.answer != second.answer and not state.between(first, second) for first, second in pairwise(group))


def _took_effect(deed: Deed) -> bool:
    return deed.outcome == "ok" and not deed.shaped_like_error


@check(
    "failed-call-changed-state",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A call that failed changed nothing, or said what it changed (R5).",
    why="The agent goes on with the old answer, and may well make the same change again, as the error invites it to.",
    remedy="Do not commit before what may fail, or tell of the invalidation although the call failed.",
    source=f"{SCHEME}: isError is taken for unchanged state",
    message="{failed} failed, and {call} answers otherwise since then; nothing was announced.",
    needs=(failed_call,),
)
def failed_call_changed_state(case: Case) -> Iterable[Seen]:
    """Look for answers that changed where only calls that failed lie between."""
    for line, state in states(case):
        for group in state.reads:
            if _restless(state, group):
                continue
            for first, second in _unannounced(state, group):
                between = state.between(first, second)
                failed = [deed for deed in between if deed.outcome in {"error", "refused"}]
                if failed and len(failed) == len(between):
                    yield _failed(line, state, first, second, failed)


def _failed(line: Timeline, state: State, first: Deed, second: Deed, failed: Sequence[Deed]) -> Seen:
    names = list(dict.fromkeys(called_as(deed.name, state.action(deed)) for deed in failed))
    return Seen(
        args={"failed": names, "tool": first.name, "action": state.action(first)},
        words={"call": called_as(first.name, state.action(first))},
        evidence=line.frames(first.answered, *(deed.answered for deed in failed), second.answered),
        confidence="proven" if len(failed) == 1 else "likely",
        # No agent can have gone by what nobody said.
        severity=None if state.speaks or state.policy is not None else "warning",
    )


@check(
    "stale-answer-used",
    family=FAMILY,
    layer="wire",
    severity="warning",
    summary="A client that was told that an answer is stale reads again before it changes what the answer shows.",
    why="It decides by what is no longer so, and may make a change twice.",
    remedy="Drop what an invalidation names, and read it again before the next change.",
    source=f"{SCHEME}: what a domain names is to be read again",
    message="{call} was made on the ground of {read}, which was stale by then ({by}), and had not been read again.",
    needs=(speaking,),
)
def stale_answer_used(case: Case) -> Iterable[Seen]:
    """Look for mutations whose own ground was stale."""
    for line, state in states(case):
        for misuse in misuses(state, trusts(state)):
            read, deed = misuse.trust.read, misuse.deed
            yield Seen(
                args={"tool": deed.name, "read": read.name, "again": misuse.again is not None},
                words={
                    "call": called_as(deed.name, state.action(deed)),
                    "read": called_as(read.name, state.action(read)),
                    "by": f"{misuse.trust.domain} by {misuse.trust.cause or 'a notification'}",
                },
                evidence=line.frames(read.answered, misuse.trust.until, deed.asked),
                session=line.label(deed.session),
            )
