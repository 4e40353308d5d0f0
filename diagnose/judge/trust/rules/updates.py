"""Rules of `notifications/resources/updated` and of subscriptions to resources (N1 to N4)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Session
from diagnose.judge.trust.deeds import Deed, Update, addresses
from diagnose.judge.trust.needs import states, subscribed, updated
from diagnose.judge.trust.rules.directives import SCHEME
from diagnose.judge.trust.state import State
from diagnose.judge.words import counted
from diagnose.statesync import parse_stale_uri
from diagnose.statesync.uris import SCHEMES

FAMILY = "state-updates"
SUBSCRIPTIONS = "MCP 2026-07-28, basic/patterns/subscriptions; 2025-11-25, server/resources, Subscriptions"
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
    message="{updates} of resources went out against the schema: {flaw}.",
    needs=(updated,),
)
def update_malformed(case: Case) -> Iterable[Seen]:
    """Look at the frames themselves."""
    for line, state in states(case):
        flawed = [update for update in state.ledger.updates if update.flaw is not None]
        for flaw in dict.fromkeys(update.flaw for update in flawed):
            those = [update for update in flawed if update.flaw == flaw]
            yield Seen(
                args={"flaw": flaw, "number": len(those)},
                words={"updates": counted(len(those), "update")},
                evidence=line.frames(*(update.at for update in those[:20])),
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
    return any(state.places.subscribed(session, f"{scheme}://stale/{domain}", at) for scheme in SCHEMES)


def _from_the_start(session: Session) -> bool:
    """Tell whether the recording holds a session from its beginning; in the modern era it may begin with any request."""
    return session.began or (session.era == "modern" and session.first.frame <= _FIRST)


def _unsubscribed(state: State, update: Update) -> bool:
    """Tell whether nobody of a session that was seen from its beginning had subscribed to what was updated."""
    return (
        update.uri is not None
        and _from_the_start(update.session)
        and not state.places.subscribed(update.session, update.uri, update.at)
    )


@check(
    "update-of-nothing",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="An update is sent to who subscribed, of a resource that is listed or can be read (N3).",
    why="A client cannot know what to drop by a URI that it never asked about and that nothing stands behind.",
    remedy="Send updates to subscribers alone, and list the URIs, or a template that they fit, and have them read.",
    source=f"{SUBSCRIPTIONS}: a server must not send what was not requested",
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
            if update.uri is not None and state.places.is_nothing(update.uri):
                flaws.append("is of nothing that is listed" + (" or can be read" if _unreadable(state) else ""))
            if flaws:
                yield Seen(args={"uri": update.uri, "what": " and ".join(flaws)}, evidence=line.frames(update.at))


def _unreadable(state: State) -> bool:
    return any(deed.empty for reads in state.places.reads.values() for deed in reads)


@check(
    "subscription-to-nothing",
    family=FAMILY,
    layer="origin",
    severity="error",
    summary="A subscription to a URI that nothing stands behind is refused, or left out of what is granted (N4).",
    why="The client believes that it will hear of changes, and waits for ever.",
    remedy="Refuse resources that are unknown or cannot be subscribed to; grant only what will be told.",
    source=SUBSCRIPTIONS,
    message="The server took a subscription to {uri}, which is in no list and cannot be read.",
    needs=(subscribed,),
)
def subscription_to_nothing(case: Case) -> Iterable[Seen]:
    """Hold each subscription that was taken against lists and reads."""
    for line, state in states(case):
        for each in state.ledger.subscriptions:
            if each.accepted and state.places.is_nothing(each.uri):
                yield Seen(args={"uri": each.uri}, evidence=line.frames(each.asked, each.answered))
        for session in state.sessions:
            for stream in session.streams:
                for uri in addresses(stream.granted):
                    if state.places.is_nothing(uri):
                        yield Seen(args={"uri": uri}, evidence=line.frames(stream.asked, stream.acknowledged))
