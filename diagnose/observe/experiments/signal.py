"""The signal trial: hold the channel, list, provoke a change, and see what the server tells and when its list shows it.

It asks only what any client may ask. What it means is decided by the rules that read recordings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Observation
from diagnose.evidence.recording import Recording
from diagnose.freshness import Backoff
from diagnose.observe.experiments.trigger import Provocation, Provoked, pull
from diagnose.observe.heard import ChannelKind, Heard
from diagnose.observe.held import HeldSession
from diagnose.observe.listing import ListReader
from diagnose.transport.deadline import Deadline

#: Seconds in which a server may tell something that nobody provoked, before the change and after it.
CALM: Final = 0.5
#: After a signal that brought the old list: when it is read again, and for how long, in seconds.
AGAIN: Final = Backoff(first=0.1, longest=1.0)
PATIENCE: Final = 3.0
#: Where no signal has come so many seconds after the change, the list is read to see whether it has changed at all.
UNHEARD: Final = 2.0
#: So many signals are followed; a storm is known by then.
MAX_FOLLOWED: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalTrial:
    """What was done, and the recording of it.

    ``listening``: whether there was an open channel when the change was provoked. ``after`` is the last list of the held
    session, ``fresh`` that of a new one (None over stdio, where a new session is another process). ``provoked`` is None
    where nothing was provoked: ``before`` could then not be read.
    """

    recording: Recording
    channel: ChannelKind
    declared: bool
    listening: bool
    signals: int
    before: Observation
    after: Observation | None = None
    fresh: Observation | None = None
    provoked: Provoked | None = None

    @property
    def changed(self) -> bool | None:
        """Whether the list has changed, as somebody sees it; None where that is not known."""
        seen = [
            look.surface.digest for look in (self.after, self.fresh) if look is not None and look.surface is not None
        ]
        if self.before.surface is None or not seen:
            return None
        return any(digest != self.before.surface.digest for digest in seen)


def signal_trial(
    hold: Callable[[], HeldSession], provoke: Provocation, *, wait: float, now: Callable[[], str]
) -> SignalTrial:
    """Provoke a change of the list and follow what is told of it, for ``wait`` seconds at most.

    Takes about half a second where the server signals at once. Raises what opening a session raises, and `UsageError`
    where the provocation cannot be started.
    """
    with hold() as held:
        trial = _Trial(held, wait, now)
        found = trial.run(provoke)
    return SignalTrial(recording=held.recorder.recording(), **found)


class _Trial:
    """One run of the trial over one held session."""

    def __init__(self, held: HeldSession, wait: float, now: Callable[[], str]) -> None:
        self.held = held
        self.wait = wait
        self.signals = 0
        self._now = now
        self._reader = ListReader(held.session, now=now)
        self._followed = 0
        self._seen: Observation | None = None

    def run(self, provoke: Provocation) -> dict[str, Any]:
        listening = self.held.wait_until_listening(self.wait)
        before = self._reader.read()
        found: dict[str, Any] = {
            "channel": self.held.channel,
            "declared": self.held.declares_changes,
            "listening": listening,
            "before": before,
        }
        if before.surface is not None:
            self._listen(CALM)
            unprovoked = self.signals
            found["provoked"] = pull(provoke, self.held, self._take)
            found["after"] = self._follow(before, unprovoked)
            found["fresh"] = self._fresh()
        return {**found, "signals": self.signals}

    def _take(self, heard: Heard) -> None:
        """Read the list at once after a signal, as a good client does; in a storm only the first times."""
        if heard.is_signal:
            self.signals += 1
            if self._followed < MAX_FOLLOWED:
                self._followed += 1
                self._seen = self._reader.read()

    def _follow(self, before: Observation, unprovoked: int) -> Observation:
        """Wait for the signal, read the list also where none comes, and return the last reading."""
        wait = self.wait if self.held.listening else min(UNHEARD, self.wait)
        deadline = Deadline(wait)
        if not self._heard_more_than(unprovoked, min(UNHEARD, wait / 2)):
            self._seen = self._reader.read()
            if not self._heard_more_than(unprovoked, deadline.remaining()):
                return self._reader.read()
        self._wait_for_another(before)
        self._listen(CALM)
        return self._seen or before

    def _wait_for_another(self, before: Observation) -> None:
        """Read the list a few times more while it is still the old one and no further signal has come."""
        deadline, signals, turn = Deadline(PATIENCE), self.signals, 0
        while self._seen is not None and _same(self._seen, before) and not deadline.expired:
            if self._heard_more_than(signals, AGAIN.delay(turn, 0.0)):
                return
            self._seen = self._reader.read()
            turn += 1

    def _fresh(self) -> Observation | None:
        """Read the list over a session of its own, where that is one with the same server."""
        if self.held.channel == "shared":
            return None
        try:
            with self.held.another() as session:
                return ListReader(session, now=self._now, label="2").read()
        except ObservationError:
            return None

    def _heard_more_than(self, signals: int, seconds: float) -> bool:
        """Listen until there have been more signals than so many, for so many seconds at most."""
        for heard in () if self.signals > signals else self.held.during(seconds):
            self._take(heard)
            if self.signals > signals:
                break
        return self.signals > signals

    def _listen(self, seconds: float) -> None:
        for heard in self.held.during(seconds):
            self._take(heard)


def _same(one: Observation, other: Observation) -> bool:
    return one.surface is not None and other.surface is not None and one.surface.digest == other.surface.digest
