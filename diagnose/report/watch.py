"""A watch for people and for programs: one line an event, and on a terminal a view that stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless
from diagnose.evidence.redact import Redactor
from diagnose.report.changes import change_document, change_lines, summary
from diagnose.report.document import json_line
from diagnose.report.layout import Ink, Page
from diagnose.surface import worst

if TYPE_CHECKING:
    from diagnose.jobs.watching import EventKind, Standing, WatchEvent

SCHEMA = "diagnose.event/1"

_INKS: dict[EventKind, Ink] = {"changed": "bad", "lost": "bad", "failed": "doubt", "channel-closed": "doubt"}
_WORDS: dict[EventKind, str] = {
    "connected": "connected",
    "channel-open": "listening",
    "channel-closed": "deaf",
    "channel-absent": "deaf",
    "signal": "signal",
    "listed": "listed",
    "changed": "CHANGED",
    "unchanged": "unchanged",
    "failed": "failed",
    "lost": "lost",
    "tick": "",
    "ended": "ended",
}
_CHANNELS = {"get": "the GET stream", "listen": "a subscription", "shared": "the server's output"}
_REASONS = {
    "connected": "after the session was opened",
    "signal": "after a signal",
    "channel": "as nothing could be heard before",
    "expired": "after its TTL",
    "poll": "by asking again",
    "requested": "on request",
    "retry": "after a failure",
}
_WORD_WIDTH = max(map(len, _WORDS.values()))


def event_json(event: WatchEvent, target: str, redactor: Redactor) -> str:
    """Return an event as one line of JSON; what does not belong to its kind has no key."""
    return json_line(event_document(event, target, redactor), redactor)


def event_document(event: WatchEvent, target: str, redactor: Redactor) -> dict[str, Any]:
    """Return an event and how the catalogue stood then; times are seconds, what is not known is null."""
    stands = event.standing
    facts: dict[str, Any] = {
        "reason": event.reason,
        "announced": event.announced,
        "rule": event.rule,
        "why": event.why or None,
        "againIn": _rounded(event.again_in),
        "deafFor": _rounded(event.deaf_for),
        "changes": [change_document(change, redactor) for change in event.changes] if event.changes else None,
    }
    return {
        "schema": SCHEMA,
        "event": event.kind,
        "at": event.at,
        "t": round(event.t, 3),
        "target": target,
        "state": stands.state,
        "era": stands.era,
        "protocolVersion": stands.protocol_version,
        "connected": stands.connected,
        "channel": stands.channel,
        "listening": stands.listening,
        "revision": stands.revision,
        "digest": stands.digest,
        "count": stands.count,
        "age": _rounded(stands.age),
        "ttlLeft": _rounded(stands.ttl_left),
        "signals": stands.signals,
        "lists": stands.refreshes,
        "changesSeen": stands.changes,
        **{name: value for name, value in facts.items() if value is not None},
    }


def event_text(event: WatchEvent, redactor: Redactor, *, width: int = 80, colour: bool = False) -> str:
    """Return an event as a line for people, with what differs in the lines below it."""
    page = Page(width=width, colour=colour)
    first = f"{event.at[11:19]}  {_WORDS[event.kind]:<{_WORD_WIDTH}}  "
    said = _SAID[event.kind](event) if event.kind in _SAID else event.why
    lines = page.wrap(harmless(redactor.text(said)), first=first)
    word = _WORDS[event.kind]
    lines[0] = lines[0].replace(word, page.ink(word, _INKS.get(event.kind, "plain")), 1)
    indent = " " * 4
    details = change_lines(event.changes, redactor, width=width - len(indent), colour=colour)
    return "\n".join([*lines, *(f"{indent}{line}" for line in details)]) + "\n"


def view(
    stands: Standing, target: str, last: WatchEvent | None, redactor: Redactor, *, width: int = 80, colour: bool = False
) -> str:
    """Return how a watched catalogue stands, in a few lines that are drawn over and over on a terminal."""
    page = Page(width=width, colour=colour)
    return "".join(f"{page.cut(harmless(redactor.text(line)))}\n" for line in _view(stands, target, last))


def _view(stands: Standing, target: str, last: WatchEvent | None) -> Iterator[str]:
    yield f"── {target}  {stands.era} {stands.protocol_version}  {stands.state}"
    revision = "no list yet" if stands.revision is None else f"revision {stands.revision[:12]}"
    count = "" if stands.count is None else f"  {_number(stands.count, 'tool')}"
    age = "" if stands.age is None else f"  age {_seconds(stands.age)}"
    ttl = "" if stands.ttl_left is None else f"  TTL left {_seconds(stands.ttl_left)}"
    yield f"   {revision}{count}{age}{ttl}"
    ears = f"listening on {_CHANNELS[stands.channel]}" if stands.listening else "nothing can be heard"
    ears = ears if stands.connected else "the session is lost"
    yield f"   {ears}  {_number(stands.signals, 'signal')}  {_number(stands.refreshes, 'list')}"
    yield f"   last difference: {'none' if last is None else f'{last.at[11:19]} {summary(last.changes)}'}"


def _connected(event: WatchEvent) -> str:
    return f"a {event.standing.era} session, version {event.standing.protocol_version}"


def _opened(event: WatchEvent) -> str:
    deaf = "" if event.deaf_for is None else f", after {_seconds(event.deaf_for)} in which nothing could be"
    return f"signals can be heard on {_CHANNELS[event.standing.channel]}{deaf}"


def _failed(event: WatchEvent) -> str:
    again = "it is not tried again" if event.again_in is None else f"again in {_seconds(event.again_in)}"
    return f"{event.why.rstrip('.')}; {again}"


def _listed(event: WatchEvent) -> str:
    return f"{_number(event.standing.count or 0, 'tool')}, {_known_by(event.standing)}"


def _changed(event: WatchEvent) -> str:
    told = "announced" if event.announced else "NOT announced"
    impact = worst([change.impact for change in event.changes])
    return f"{summary(event.changes)} ({impact}), {told}, seen {_reason(event)}; {_known_by(event.standing)}"


def _reason(event: WatchEvent) -> str:
    return _REASONS[event.reason or "requested"]


#: What is said of each kind of event; of others, what they say themselves.
_SAID: dict[EventKind, Callable[[WatchEvent], str]] = {
    "connected": _connected,
    "channel-open": _opened,
    "channel-closed": _failed,
    "channel-absent": _failed,
    "lost": _failed,
    "failed": _failed,
    "signal": lambda _: "the server says that its list has changed",
    "listed": _listed,
    "changed": _changed,
    "unchanged": lambda event: f"the same list, read {_reason(event)}",
}


def _known_by(stands: Standing) -> str:
    return "without a revision" if stands.revision is None else f"revision {stands.revision[:12]}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
