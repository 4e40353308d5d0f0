"""What a recording does not show, whatever is in it, and what this one leaves out: so that nobody reads more into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.words import counted

_CACHE = "A list that a client took from its own cache leaves no frame: that it was asked for in the client, or shown to a model, is neither proven nor refuted."
_SINCE = "Whether the server's list changed after the last frame that shows it is not known."


def unproven(timelines: Sequence[Timeline]) -> tuple[str, ...]:
    """Return the sentences for some recordings."""
    said = [_CACHE]
    if any(session.exposures for line in timelines for session in line.sessions):
        said.append(_SINCE)
    for line in timelines:
        said.extend(_of_one(line))
    return tuple(said)


def _of_one(line: Timeline) -> Iterator[str]:
    named = "The recording" if line.name == "wire" else f"The recording {line.name}"
    late = [session for session in line.sessions if not session.began]
    if late:
        yield f"{named} does not hold the beginning of {counted(len(late), 'session')}: what was declared or listed before is not known."
    if line.header.transport == "http" and not line.sees_http and line.events:
        yield f"{named} holds messages and no HTTP requests: that a stream was never opened, or closed, cannot be told from it."
    dropped = sum(_dropped(session) for session in line.sessions)
    if dropped:
        yield f"{named} is long: of each session the first and the newest things are told one by one, and {dropped} in between are only counted."


def _dropped(session: Session) -> int:
    shelves = (session.exposures, session.signals, session.streams, session.calls, session.losses)
    return session.walks.dropped + sum(shelf.dropped for shelf in shelves)
