"""Rules of `notifications/resources/updated`, of subscriptions to resources, and of listening for them (N1 to N4, L1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Moment, Stream
from diagnose.judge.timeline.model import Session
from diagnose.judge.trust.deeds import Deed, Update
from diagnose.judge.trust.needs import listening, states, subscribed, updated
from diagnose.judge.trust.rules.directives import SCHEME
from diagnose.judge.trust.state import State
from diagnose.statesync import parse_stale_uri
from diagnose.wire.uri_template import may_fit

FAMILY = "state-updates"
_SUBSCRIPTIONS = "MCP 2026-07-28, basic/patterns/subscriptions; 2025-11-25, server/resources, Subscriptions"
#: Seconds for which a subscription is open before its end is taken for more than a refusal.
_LIVED = 1.0
#: A session whose first frame is one of these began with the recording.
_FIRST = 3


@check(
    "update-malformed",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="An update of a resource names it in an object of parameters (N1).",
    why="A client that validates drops the frame, so that nobody hears of the change.",
    remedy='Send {"params": {"uri": "…"}}, never the bare URI.',
    source="MCP, schema, ResourceUpdatedNotification; JSON-RPC 2.0, section 4.2",
    message="{number} updates of resources are none by the schema: {flaw}.",
    needs=(updated,),
)
def update_malformed(case: Case) -> Iterable[Seen]:
    """Look at the frames themselves."""
    for line, state in states(case):
        flawed = [update for update in state.ledger.updates if update.flaw is not None]
        for flaw in dict.fromkeys(update.flaw for update in flawed):
            those = [update for update in flawed if update.flaw == flaw]
            yield Seen(
                args={"flaw": flaw, "number": len(those)}, evidence=line.frames(*(update.at for update in those[:20]))
            )


@check(
    "update-differs-from-tag",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="The stale URIs of a call are the domains of its tag, in their order (N2).",
    why="Who goes by the notifications and who goes by the tag then keep different answers.",
    remedy="Announce each domain of the policy, in its order, and look why one was not taken by the connection.",
    source=f"{SCHEME}: one stale URI for each domain, in order of declaration",
    message="The tag of {tool} names {domains}, and the stale URIs beside it {announced}.",
    needs=(updated,),
)
def update_differs_from_tag(case: Case) -> Iterable[Seen]:
    """Lay the stale URIs that came with a call beside its tag."""
    for line, state in states(case):
        unasked = any(_unsubscribed(state, update) for update in state.ledger.updates)
        for deed, updates in _with_updates(state):
            told = state.genuine(deed)
            domains = list(dict.fromkeys(told.domains)) if told is not None else []
            announced = [stale.pattern for each in updates if (stale := parse_stale_uri(each.uri or "")) is not None]
            due = [one for one in domains if unasked or _wanted(state, deed.session, one, deed.asked)]
            if announced and list(dict.fromkeys(announced)) != due:
                yield Seen(
                    args={"tool": deed.name, "domains": domains, "announced": announced},
                    evidence=line.frames(deed.asked, *(update.at for update in updates), deed.answered),
                )
        yield from (
            Seen(
                args={"tool": "nothing", "domains": [], "announced": [update.uri]},
                evidence=line.frames(update.at),
                says="A stale URI names no legal pattern: {announced}.",
            )
            for update in state.ledger.updates
            if (stale := parse_stale_uri(update.uri or "")) is not None and not stale.legal
        )


def _with_updates(state: State) -> Iterator[tuple[Deed, list[Update]]]:
    """Yield each answered mutation with the updates that came while it, or no later call, was under way."""
    asked = [deed.asked.frame for deed in state.calls]
    for deed in state.changes:
        if deed.kind != "call" or deed.answered is None or deed.outcome != "ok":
            continue
        place = bisect_right(asked, deed.end)
        updates = state.updates(deed.asked.frame, asked[place] if place < len(asked) else 1 << 62)
        # Of two calls at once, nobody can tell whose they are.
        if updates and state.alone(deed):
            yield deed, updates


def _wanted(state: State, session: Session, domain: str, at: Moment) -> bool:
    return any(
        (stale := parse_stale_uri(uri)) is not None and stale.pattern == domain
        for uri in _subscriptions(state, session, at)
    )


def _subscriptions(state: State, session: Session, at: Moment) -> Iterator[str]:
    """Yield the URIs that a session was subscribed to at a moment."""
    for each in state.ledger.subscriptions:
        if each.session is session and each.accepted and each.answered is not None and each.answered.frame < at.frame:
            yield each.uri
    for stream in session.streams:
        if stream.acknowledged is not None and stream.acknowledged.frame < at.frame:
            yield from _granted(stream)


def _granted(stream: Stream) -> list[str]:
    granted = (stream.granted or {}).get("resourceSubscriptions")
    return [uri for uri in granted if isinstance(uri, str)] if isinstance(granted, list) else []


def _from_the_start(session: Session) -> bool:
    """Tell whether the recording holds a session from its beginning; in the modern era it may begin with any request."""
    return session.began or (session.era == "modern" and session.first.frame <= _FIRST)


def _unsubscribed(state: State, update: Update) -> bool:
    """Tell whether nobody of a session that was seen from its beginning had subscribed to what was updated."""
    return (
        update.uri is not None
        and _from_the_start(update.session)
        and update.uri not in _subscriptions(state, update.session, update.at)
    )


@check(
    "update-of-nothing",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="An update is sent to who subscribed, of a resource that is listed or can be read (N3).",
    why="A client cannot know what to drop by a URI that it never asked about and that nothing stands behind.",
    remedy="Send updates to subscribers alone, and list the URIs, or a template that they fit, and have them read.",
    source=f"{_SUBSCRIPTIONS}: a server must not send what was not requested",
    message="The update of {uri} {what}.",
    needs=(updated,),
)
def update_of_nothing(case: Case) -> Iterable[Seen]:
    """Hold each update against the subscriptions, the lists and the reads."""
    for line, state in states(case):
        for update in state.ledger.updates:
            flaws = []
            if _unsubscribed(state, update):
                flaws.append("was not subscribed to")
            if update.uri is not None and is_nothing(state, update.uri):
                flaws.append("is of nothing that is listed" + (" or can be read" if _unreadable(state) else ""))
            if flaws:
                yield Seen(args={"uri": update.uri, "what": " and ".join(flaws)}, evidence=line.frames(update.at))


def _unreadable(state: State) -> bool:
    return any(deed.empty for reads in state.resource_reads.values() for deed in reads)


def is_nothing(state: State, uri: str) -> bool:
    """Tell whether a URI is shown to be of no resource: it was read in vain, or is in neither list of those read."""
    reads = state.resource_reads.get(uri, ())
    if reads:
        return all(deed.empty or deed.outcome == "refused" for deed in reads)
    # Without the templates, a URI that is not listed may still be one of theirs.
    if not state.ledger.resource_lists >= {"resources/list", "resources/templates/list"}:
        return False
    return not any(
        may_fit(known.uri, uri) if known.template else known.uri == uri for known in state.ledger.resources.values()
    )


@check(
    "subscription-to-nothing",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A subscription to a URI that nothing stands behind is refused, or left out of what is granted (N4).",
    why="The client believes that it will hear of changes, and waits for ever.",
    remedy="Refuse resources that are unknown or cannot be subscribed to; grant only what will be told.",
    source=_SUBSCRIPTIONS,
    message="The server took a subscription to {uri}, which is in no list and cannot be read.",
    needs=(subscribed,),
)
def subscription_to_nothing(case: Case) -> Iterable[Seen]:
    """Hold each subscription that was taken against lists and reads."""
    for line, state in states(case):
        for each in state.ledger.subscriptions:
            if each.accepted and is_nothing(state, each.uri):
                yield Seen(args={"uri": each.uri}, evidence=line.frames(each.asked, each.answered))
        for session in state.sessions:
            for stream in session.streams:
                for uri in _granted(stream):
                    if is_nothing(state, uri):
                        yield Seen(args={"uri": uri}, evidence=line.frames(stream.asked, stream.acknowledged))


@check(
    "listen-inert",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="Who listens is granted something, stays connected, and hears of a change that was granted (L1).",
    why="A client that listens stops asking; of an inert subscription it hears nothing for ever.",
    remedy="Declare the capabilities that subscriptions are granted by, keep the stream open, and send the changes.",
    source="MCP 2026-07-28, basic/patterns/subscriptions",
    message="The subscription {subscription} {what}.",
    needs=(listening,),
)
def listen_inert(case: Case) -> Iterable[Seen]:
    """Look at what was granted, how long it lived, and at changes that were not heard."""
    for line, state in states(case):
        for session in state.sessions:
            for stream in session.streams:
                if stream.purpose != "listen" or stream.acknowledged is None or not _can_be_granted(state, stream):
                    continue
                what, more = _inert(state, session, stream)
                if what:
                    yield Seen(
                        args={"subscription": stream.subscription, "what": what},
                        evidence=line.frames(stream.asked, stream.acknowledged, stream.closed, *more),
                    )


def _can_be_granted(state: State, stream: Stream) -> bool:
    """Tell whether something was asked for that a server may have: a kind of change, or a resource that there is."""
    flags = any(value is True for value in stream.wanted.values())
    return flags or any(not is_nothing(state, uri) for uri in _uris(stream))


def _uris(stream: Stream) -> list[str]:
    wanted = stream.wanted.get("resourceSubscriptions")
    return [uri for uri in wanted if isinstance(uri, str)] if isinstance(wanted, list) else []


def _inert(state: State, session: Session, stream: Stream) -> tuple[str | None, tuple[Moment, ...]]:
    granted = stream.granted or {}
    unheard = tuple(_unheard(state, session, stream, _uris(stream)))
    heard = "" if not unheard else "; what it was to tell of changed unheard"
    if not any(granted.values()):
        ended = ", and was ended at once" if stream.closed is not None and stream.by == "server" else ""
        return f"was granted nothing of what it asked for{ended}{heard}", unheard
    if stream.by == "server" and stream.lived is not None and stream.lived < _LIVED:
        return f"was granted and ended at once{heard}", unheard
    missed = tuple(_unheard(state, session, stream, _granted(stream)))
    return ("was granted, and a change that it was to tell of was not told", missed) if missed else (None, ())


def _unheard(state: State, session: Session, stream: Stream, uris: list[str]) -> Iterator[Moment]:
    """Yield answers of resources that changed since the subscription, without an update of them having come."""
    begun = stream.asked.frame
    for uri in dict.fromkeys(uris):
        reads = [
            deed
            for deed in state.ledger.deeds
            if deed.kind == "read" and deed.name == uri and deed.outcome == "ok" and deed.session is session
        ]
        before = [deed for deed in reads if deed.end < begun]
        after = [deed for deed in reads if deed.asked.frame > begun]
        told = any(update.uri == uri and update.at.frame > begun for update in state.ledger.updates)
        if before and after and not told and before[-1].answer != after[-1].answer:
            yield from (moment for moment in (before[-1].answered, after[-1].answered) if moment is not None)
