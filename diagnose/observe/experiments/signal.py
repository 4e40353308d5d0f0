"""The signal trial: hold the channel, list, provoke a change, and see what the server tells and when its list shows it.

It asks only what any client may ask. What it means is decided by the rules that read recordings.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Observation
from diagnose.evidence.recording import Recording
from diagnose.freshness import Backoff
from diagnose.observe.experiments.following import Follower
from diagnose.observe.experiments.trigger import Provocation, Provoked, pull
from diagnose.observe.heard import ChannelKind
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
    hold: Callable[[], AbstractContextManager[HeldSession]],
    provoke: Provocation,
    *,
    wait: float,
    now: Callable[[], str],
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
        self._now = now
        self._client = Follower(held, now)

    def run(self, provoke: Provocation) -> dict[str, Any]:
        listening = self.held.wait_until_listening(self.wait)
        before = self._client.read()
        found: dict[str, Any] = {
            "channel": self.held.channel,
            "declared": self.held.declares_changes,
            "listening": listening,
            "before": before,
        }
        if before.surface is not None:
            self._client.listen(CALM)
            unprovoked = self._client.signals
            found["provoked"] = pull(provoke, self.held, self._client.take)
            found["after"] = self._follow(before, unprovoked)
            if self._client.signals == unprovoked and not _same(found["after"], before):
                self._provoke_again(provoke)
            found["fresh"] = self._fresh()
        return {**found, "signals": self._client.signals}

    def _follow(self, before: Observation, unprovoked: int) -> Observation:
        """Wait for the signal, read the list also where none comes, and return the last reading."""
        wait = self.wait if self.held.listening else min(UNHEARD, self.wait)
        deadline = Deadline(wait)
        if not self._client.heard_more_than(unprovoked, min(UNHEARD, wait / 2)):
            self._client.read()
            if not self._client.heard_more_than(unprovoked, deadline.remaining()):
                return self._client.read()
        self._wait_for_another(before)
        self._client.listen(CALM)
        return self._client.seen or before

    def _wait_for_another(self, before: Observation) -> None:
        """Read the list a few times more while it is still the old one and no further signal has come."""
        client = self._client
        deadline, signals, turn = Deadline(PATIENCE), client.signals, 0
        while client.seen is not None and _same(client.seen, before) and not deadline.expired:
            if client.heard_more_than(signals, AGAIN.delay(turn, 0.0)):
                return
            client.read()
            turn += 1

    def _provoke_again(self, provoke: Provocation) -> None:
        """Provoke another change: a hop that holds an event back until the next one then lets the first one go.

        A second stream is listened to from now on. What holds events back holds back the first one of that, too.
        """
        if not self.held.listening or self.held.channel == "shared":
            return
        signals = self._client.signals
        try:
            with self.held.beside("diagnose-beside"):
                self._client.listen(CALM)
                pull(provoke, self.held, self._client.take)
                self._client.heard_more_than(signals, min(UNHEARD, self.wait))
                self._client.listen(CALM)
        except ObservationError:
            return  # what the recording holds is judged all the same

    def _fresh(self) -> Observation | None:
        """Read the list over a session of its own, where that is one with the same server."""
        if self.held.channel == "shared":
            return None
        try:
            with self.held.another() as session:
                return ListReader(session, now=self._now, label="2").read()
        except ObservationError:
            return None


def _same(one: Observation, other: Observation) -> bool:
    return one.surface is not None and other.surface is not None and one.surface.digest == other.surface.digest
