"""The stream trial: whether there is a channel for signals at all, what comes on it while nothing happens.

The list is read before and after, so that a signal for nothing can be told, and one that was caused by the reading.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from diagnose.evidence.recording import Recording
from diagnose.observe.experiments.following import Follower
from diagnose.observe.heard import ChannelKind, Heard
from diagnose.observe.held import HeldSession
from diagnose.transport.deadline import Deadline

#: Seconds for which a session that was held long enough is still listened to, and, where a signal came, for which it is
#: followed.
LOOK: Final = 0.3
FOLLOWED: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTrial:
    """What came of holding the channel for ``seconds`` without doing anything.

    ``opened``: whether signals could be heard at all. ``refused`` says in words why not, and ``status`` is the HTTP status
    of that refusal. ``losses`` counts how often the channel ended, ``alive`` whether anything at all came on it
    meanwhile (a comment, an event) after it was opened; None where the channel is no stream of its own.
    """

    recording: Recording
    channel: ChannelKind
    declared: bool
    seconds: float
    opened: bool
    refused: str | None = None
    status: int | None = None
    losses: int = 0
    alive: bool | None = None


class Quiet:
    """A session that is held without doing anything, from now on; what else is done meanwhile is done elsewhere.

    The server has ``wait`` seconds to open the channel. Raises `CredentialRefusedError` where the list is refused for its
    credential.
    """

    def __init__(self, held: HeldSession, *, seconds: float, now: Callable[[], str], wait: float = 10.0) -> None:
        self.held = held
        self._seconds = seconds
        self._opened = held.wait_until_listening(wait)
        self._follower = Follower(held, now)
        self._heard: list[Heard] = []
        self._first = self._follower.read() if self._opened else None
        self._until = Deadline(seconds)

    def finish(self) -> StreamTrial:
        """Hold it for as long as is left, follow what was told, and read the list again. Raises as the beginning."""
        self._take(max(self._until.remaining(), min(LOOK, self._seconds)) if self._opened else 0.0)
        if self._follower.signals and self._until.expired:
            self._take(FOLLOWED)
        if self._first is not None and self._first.surface is not None and self.held.lost is None:
            self._follower.read()
        recording = self.held.recorder.recording()
        absent = next((each for each in self._heard if each.kind == "absent"), None)
        return StreamTrial(
            recording=recording,
            channel=self.held.channel,
            declared=self.held.declares_changes,
            seconds=self._seconds,
            opened=self._opened,
            refused=None if absent is None else absent.why,
            status=None if absent is None else absent.status,
            losses=sum(each.kind in {"closed", "gone"} for each in self._heard),
            alive=_alive(recording) if self._opened and self.held.channel != "shared" else None,
        )

    def _take(self, seconds: float) -> None:
        for each in self.held.during(seconds):
            self._heard.append(each)
            self._follower.take(each)


def stream_trial(
    hold: Callable[[], AbstractContextManager[HeldSession]],
    *,
    seconds: float,
    now: Callable[[], str],
    wait: float = 10.0,
) -> StreamTrial:
    """Open the channel, for which the server has ``wait`` seconds, and hold it quietly for ``seconds``.

    Raises what opening a session raises, and what `Quiet` raises.
    """
    with hold() as held:
        return Quiet(held, seconds=seconds, now=now, wait=wait).finish()


def _alive(recording: Recording) -> bool:
    """Tell whether anything came on the last stream that was held, apart from what opened it."""
    streams = [
        event for event in recording.events if event.kind == "stream-open" and event.purpose in {"get", "listen"}
    ]
    came = [event for event in recording.events if event.channel == streams[-1].channel and event.sender == "server"]
    acknowledged = streams[-1].purpose == "listen"
    quiet_kinds = [event for event in came if event.kind in {"raw", "message"}]
    return len(quiet_kinds) > acknowledged
