"""A stdio server as a child: bytes to it, bytes from it, and an end in good order."""

from __future__ import annotations

import atexit
import os
import shutil
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

from diagnose.errors import ObservationError, UsageError
from diagnose.transport.pipes import Inbox, Outbox, Tail

if TYPE_CHECKING:
    from diagnose.transport.deadline import Deadline
    from diagnose.transport.group import ProcessGroup

EOF: Final = b""
"""What `StdioProcess.receive` returns once the child's stdout has ended."""

MAX_UNREAD = 8 * 1024 * 1024
MAX_UNSENT = 64 * 1024 * 1024
STDERR_TAIL = 64 * 1024
GRACE = 2.0
"""Seconds that a child has after each step of its shutdown."""
LAST_WORDS = 0.25
"""Seconds to wait for the rest of stderr once the child has gone."""

Step: TypeAlias = Literal["had-exited", "stdin-closed", "terminated", "killed"]

_running: weakref.WeakSet[StdioProcess] = weakref.WeakSet()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shutdown:
    """How a child ended."""

    step: Step
    """The last step that was needed until nothing of it ran any more."""
    exit_code: int | None
    """Negative: the signal that ended it. None: it could not be ended."""
    stderr_tail: tuple[str, ...]
    left_behind: bool = False
    """Whether it ended and left processes of its group running, which then had to be ended."""


class StdioProcess:
    """A child that is spoken to over stdin and stdout. Close it, or use it as a context manager.

    ``env`` is the whole environment to start from (default: ours); `DIAGNOSE_*` is taken out of it in any case. At most
    ``max_unread`` bytes of its output wait here, then it has to wait. Raises ObservationError (`unreachable`) where the
    command cannot be started, UsageError where there is none.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        deadline: Deadline,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        max_unread: int = MAX_UNREAD,
        grace: float = GRACE,
    ) -> None:
        self._deadline = deadline
        self._grace = grace
        self._shutdown: Shutdown | None = None
        self._group = _spawn(command, child_environment(os.environ if env is None else env), cwd)
        _running.add(self)
        self._outbox = Outbox(self._group.stdin)
        self._inbox = Inbox(self._group.stdout, max_unread=max_unread)
        self._stderr = Tail(self._group.stderr, size=STDERR_TAIL)

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._group.pid

    @property
    def exit_code(self) -> int | None:
        """The child's exit code, negative for a signal; None while it runs."""
        return self._group.exit_code

    def wait(self, timeout: float) -> int | None:
        """Wait for the child to end by itself, at most ``timeout`` seconds; returns its exit code, None if it still runs."""
        return self._group.wait_leader(self._deadline.bound(timeout))

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the child, without waiting until it reads.

        Raises ObservationError: `unreachable` if it has ended or closed its stdin, `limit-exceeded` if it has left too much
        unread.
        """
        if self._shutdown is not None or self._outbox.broken or not self._group.alive:
            raise ObservationError(
                "The server has ended: nothing can be sent to it.", rule="unreachable", kind="exited"
            )
        if not self._outbox.put(data, MAX_UNSENT):
            raise ObservationError(
                f"The server leaves more than {MAX_UNSENT:,} bytes unread.", rule="limit-exceeded", limit=MAX_UNSENT
            )

    def receive(self, timeout: float) -> bytes | None:
        """Return the next bytes of stdout, `EOF` once it has ended, or None when nothing came in time.

        ``timeout`` is seconds, cut to what the deadline leaves.
        """
        return self._inbox.take(self._deadline.bound(timeout))

    def stderr_tail(self) -> tuple[str, ...]:
        """Return the last lines of stderr (64 KiB of them at most); after an exit, the very last ones too."""
        if self.exit_code is not None:
            self._stderr.join(LAST_WORDS)
        return self._stderr.lines()

    def close(self) -> Shutdown:
        """End the child and all that it started: close stdin, then terminate, then kill, with a while after each.

        Closing again returns the same. An interrupt meanwhile kills at once.
        """
        if self._shutdown is None:
            try:
                self._shutdown = self._end()
            except BaseException:
                self._group.kill()
                raise
            finally:
                _running.discard(self)
        return self._shutdown

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _end(self) -> Shutdown:
        step: Step = "stdin-closed" if self._group.alive else "had-exited"
        self._inbox.abandon()
        self._outbox.close()
        left_behind = False
        if not self._group.wait(self._patience()):
            step, left_behind = "terminated", self.exit_code is not None
            self._group.terminate()
            if not self._group.wait(self._patience()):
                step, left_behind = "killed", self.exit_code is not None
                self._group.kill()
                self._group.wait(self._patience())
        self._inbox.join(LAST_WORDS)
        return Shutdown(step=step, exit_code=self.exit_code, stderr_tail=self.stderr_tail(), left_behind=left_behind)

    def _patience(self) -> float:
        # Past the deadline a child still gets a moment: being killed may cost it more than us.
        return min(self._grace, max(self._deadline.remaining(), self._grace / 10))


def child_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return ``env`` without `DIAGNOSE_*`: our settings and credentials are no child's business."""
    return {name: value for name, value in env.items() if not name.upper().startswith("DIAGNOSE_")}


def _spawn(command: Sequence[str], env: Mapping[str, str], cwd: str | os.PathLike[str] | None) -> ProcessGroup:
    from diagnose.transport.group import ProcessGroup

    if not command or not command[0]:
        raise UsageError("No command was given to start the server with.", advice="Put it after --.")
    if cwd is not None and not Path(cwd).is_dir():
        raise ObservationError(
            f"The folder {cwd} to start the server in is not there.", rule="unreachable", kind="no-folder"
        )
    try:
        return ProcessGroup(command, env=env, cwd=cwd)
    except (OSError, ValueError) as error:
        # Only the program is named: an argument may be a secret.
        kind, why = _why_not(command[0], error)
        raise ObservationError(
            f"The command {command[0]} cannot be started: {why}.",
            rule="unreachable",
            advice="Check the command after --; a path is needed for what is not on the PATH.",
            kind=kind,
        ) from error


def _why_not(program: str, error: OSError | ValueError) -> tuple[str, str]:
    if isinstance(error, FileNotFoundError):
        if shutil.which(program) is not None:
            return "not-executable", "the interpreter that its first line names is not there"
        return "not-found", "there is no such program"
    if isinstance(error, PermissionError):
        return "not-executable", "it may not be executed"
    if isinstance(error, ValueError):
        return "not-executable", "its arguments or environment contain a null character"
    return "not-executable", error.strerror or type(error).__name__


@atexit.register
def _kill_the_rest() -> None:
    for process in list(_running):
        process._group.kill()  # noqa: SLF001 - the guard is part of this class
