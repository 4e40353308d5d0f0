"""What a request means when it is made, and what its answer then tells: handshakes, calls and subscriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.judge.timeline.asking import Ask
from diagnose.judge.timeline.deeds import (
    Call,
    Malformed,
    Misnamed,
    Moment,
    Refusal,
    Signal,
    Step,
    Stray,
    Stream,
    Tally,
)
from diagnose.judge.timeline.lanes import CAPABILITIES, PROTOCOL_VERSION
from diagnose.judge.timeline.model import Session
from diagnose.surface import Surface
from diagnose.wire.message import Message
from diagnose.wire.negotiation import DISCOVER, SERVER_INFO
from diagnose.wire.subscription import ACKNOWLEDGED, LIST_CHANGED, SUBSCRIPTION_ID

#: Which field of a subscription's filter lets a notification through.
FILTERS = {
    LIST_CHANGED: "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
    "notifications/resources/updated": "resourceSubscriptions",
}
_LONG = 200
#: So many definitions of one tool are remembered, by their digests.
_VERSIONS = 10
#: So long, in seconds, what was sent before a client left may be under way.
_UNDER_WAY = 2.0
#: So many calls of one session that wait for an answer are remembered.
_WAITING = 100


def begin_step(session: Session, message: Message, at: Moment) -> Step:
    """Take in a probe or a handshake."""
    params = message.params
    meta = params.get("_meta")
    spoken = meta.get(PROTOCOL_VERSION) if isinstance(meta, Mapping) else None
    asked = params.get("protocolVersion") if message.method != DISCOVER else spoken
    step = Step(
        kind="discover" if message.method == DISCOVER else "initialize",
        asked=at,
        version=asked if isinstance(asked, str) else None,
    )
    offers = params.get("capabilities", meta.get(CAPABILITIES) if isinstance(meta, Mapping) else None)
    session.offers = offers if isinstance(offers, Mapping) else session.offers
    session.began = session.began or session.requests <= 1 or step.kind == "initialize"
    if len(session.steps) < 1_000:
        session.steps.append(step)
    return step


def end_step(session: Session, step: Step, result: Any, at: Moment) -> None:
    """Take in what the server says of itself."""
    step.answered = at
    if not isinstance(result, Mapping):
        return
    meta = result.get("_meta")
    info = result.get("serverInfo") or (meta.get(SERVER_INFO) if isinstance(meta, Mapping) else None)
    capabilities, instructions = result.get("capabilities"), result.get("instructions")
    chosen = [result.get("protocolVersion")] if step.kind == "initialize" else result.get("supportedVersions")
    step.versions = tuple(version for version in chosen if isinstance(version, str)) if isinstance(chosen, list) else ()
    session.server_info = info if isinstance(info, Mapping) else session.server_info
    session.capabilities = capabilities if isinstance(capabilities, Mapping) else {}
    session.instructions = instructions if isinstance(instructions, str) else None
    if step.kind == "initialize":
        session.version = step.versions[0] if step.versions else None
    elif step.version in step.versions:
        session.version = step.version


def begin_call(session: Session, params: Mapping[str, Any], at: Moment) -> Call:
    """Take in a call, and how its tool stands in the lists that this client was sent."""
    session.calls_made += 1
    name, arguments = params.get("name"), params.get("arguments")
    tool = name if isinstance(name, str) else ""
    given = tuple(sorted(map(str, arguments))) if isinstance(arguments, Mapping) else ()
    held = session.held.surface if session.held is not None else None
    call = Call(tool=tool[:_LONG], asked=at, standing="unknown", arguments=given[:100])
    session.unanswered.append(call)
    del session.unanswered[:-_WAITING]
    newest = session.walks.newest
    if session.held is None or held is None or (newest is not None and newest.state in {"open", "faulty"}):
        return call
    call.held = session.held.answered
    if tool in held.by_name:
        call.definition = held.by_name[tool][0].digest
        call.standing, call.surplus = "listed", _surplus(tool, given, held, session.older)
    else:
        call.standing = "removed" if any(tool in surface.by_name for surface in session.older) else "unlisted"
    return call


def _surplus(tool: str, given: tuple[str, ...], held: Surface, older: list[Surface]) -> tuple[str, ...]:
    """Return arguments that the definition in force does not name, and an older one did."""
    names = _properties(tool, held)
    strange = [name for name in given if name not in names] if names is not None else []
    if not strange:
        return ()
    former = [found for surface in older if (found := _properties(tool, surface)) is not None]
    return tuple(name for name in strange if any(name in found for found in former))


def _properties(tool: str, surface: Surface) -> frozenset[str] | None:
    found = surface.by_name.get(tool)
    schema = found[0].definition.get("inputSchema") if found else None
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return frozenset(properties) if isinstance(properties, Mapping) else None


def end_call(session: Session, call: Call, result: Any, at: Moment) -> None:
    """Take in what came of a call; an uneventful one is only counted."""
    _settled(session, call, at)
    failed = isinstance(result, Mapping) and result.get("isError") is True
    call.outcome = "error" if failed else "ok"
    if failed:
        call.refusal = Refusal(at=at, message=_text(result))
    if call.outcome == "ok" and call.standing == "listed" and not call.surplus:
        _count(session, call, at)
        return
    session.calls.put(call)


def _count(session: Session, call: Call, at: Moment) -> None:
    tally = session.tallies.get(call.tool)
    if tally is not None:
        tally.count, tally.last = tally.count + 1, at
    elif len(session.tallies) < 1_000:
        tally = session.tallies[call.tool] = Tally(count=1, first=call.asked, last=at)
    if tally is not None and call.definition is not None and call.definition not in tally.definitions[-_VERSIONS:]:
        tally.definitions.append(call.definition)
        del tally.definitions[:-_VERSIONS]


def refuse_call(session: Session, call: Call, refusal: Refusal) -> None:
    """Take in the refusal of a call."""
    _settled(session, call, refusal.at)
    call.outcome, call.refusal = "refused", refusal
    session.calls.put(call)


def _settled(session: Session, call: Call, at: Moment) -> None:
    call.answered = at
    session.unanswered = [other for other in session.unanswered if other is not call]


def _text(result: Mapping[str, Any]) -> str:
    content = result.get("content")
    first = content[0] if isinstance(content, list) and content else None
    said = first.get("text") if isinstance(first, Mapping) else None
    return said[:_LONG] if isinstance(said, str) else ""


def begin_listen(session: Session, ask: Ask, params: Mapping[str, Any], channel: str | None) -> Stream:
    """Take in the request for a subscription."""
    wanted = params.get("notifications")
    stream = Stream(purpose="listen", channel=channel, asked=ask.at, subscription=ask.id)
    stream.wanted = wanted if isinstance(wanted, Mapping) else {}
    return session.streams.put(stream)


def notice(session: Session, message: Message, stream: Stream | None, channel: str | None, at: Moment) -> None:
    """Take in what the server says unasked."""
    meta = message.params.get("_meta")
    named = meta.get(SUBSCRIPTION_ID) if isinstance(meta, Mapping) else None
    if message.method != ACKNOWLEDGED and message.method not in FILTERS:
        return
    if (flaw := _malformed(message)) is not None:
        session.malformed.put(Malformed(at=at, method=message.method, why=flaw))
    stream = stream or _subscribed(session, named)
    if stream is None and named is not None and _just_left(session, named, at):
        return
    if stream is not None and stream.purpose == "listen" and not same_id(stream.subscription, named):
        stream.misnamed = stream.misnamed or Misnamed(at=at, method=message.method, named=named)
    if message.method == ACKNOWLEDGED:
        _acknowledged(session, message, stream, at)
        return
    why = _no_right(session, message.method, stream)
    if why is not None:
        session.strays.put(Stray(at=at, method=message.method, why=why, stream=stream))
        return
    if message.method == LIST_CHANGED:
        if stream is not None:
            stream.signals += 1
        declared, lists = session.declares_changes, session.lists_asked
        session.signals.put(Signal(at=at, declared=declared, channel=channel, lists_before=lists))


def _acknowledged(session: Session, message: Message, stream: Stream | None, at: Moment) -> None:
    granted = message.params.get("notifications")
    if stream is None:
        why = "it names no subscription that was asked for"
        session.strays.put(Stray(at=at, method=message.method, why=why))
    elif stream.purpose == "listen" and stream.acknowledged is None:
        stream.acknowledged, stream.granted = at, granted if isinstance(granted, Mapping) else {}


def _malformed(message: Message) -> str | None:
    """Say why this is no notification by the schema (JSON-RPC 2.0, section 4.2; MCP schema, NotificationParams)."""
    params = message.raw.get("params", {})
    if not isinstance(params, Mapping):
        return "its parameters are no object"
    return None if isinstance(params.get("_meta", {}), Mapping) else "its _meta is no object"


def _subscribed(session: Session, named: Any) -> Stream | None:
    """Return the subscription that a notification names (on stdio, all share one channel)."""
    if named is None:
        return None
    streams = [stream for stream in session.streams if stream.purpose == "listen" and stream.closed is None]
    return next((stream for stream in reversed(streams) if same_id(stream.subscription, named)), None)


def _just_left(session: Session, named: Any, at: Moment) -> bool:
    """Tell whether the client left a subscription so shortly ago that the server need not have heard of it."""
    return any(
        stream.closed is not None and stream.by == "client" and at.t - stream.closed.t <= _UNDER_WAY
        for stream in session.streams
        if same_id(stream.subscription, named)
    )


def _no_right(session: Session, method: str, stream: Stream | None) -> str | None:
    """Say why an event may not come here (MCP 2026-07-28, basic/patterns/subscriptions); None where it may."""
    if session.era != "modern" or (stream is not None and stream.purpose == "get"):
        return None
    if stream is None:
        return "it belongs to no subscription that was open"
    if stream.acknowledged is None:
        return "it came before the subscription was acknowledged"
    if not (stream.granted or {}).get(FILTERS[method]):
        return f"the acknowledgement grants no {FILTERS[method]}"
    return None


def same_id(left: Any, right: Any) -> bool:
    """Tell whether two JSON-RPC ids are one: of one type, and equal."""
    return isinstance(left, str) == isinstance(right, str) and bool(left == right)
