"""The stream trial: whether there is a channel for signals at all, what comes on it while nothing happens.

The list is read before and after, so that a signal for nothing can be told, and one that was caused by the reading.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from diagnose.evidence.recording import Recording
from diagnose.observe.experiments.following import Follower
from diagnose.observe.heard import ChannelKind, Heard
from diagnose.observe.held import HeldSession


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


def stream_trial(
    hold: Callable[[], AbstractContextManager[HeldSession]],
    *,
    seconds: float,
    now: Callable[[], str],
    wait: float = 10.0,
) -> StreamTrial:
    """Open the channel, for which the server has ``wait`` seconds, and hold it quietly for ``seconds``.

    Raises what opening a session raises, and `CredentialRefusedError` where the list is refused for its credential.
    """
    with hold() as held:
        opened = held.wait_until_listening(wait)
        follower, heard = Follower(held, now), list[Heard]()
        first = follower.read() if opened else None
        for each in held.during(seconds if opened else 0.0):
            heard.append(each)
            follower.take(each)
        if first is not None and first.surface is not None and held.lost is None:
            follower.read()
        channel, declared = held.channel, held.declares_changes
    recording = held.recorder.recording()
    absent = next((each for each in heard if each.kind == "absent"), None)
    return StreamTrial(
        recording=recording,
        channel=channel,
        declared=declared,
        seconds=seconds,
        opened=opened,
        refused=None if absent is None else absent.why,
        status=None if absent is None else absent.status,
        losses=sum(each.kind in {"closed", "gone"} for each in heard),
        alive=_alive(recording) if opened and channel != "shared" else None,
    )


def _alive(recording: Recording) -> bool:
    """Tell whether anything came on the last stream that was held, apart from what opened it."""
    streams = [
        event for event in recording.events if event.kind == "stream-open" and event.purpose in {"get", "listen"}
    ]
    came = [event for event in recording.events if event.channel == streams[-1].channel and event.sender == "server"]
    acknowledged = streams[-1].purpose == "listen"
    quiet_kinds = [event for event in came if event.kind in {"raw", "message"}]
    return len(quiet_kinds) > acknowledged
