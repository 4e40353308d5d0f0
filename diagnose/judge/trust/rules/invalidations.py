"""Rules of `<cache_invalidation … />` in answers (R1 to R4, R6)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.model import Timeline
from diagnose.judge.trust.deeds import Deed
from diagnose.judge.trust.nature import chooser
from diagnose.judge.trust.needs import called, declared_calls, listed, states, tagged
from diagnose.judge.trust.rules.directives import SCHEME
from diagnose.judge.trust.state import State, reaches
from diagnose.statesync import Invalidation, is_pattern, parse_stale_uri

FAMILY = "state-invalidations"
Judge: TypeAlias = Callable[[State, Deed], str | None]


def each_tool(case: Case, judge: Judge) -> Iterator[Seen]:
    """Yield what is wrong with calls, one finding for each tool, action and fault, with all its frames."""
    for line, state in states(case):
        found: dict[tuple[str, str | None, str], list[Deed]] = defaultdict(list)
        for deed in state.calls:
            said = judge(state, deed)
            if said is not None:
                found[deed.name, state.action(deed), said].append(deed)
        for (tool, action, said), deeds in found.items():
            yield seen_of(line, tool, action, deeds, said)


def seen_of(line: Timeline, tool: str, action: str | None, deeds: Iterable[Deed], what: str) -> Seen:
    """Return what was seen of calls of one tool; the words `call` name it."""
    moments = [moment for deed in deeds for moment in (deed.answered or deed.asked,)]
    facts = {"tool": tool, "action": action, "what": what}
    return Seen(args=facts, words={"call": called_as(tool, action)}, evidence=line.frames(*moments))


def called_as(tool: str, action: str | None) -> str:
    """Return a tool, or one action of a grouped tool, as it stands in a sentence."""
    return tool if action is None else f"{tool} ({action})"


@check(
    "invalidation-missing",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A successful mutation says what it made stale, as its policy declares (R1).",
    why="The agent goes on with answers that are old by now, and nothing told it so.",
    remedy="Give each tool of a namespace a policy of its own; the first one registered must not speak for the others.",
    source=f"{SCHEME}: the tag in front of a successful result",
    message="{call} succeeded and {what}.",
    needs=(declared_calls,),
)
def invalidation_missing(case: Case) -> Iterable[Seen]:
    """Look for a tag in the answer of every call whose policy invalidates something."""
    yield from each_tool(case, _missing)


def _missing(state: State, deed: Deed) -> str | None:
    resolution = state.declared(deed)
    if resolution is None or not resolution.invalidates or deed.outcome != "ok" or deed.shaped_like_error:
        return None
    if any(tag.index == 0 for tag in deed.tags) or (state.action(deed) and state.nature(deed) == "read"):
        return None
    return f"its answer does not say that {', '.join(resolution.invalidates)} is stale"


@check(
    "invalidation-misplaced",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="An answer has one tag, in front, written to the letter (R1).",
    why="A second tag, or one behind other content, may be anybody's text: an agent that believes it is led astray.",
    remedy="Put one tag in front; pass text that was given to the tool on so that it is no content item of its own.",
    source=f"{SCHEME}: item 0, exactly one tag",
    message="The answer of {call} has {what}.",
    needs=(tagged,),
)
def invalidation_misplaced(case: Case) -> Iterable[Seen]:
    """Look at where the tags of an answer stand."""
    yield from each_tool(case, _misplaced)


def _misplaced(state: State, deed: Deed) -> str | None:
    del state
    places = [tag.index for tag in deed.tags]
    if len(places) > 1:
        return f"{len(places)} tags, at items {', '.join(map(str, places))}"
    if places and places[0]:
        return f"a tag behind other content, at item {places[0]}"
    return "a tag that is not written to the letter" if places and not deed.tags[0].invalidation.exact else None


@check(
    "invalidation-malformed",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A tag names the call that it is of as its cause, and legal domains, each once (R2).",
    why="A cause that was not called is a forgery or a mistake; an illegal domain makes nothing stale.",
    remedy="Let the server alone write the tag, of the call it answers and the domains of its policy.",
    source=f"{SCHEME}: `cause` is the canonical name of the tool, `domains` are patterns",
    message="The tag of {call} {what}.",
    needs=(tagged,),
)
def invalidation_malformed(case: Case) -> Iterable[Seen]:
    """Hold the words of each tag in front against the call and the grammar."""
    for seen in each_tool(case, _malformed):
        lighter = str(seen.args["what"]).startswith("names a domain twice")
        yield Seen(args=seen.args, words=seen.words, evidence=seen.evidence, severity="warning" if lighter else None)


def _malformed(state: State, deed: Deed) -> str | None:
    told = _front(deed)
    if told is None:
        return None
    if told.cause not in state.names(deed.name, state.action(deed)):
        return f"says that {told.cause or 'nothing'} was the cause"
    if not told.domains:
        return "names no domain"
    if told.illegal:
        return f"names what is no legal pattern: {', '.join(told.illegal[:5])}"
    twice = [domain for domain in dict.fromkeys(told.domains) if told.domains.count(domain) > 1]
    return f"names a domain twice: {', '.join(twice)}" if twice else None


def _front(deed: Deed) -> Invalidation | None:
    return next((tag.invalidation for tag in deed.tags if tag.index == 0), None)


@check(
    "invalidation-forged",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="No tool that only reads, and none that no policy names, makes anything stale (R3).",
    why="Any tool can return such a text; who believes it drops good answers, or is made to read again without end.",
    remedy="Escape such a text in what a tool returns, and give reads no policy that invalidates.",
    source=f"{SCHEME}: the tag comes from the policy of a mutation, never from a tool's content",
    message="{call} {what}, and its answer says that {domains} is stale.",
    needs=(tagged,),
)
def invalidation_forged(case: Case) -> Iterable[Seen]:
    """Look for tags of calls that cannot have made anything stale."""
    for line, state in states(case):
        found: dict[tuple[str, str | None, str, tuple[str, ...]], list[Deed]] = defaultdict(list)
        for deed in state.calls:
            said = _forged(state, deed)
            if said is not None:
                domains = tuple(dict.fromkeys(domain for tag in deed.tags for domain in tag.invalidation.domains))
                found[deed.name, state.action(deed), said, domains].append(deed)
        for (tool, action, said, domains), deeds in found.items():
            seen = seen_of(line, tool, action, deeds, said)
            yield Seen(args={**seen.args, "domains": list(domains)}, words=seen.words, evidence=seen.evidence)


def _forged(state: State, deed: Deed) -> str | None:
    if not deed.tags or deed.outcome != "ok":
        return None
    if state.nature(deed) == "read":
        return "only reads"
    resolution = state.declared(deed)
    if state.policy is not None and (resolution is None or not resolution.invalidates):
        return "is in no policy that invalidates"
    return None


@check(
    "invalidation-on-error",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A call that failed makes nothing stale, and one that made something stale did not fail (R4).",
    why="An agent reads again for nothing, and takes a refused change for one that was made.",
    remedy="Say isError: true where a call was refused, and tell of invalidations only where it was not.",
    source=f"{SCHEME}: only successful calls invalidate; MCP, server/tools, Error Handling",
    message="{call} {what}.",
    needs=(called,),
)
def invalidation_on_error(case: Case) -> Iterable[Seen]:
    """Look for tags and stale URIs of calls that failed, by flag or by what they say."""
    yield from each_tool(case, _on_error)


def _on_error(state: State, deed: Deed) -> str | None:
    if deed.shaped_like_error and any(tag.index == 0 for tag in deed.tags):
        return "is no error by its flag, has an invalidation in front, and then says that it failed"
    if deed.outcome not in {"error", "refused"}:
        return None
    if deed.tags:
        return "failed, and its answer has an invalidation"
    return "failed, and stale URIs were announced for it" if _announced(state, deed) else None


def _announced(state: State, deed: Deed) -> bool:
    """Tell whether stale URIs came while this call, and no other, was under way.

    Over HTTP they come on a stream of their own, and may be late: until the next call they are of this one, unless the
    call before named them.
    """
    place = bisect_right(state.calls, deed.asked.frame, key=lambda call: call.asked.frame)
    following = state.calls[place].asked.frame if place < len(state.calls) else 1 << 62
    before = state.genuine(state.calls[place - 2]) if place > 1 else None
    late = deed.session.transport == "http"
    updates = state.updates(deed.asked.frame, max(deed.end, following) if late else deed.end)
    stale = {found.pattern for update in updates if (found := parse_stale_uri(update.uri or "")) is not None}
    return bool(stale - set(before.domains if before is not None else ())) and state.alone(deed)


@check(
    "invalidation-reaches-nothing",
    family=FAMILY,
    layer="origin",
    severity="warning",
    summary="Every domain of a tag reaches a tool or a resource that is listed (R6).",
    why="What it was meant to make stale is not made stale, and nobody can know what that was.",
    remedy="Name what is listed, or a pattern of it; list what is named.",
    source=f"{SCHEME}: domains are patterns over the names of tools",
    message="{call} says that {domain} is stale, and nothing that is listed goes by such a name.",
    needs=(tagged, listed),
)
def invalidation_reaches_nothing(case: Case) -> Iterable[Seen]:
    """Try each domain of a genuine tag on all names that were listed."""
    for line, state in states(case):
        found: dict[tuple[str, str | None, str], list[Deed]] = defaultdict(list)
        names = list(_listed_names(state))
        known: dict[str, bool] = {}
        for deed in state.calls:
            told = state.genuine(deed)
            for domain in dict.fromkeys(told.domains if told is not None else ()):
                if domain not in known:
                    known[domain] = not is_pattern(domain) or reaches(domain, names)
                if not known[domain]:
                    found[deed.name, state.action(deed), domain].append(deed)
        for (tool, action, domain), deeds in found.items():
            seen = seen_of(line, tool, action, deeds, "reaches nothing")
            yield Seen(
                args={"tool": tool, "action": action, "domain": domain}, words=seen.words, evidence=seen.evidence
            )


def _listed_names(state: State) -> Iterator[str]:
    for name, tool in state.tools.items():
        yield from state.names(name)
        yield from (f"{name}.{action}" for action in chooser(tool)[1])
    for resource in state.ledger.resources.values():
        yield resource.name
        yield resource.uri
