"""One trial: what crossed between the client and the reference server, and what the client was seen to hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnose.evidence.observation import Era

if TYPE_CHECKING:
    from diagnose.judge.timeline import Session, Timeline
    from diagnose.judge.timeline.deeds import Moment, Signal, Stream, Walk

#: What the bench writes into the recording as `action`.
CHANGED = "the list was changed"
FORGOT = "the server forgot its sessions"
ASKED = "the client was asked to list"
HELD = "the client was asked what it holds"
LEFT = "the client ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the client said that it holds. ``after`` is the frame behind which it said so."""

    after: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What is known of one trial. Its frames are named after it: `declared:17`."""

    name: str
    timeline: Timeline
    names: tuple[str, ...] = ()
    """The tools that the server had at first."""
    held: tuple[Held, ...] = ()
    """What the client said that it holds, oldest first; empty where it cannot be asked."""
    asks: bool = False
    """Whether the client lists when it is asked to, as its user would make it."""

    @property
    def walks(self) -> list[Walk]:
        """Every list that was asked for, in order."""
        return sorted((walk for each in self.sessions for walk in each.walks), key=lambda walk: walk.asked.frame)

    @property
    def signals(self) -> list[Signal]:
        """Every signal, in order."""
        return sorted((signal for each in self.sessions for signal in each.signals), key=lambda signal: signal.at.frame)

    @property
    def streams(self) -> list[Stream]:
        """Every channel on which the server could speak first."""
        return [stream for each in self.sessions for stream in each.streams if stream.opened is not None]

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The client's sessions."""
        return self.timeline.sessions

    @property
    def era(self) -> Era | None:
        """The era of the newest session that has one."""
        return next((each.era for each in reversed(self.sessions) if each.era is not None), None)

    @property
    def last_held(self) -> Held | None:
        """The newest word of the client on what it holds."""
        return self.held[-1] if self.held else None

    @property
    def left(self) -> Moment | None:
        """When the client ended by itself."""
        return self.mark(LEFT)

    def mark(self, text: str, number: int = 0) -> Moment | None:
        """Return when the bench did something, for the first or a later time; None where it did not."""
        found = [action.at for action in self.timeline.actions if action.text == text]
        return found[number] if number < len(found) else None

    def frames(self, *moments: Moment | int | None) -> tuple[str, ...]:
        """Return moments as evidence."""
        return self.timeline.frames(*moments)
