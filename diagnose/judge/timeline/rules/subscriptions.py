"""Rules of `subscriptions/listen`: what a subscription is called, what it grants, and how it ends.

MCP 2026-07-28, basic/patterns/subscriptions. Who is held to them is the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.timeline.deeds import Stream
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.rules.needs import notice, subscription
from diagnose.wire.subscription import FILTER_FIELDS, NONSENSE_SCHEME

_LISTEN = "MCP 2026-07-28, basic/patterns/subscriptions"
#: The shortest time, in seconds, after which a subscription without an acknowledgement is one that has none.
_UNANSWERED = 2.0


def _subscriptions(case: Case) -> Iterator[tuple[Timeline, Session, Stream]]:
    for line in case.timelines:
        for session in line.sessions:
            yield from ((line, session, stream) for stream in session.streams if stream.purpose == "listen")


def seen_at(line: Timeline, session: Session, *moments: Any, **facts: Any) -> Seen:
    """Return what was seen of a server in one session, with the frames of these moments."""
    evidence = line.frames(*moments)
    return Seen(evidence=evidence, layer=line.layer("server"), session=line.label(session), **facts)


# Names.


@check(
    "listen-wrong-id",
    family="listen",
    layer="origin",
    severity="error",
    summary="Everything of a subscription carries the id of the request that opened it, in its JSON type.",
    why="A client takes what carries another id for somebody else's, and so passes over the change.",
    remedy="Copy the id of the subscriptions/listen request into _meta as it came: a number stays a number.",
    source=f"{_LISTEN}, Acknowledgment and Receiving Notifications: the value is the JSON-RPC id of the request",
    message="{method} carries the id {named}, and the subscription was opened by the request {asked}.",
    needs=(subscription,),
)
def listen_wrong_id(case: Case) -> Iterable[Seen]:
    """Look for messages of a subscription under another name."""
    for line, session, stream in _subscriptions(case):
        wrong = stream.misnamed
        if wrong is not None and wrong.named is not None:
            args = {"method": wrong.method, "named": repr(wrong.named)[:80], "asked": repr(stream.subscription)[:80]}
            yield seen_at(line, session, stream.asked, wrong.at, args=args)


@check(
    "listen-id-missing",
    family="listen",
    layer="origin",
    severity="error",
    summary="Everything of a subscription says which subscription it belongs to.",
    why="Where several share one channel, as on stdio, a client cannot tell whom it is for.",
    remedy="Put io.modelcontextprotocol/subscriptionId into _meta of the acknowledgement and of every notification.",
    source=f"{_LISTEN}, Receiving Notifications; basic/index, `_meta`: on a stream the server MUST include the subscription id",
    message="{method} came on the subscription {asked} and does not say that it belongs to it.",
    needs=(subscription,),
)
def listen_id_missing(case: Case) -> Iterable[Seen]:
    """Look for messages of a subscription without a name."""
    for line, session, stream in _subscriptions(case):
        wrong = stream.misnamed
        if wrong is not None and wrong.named is None:
            args = {"method": wrong.method, "asked": repr(stream.subscription)[:80]}
            yield seen_at(line, session, stream.asked, wrong.at, args=args)


# The filter.


@check(
    "listen-filter-exceeded",
    family="listen",
    layer="origin",
    severity="error",
    summary="An acknowledgement grants what was asked for, or less.",
    why="A client is then sent what it did not ask for, and must pass over it.",
    remedy="Grant the intersection of what was asked for and what the server can tell of.",
    source=f"{_LISTEN}, Opening a Stream: no types that were not requested; Acknowledgment: the subset that is honoured",
    message="The acknowledgement grants {granted}, which was not asked for.",
    needs=(subscription,),
)
def listen_filter_exceeded(case: Case) -> Iterable[Seen]:
    """Compare what was granted with what was asked for."""
    for line, session, stream in _subscriptions(case):
        more = [name for name, value in (stream.granted or {}).items() if _exceeds(value, stream.wanted.get(name))]
        if more:
            args = {"granted": ", ".join(map(str, more))[:200]}
            yield seen_at(line, session, stream.asked, stream.acknowledged, args=args)


def _exceeds(granted: Any, asked: Any) -> bool:
    if isinstance(granted, list):
        return any(entry not in (asked if isinstance(asked, list) else []) for entry in granted)
    return bool(granted) and not asked


@check(
    "listen-nonsense-uri",
    family="listen",
    layer="origin",
    severity="warning",
    summary="A subscription to a resource that cannot exist is not acknowledged as honoured.",
    why="A client that subscribes to what is not there waits for ever, and is told that all is well.",
    remedy="Leave resourceSubscriptions out of the acknowledgement where the server has no such resource.",
    source=f"{_LISTEN}, Acknowledgment: notification types that the server does not support are omitted",
    message="The acknowledgement grants news of {uri}, a resource that does not exist.",
    needs=(subscription,),
)
def listen_nonsense_uri(case: Case) -> Iterable[Seen]:
    """Look for a made-up resource among those that were granted."""
    for line, session, stream in _subscriptions(case):
        granted = (stream.granted or {}).get("resourceSubscriptions")
        for uri in granted if isinstance(granted, list) else ():
            if isinstance(uri, str) and uri.startswith(NONSENSE_SCHEME):
                yield seen_at(line, session, stream.asked, stream.acknowledged, args={"uri": uri[:200]})


@check(
    "listen-unknown-field",
    family="listen",
    layer="origin",
    severity="warning",
    summary="A filter with a field that is not known is served without that field.",
    why="A later revision adds fields: its clients would then get no signals at all.",
    remedy="Pass over fields of the filter that the server does not know.",
    source=f"{_LISTEN}, Acknowledgment: types that the server does not support are omitted, and the client handles it",
    message="A filter with {unknown}, which no revision knows, {outcome}.",
    needs=(subscription,),
)
def listen_unknown_field(case: Case) -> Iterable[Seen]:
    """Look at what became of filters with a field that nobody knows."""
    for line, session, stream in _subscriptions(case):
        unknown = [name for name in stream.wanted if name not in FILTER_FIELDS]
        granted = [name for name in unknown if (stream.granted or {}).get(name)]
        refused = stream.refusal is not None and not _refuses_others(session, stream)
        if not unknown or not (refused or granted):
            continue
        outcome = "is refused" if refused else "is acknowledged as honoured"
        moment = stream.acknowledged if stream.refusal is None else stream.refusal.at
        args = {"unknown": ", ".join(map(str, unknown))[:200], "outcome": outcome}
        yield seen_at(line, session, stream.asked, moment, args=args)


def _refuses_others(session: Session, stream: Stream) -> bool:
    """Tell whether subscriptions to what every revision knows were refused too: then it is not for this field."""
    return any(
        other is not stream and other.refusal is not None and other.wanted.keys() <= FILTER_FIELDS
        for other in session.streams
        if other.purpose == "listen"
    )


# How many, and how they end.


@check(
    "listen-one-only",
    family="listen",
    layer="origin",
    severity="error",
    summary="Several subscriptions may be open at one time.",
    why="A client with one subscription for tools and one for a resource loses one of them.",
    remedy="Keep subscriptions apart by their ids.",
    source=f"{_LISTEN}, Multiple Concurrent Subscriptions",
    message="A subscription was refused while another one, that asked for the same, was open.",
    needs=(subscription,),
)
def listen_one_only(case: Case) -> Iterable[Seen]:
    """Look for subscriptions that were refused beside others of the same filter."""
    for line in case.timelines:
        for session in line.sessions:
            listening = [stream for stream in session.streams if stream.purpose == "listen"]
            for stream in listening:
                other = next((each for each in listening if _beside(each, stream)), None)
                if other is not None and stream.refusal is not None:
                    yield seen_at(line, session, other.acknowledged, stream.asked, stream.refusal.at)
                    break


def _beside(other: Stream, refused: Stream) -> bool:
    """Tell whether the other subscription was granted what the refused one asks for, and was open then."""
    at = refused.refusal.at if refused.refusal is not None else None
    same = other is not refused and dict(other.wanted) == dict(refused.wanted)
    return (
        same and at is not None and other.acknowledged is not None and (other.closed is None or other.closed.t > at.t)
    )


@also("stream-no-ack", needs=(subscription,))
def never_acknowledged(case: Case) -> Iterable[Seen]:
    """Look for subscriptions that were neither acknowledged nor refused, as long as the wait is."""
    for line, session, stream in _subscriptions(case):
        until = stream.closed or line.last
        if (
            stream.acknowledged is None
            and stream.refusal is None
            and until.t - stream.asked.t >= min(case.bundle.wait, _UNANSWERED)
        ):
            seconds = round(until.t - stream.asked.t, 1)
            says = "A subscription was asked for, and in {seconds} s neither acknowledged nor refused."
            yield seen_at(line, session, stream.asked, args={"seconds": seconds}, says=says)


@check(
    "listen-end-without-result",
    family="listen",
    layer="origin",
    severity="warning",
    summary="A server that ends a subscription answers the request that opened it.",
    why="Without the result a client cannot tell a shutdown from a broken connection.",
    remedy="Send the result of subscriptions/listen, then close the stream.",
    source=f"{_LISTEN}, Graceful Closure: the server SHOULD respond to the original request",
    message="The server ended the subscription {asked} after {seconds} s, and did not answer the request that opened it.",
    needs=(subscription,),
)
def listen_end_without_result(case: Case) -> Iterable[Seen]:
    """Look for subscriptions that the server ended without a word; a process that ended says nothing any more."""
    for line, session, stream in _subscriptions(case):
        ended = stream.closed is not None and stream.by == "server" and not stream.clean
        if ended and stream.acknowledged is not None and line.header.transport == "http":
            args = {"asked": repr(stream.subscription)[:80], "seconds": round(stream.lived or 0.0, 1)}
            yield seen_at(line, session, stream.asked, stream.closed, args=args)


# The stream itself.


@check(
    "notification-invalid",
    family="signals",
    layer="origin",
    severity="error",
    summary="A notification is one by the schema.",
    why="Clients that validate drop it, and hold the old list.",
    remedy="Send an object as params, or none.",
    source="MCP schema, ToolListChangedNotification",
    message="{method} is no valid notification: {why}.",
    needs=(notice,),
)
def notification_invalid(case: Case) -> Iterable[Seen]:
    """Look for notifications that no schema knows."""
    for line in case.timelines:
        for session in line.sessions:
            for each in list(session.malformed)[:3]:
                yield seen_at(line, session, each.at, args={"method": each.method, "why": each.why})
