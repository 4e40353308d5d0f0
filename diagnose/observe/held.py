"""A session that also listens: whatever a server tells of changes is heard, whenever it tells it, and every silence is known.

A legacy server is heard on a GET stream, a modern one on a subscription, a command on its output. A channel that ends is
opened again with back-off; that it had ended is told, since what was sent meanwhile was sent to nobody.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

from diagnose.errors import ObservationError
from diagnose.observe.channel import ChannelEndedError
from diagnose.observe.ears import Ear, EarSettings, SharedEar, StreamEar
from diagnose.observe.heard import ChannelKind, Heard
from diagnose.observe.recorder import Recorder
from diagnose.observe.session import Session, open_http, open_stdio
from diagnose.transport.deadline import Deadline
from diagnose.wire.subscription import TOOLS_FILTER, RequestId, declares_changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diagnose.observe.handshake import EraChoice
    from diagnose.observe.ports import HttpPort

_NOT_FOUND: Final = 404


class HeldSession:
    """A session and its channel for signals. Use it in one thread, and close it; `hold_http` and `hold_stdio` make one.

    A session that the server has forgotten is an error here, and `renew` begins another one.
    """

    def __init__(
        self,
        open_session: Callable[[], Session],
        recorder: Recorder,
        *,
        http: HttpPort | None = None,
        url: str = "",
        notifications: Mapping[str, Any] = TOOLS_FILTER,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.recorder = recorder
        self._open_session = open_session
        self._http = http
        self._url = url
        self._heard: deque[Heard] = deque()
        self._settings = EarSettings(
            notifications=notifications, tell=self._heard.append, clock=lambda: recorder.elapsed, chance=chance
        )
        self._ear = self._open()

    @property
    def session(self) -> Session:
        """The session, for requests."""
        return self._ear.session

    @property
    def channel(self) -> ChannelKind:
        """What signals come on, if they come."""
        return self._ear.kind

    @property
    def listening(self) -> bool:
        """Whether signals can be heard now."""
        return self._ear.listening

    @property
    def granted(self) -> Mapping[str, Any] | None:
        """What a modern server has agreed to tell of; None before it has agreed to anything."""
        return self._ear.granted

    @property
    def lost(self) -> str | None:
        """Why the session has ended; None while it goes on."""
        return self._ear.lost

    @property
    def declares_changes(self) -> bool:
        """Whether the server promises to tell of changes of its tool list."""
        return declares_changes(self.session.capabilities)

    def wait(self, seconds: float) -> Heard | None:
        """Return the next thing that happens within so many seconds; None when nothing does."""
        deadline = Deadline(seconds)
        while not self._heard:
            self._ear.take(deadline)
            if not self._heard and deadline.expired:
                return None
        return self._heard.popleft()

    def during(self, seconds: float) -> Iterator[Heard]:
        """Yield what happens within so many seconds, and end when they are over."""
        deadline = Deadline(seconds)
        while (heard := self.wait(deadline.remaining())) is not None:
            yield heard

    def wait_until_listening(self, seconds: float) -> bool:
        """Wait until signals can be heard; return whether they can. What is heard meanwhile is not lost."""
        kept: list[Heard] = []
        for heard in () if self.listening else self.during(seconds):
            kept.append(heard)
            if self.listening or heard.kind in {"absent", "gone"}:
                break
        self._heard.extendleft(reversed(kept))
        return self.listening

    def is_lost(self, error: ObservationError) -> bool:
        """Tell whether a request failed because the session has ended, and take note of it."""
        forgotten = error.args_by_name.get("status") == _NOT_FOUND and self.session.session_id is not None
        if forgotten or isinstance(error, ChannelEndedError) or error.args_by_name.get("kind") == "exited":
            self._ear.gone(str(error))
        return self.lost is not None

    def another(self) -> Session:
        """Open a second session with the same server, recorded beside this one; closing it is the caller's."""
        return self._open_session()

    @contextmanager
    def beside(self, name: str) -> Iterator[None]:
        """Listen for the same once more over HTTP for the length of the block, and keep what comes of it.

        In the modern era that is a subscription of that ``name``, before it a second session. Raises what opening one raises.
        """
        wanted = self._settings.notifications
        if self.session.era == "modern":
            with self.subscription(name, wanted):
                yield
            return
        other = HeldSession(self._open_session, self.recorder, http=self._http, url=self._url, notifications=wanted)
        try:
            yield
        finally:
            other._shut()  # `close` would end the recording as well

    def subscription(self, request_id: RequestId, notifications: Mapping[str, Any]) -> AbstractContextManager[None]:
        """Open a subscription beside the session's own, for the length of the block; see `Ear.subscription`."""
        return self._ear.subscription(request_id, notifications)

    def renew(self) -> None:
        """Begin a new session in the place of this one. Raises what opening a session raises."""
        self._shut()
        self._ear = self._open()

    def close(self) -> None:
        """Leave the channel and end the session."""
        self._shut()
        self.recorder.end("closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Ear:
        session = self._open_session()
        session.end_when_lost()
        ear: Ear
        if session.dialogue.channel.unasked:
            ear = SharedEar(session, self._settings)
        else:
            assert self._http is not None
            ear = StreamEar(session, self._settings, self._http, self._url)
        ear.open()
        return ear

    def _shut(self) -> None:
        self._ear.close()
        self.session.close()


def hold_http(
    http: HttpPort,
    url: str,
    *,
    recorder: Recorder,
    era: EraChoice = "auto",
    timeout: float = 10.0,
    notifications: Mapping[str, Any] = TOOLS_FILTER,
) -> HeldSession:
    """Open a session with an MCP endpoint and hold it. Raises what `open_http` raises."""
    from diagnose.observe.recorded_http import RecordedHttp

    recorded = RecordedHttp(http, recorder)
    return HeldSession(
        lambda: open_http(recorded, url, era=era, timeout=timeout),
        recorder,
        http=recorded,
        url=url,
        notifications=notifications,
    )


def hold_stdio(
    command: Sequence[str],
    *,
    recorder: Recorder,
    deadline: Deadline,
    era: EraChoice = "auto",
    timeout: float = 10.0,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    notifications: Mapping[str, Any] = TOOLS_FILTER,
) -> HeldSession:
    """Start a command, open a session with it and hold it. Raises what `open_stdio` raises."""
    return HeldSession(
        lambda: open_stdio(command, era=era, timeout=timeout, deadline=deadline, cwd=cwd, env=env, recorder=recorder),
        recorder,
        notifications=notifications,
    )
