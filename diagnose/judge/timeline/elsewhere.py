"""What other sessions of the same server were sent: lists to lay beside one client's, from this recording and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from diagnose.judge.clock import seconds_after
from diagnose.judge.timeline.deeds import Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.surface import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A list that another session was sent; ``t`` is on the clock of the recording that it is laid beside, if they share one."""

    line: Timeline
    session: Session
    walk: Walk
    surface: Surface
    t: float | None

    @property
    def frames(self) -> tuple[str, ...]:
        """The answer that brought it."""
        return self.line.frames(self.walk.answered)


def sights(line: Timeline, session: Session, lines: Sequence[Timeline]) -> Iterator[Sight]:
    """Yield every whole list that another session of the same server was sent, alike in era, authorization and abilities."""
    for other in lines:
        shift = 0.0 if other is line else _shift(line, other)
        for each in other.sessions:
            if each is session or each.era != session.era or not _one_server(line, session, other, each):
                continue
            for walk in each.walks if can_do_the_same(session, each) else ():
                if walk.surface is None or walk.answered is None or not _one_caller(session, walk):
                    continue
                if other is line or _is_named(line, session) or _shares(session, walk.surface):
                    t = None if shift is None else walk.answered.t + shift
                    yield Sight(line=other, session=each, walk=walk, surface=walk.surface, t=t)


def can_do_the_same(session: Session, each: Session) -> bool:
    """Tell whether two clients declared the same abilities, as far as they told: a server may show more to who can do more."""
    both = session.offers is not None and each.offers is not None
    return not both or dict(session.offers or {}) == dict(each.offers or {})


def _shift(line: Timeline, other: Timeline) -> float | None:
    """Return what is added to a time of the other recording; None where the two have no clock in common."""
    return seconds_after(line.header.started_at, other.header.started_at)


def _one_server(line: Timeline, session: Session, other: Timeline, each: Session) -> bool:
    """Tell whether two sessions are with one server, at one hop; what is not told does not speak against it."""
    if line is other:
        return True
    if line.header.hop != other.header.hop or line.header.target != other.header.target:
        return False
    return bool(_name(session) == _name(each))


def _is_named(line: Timeline, session: Session) -> bool:
    """Tell whether anything says which server it is."""
    return line.header.target is not None or _name(session) is not None


def _shares(session: Session, surface: Surface) -> bool:
    """Tell whether two lists have a tool in common: without a name, nothing else speaks for one server."""
    own = (walk.surface for walk in session.walks if walk.surface is not None)
    return any(not surface.by_name.keys().isdisjoint(each.by_name) for each in own)


def _name(session: Session) -> Any:
    return (session.server_info or {}).get("name")


def _one_caller(session: Session, walk: Walk) -> bool:
    return session.principal is None or walk.principal is None or session.principal == walk.principal
