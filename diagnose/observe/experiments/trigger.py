"""The command that provokes a change: run without a shell, without our settings, and no longer than it may take."""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from diagnose.errors import UsageError
from diagnose.evidence.probes import trigger_started
from diagnose.observe.heard import Heard
from diagnose.observe.held import HeldSession
from diagnose.transport.deadline import Deadline

#: Seconds between two looks whether the command has ended.
_LOOK: Final = 0.05
#: How much the command may say before it has to wait, and how much of it is kept, in bytes.
_WORDS: Final = 8_192
_LAST_WAIT: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Provoked:
    """What became of a provocation. ``exit_code`` is None where it had not ended in time and was ended then."""

    exit_code: int | None
    seconds: float
    last_words: tuple[str, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Whether it did what it should, by its own account."""
        return self.exit_code == 0


class Provocation(Protocol):
    """Changes the surface of a server from outside of its protocol."""

    @property
    def name(self) -> str:
        """What it is called in a recording."""

    def __call__(self, meanwhile: Callable[[float], object]) -> Provoked:
        """Do it; ``meanwhile`` is called with seconds over and over until it is done, and spends them otherwise."""


def pull(provoke: Provocation, held: HeldSession, heard: Callable[[Heard], None] = lambda _: None) -> Provoked:
    """Provoke while the session is listened to; both ends stand in the recording, and ``heard`` takes what happens."""
    held.recorder.action(trigger_started(provoke.name))
    provoked = provoke(lambda seconds: deque(map(heard, held.during(seconds)), maxlen=0))
    held.recorder.action(f"the trigger has ended with exit code {provoked.exit_code}")
    return provoked


class CommandTrigger:
    """A command of the user's. ``env`` without `DIAGNOSE_*` is its environment, ``limit`` its time in seconds."""

    def __init__(self, words: Sequence[str], *, env: Mapping[str, str], limit: float) -> None:
        self._words = tuple(words)
        self._env = env
        self._limit = limit

    @classmethod
    def of(cls, text: str, *, env: Mapping[str, str], limit: float) -> CommandTrigger:
        """Split a command line as a shell would, without being one. Raises `UsageError` where it holds no command."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"--trigger takes a command line, and this is none: {error}") from error
        if not words:
            raise UsageError("--trigger takes a command line, and this one is empty")
        return cls(words, env=env, limit=limit)

    @property
    def name(self) -> str:
        """The program; its arguments may hold what nobody should read."""
        return self._words[0]

    def __call__(self, meanwhile: Callable[[float], object]) -> Provoked:
        """Run the command. Raises `UsageError` where it cannot be started."""
        from diagnose.transport.group import ProcessGroup
        from diagnose.transport.pipes import Tail
        from diagnose.transport.stdio import child_environment

        deadline = Deadline(self._limit)
        try:
            group = ProcessGroup(self._words, env=child_environment(self._env), cwd=None)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "its command line holds a null character"
            raise UsageError(f"the trigger {self.name} cannot be started: {why}") from error
        try:
            group.stdin.close()
            said = [Tail(pipe, size=_WORDS) for pipe in (group.stdout, group.stderr)]
            while group.exit_code is None and not deadline.expired:
                meanwhile(_LOOK)
            code = group.exit_code
        finally:
            group.kill()
            group.wait(_LAST_WAIT)
        for tail in said:
            tail.join(_LOOK)
        lines = tuple(line for tail in said for line in tail.lines() if line.strip())
        return Provoked(exit_code=code, seconds=self._limit - deadline.remaining(), last_words=lines[-5:])
