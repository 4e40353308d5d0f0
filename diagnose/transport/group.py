"""A child together with everything that it starts, so that all of it can be ended.

A launcher (`npx`, `sh -c`) dies of a signal and leaves the real server behind; only its process group holds both.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

POLL = 0.01
"""Seconds between two looks at processes that we are no parent of and so cannot wait for."""


class ProcessGroup:
    """A running child, the leader of a group of its own; a Ctrl-C at the terminal does not reach it."""

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], cwd: str | os.PathLike[str] | None) -> None:
        """Start ``command`` without a shell; raises what `subprocess.Popen` raises."""
        self._popen = _start(command, env, cwd)
        self._empty = False

    @property
    def pid(self) -> int:
        """The process id of the leader, and on POSIX that of the group."""
        return self._popen.pid

    @property
    def exit_code(self) -> int | None:
        """The leader's exit code (negative: the signal that ended it), or None while it runs."""
        return self._popen.poll()

    @property
    def stdin(self) -> IO[bytes]:
        """The child's stdin, unbuffered, to write to and close."""
        assert self._popen.stdin is not None
        return self._popen.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """The child's stdout, unbuffered, to read from and close."""
        assert self._popen.stdout is not None
        return self._popen.stdout

    @property
    def stderr(self) -> IO[bytes]:
        """The child's stderr, unbuffered, to read from and close."""
        assert self._popen.stderr is not None
        return self._popen.stderr

    def wait_leader(self, seconds: float) -> int | None:
        """Wait until the leader has ended, at most ``seconds``; returns its exit code, or None if it still runs."""
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, seconds: float) -> bool:
        """Wait until leader and group have ended, at most ``seconds``; returns whether they have."""
        end = time.monotonic() + seconds
        if self.wait_leader(seconds) is None:
            return False
        while self.alive:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL)
        return True

    @property
    def alive(self) -> bool:
        """Whether any process of the group still runs."""
        if self._popen.poll() is None:
            return True
        # A group keeps its number while it has members. Once it was seen empty the number may belong to somebody else.
        self._empty = self._empty or not _has_members(self.pid)
        return not self._empty

    def terminate(self) -> None:
        """Ask every process of the group to end."""
        if self.alive:
            _terminate(self._popen)

    def kill(self) -> None:
        """End every process of the group."""
        if self.alive:
            _kill(self._popen)


if sys.platform == "win32":

    def _start(
        command: Sequence[str], env: Mapping[str, str], cwd: str | os.PathLike[str] | None
    ) -> subprocess.Popen[bytes]:
        # CreateProcess finds .exe files only, and many servers are started by a .cmd such as npx.
        program = shutil.which(command[0], path=env.get("PATH")) or command[0]
        return _popen([program, *command[1:]], env, cwd, creationflags=subprocess.CREATE_NEW_PROCESS_GROUP)

    def _has_members(_group: int) -> bool:
        # Windows keeps no account of a group whose leader has gone; taskkill finds the descendants only before that.
        return False

    def _terminate(popen: subprocess.Popen[bytes]) -> None:
        popen.send_signal(signal.CTRL_BREAK_EVENT)

    def _kill(popen: subprocess.Popen[bytes]) -> None:
        taskkill = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")
        tree = [str(taskkill), "/T", "/F", "/PID", str(popen.pid)]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(tree, capture_output=True, check=False, timeout=5)  # noqa: S603 - no part is from outside
        popen.kill()

else:

    def _start(
        command: Sequence[str], env: Mapping[str, str], cwd: str | os.PathLike[str] | None
    ) -> subprocess.Popen[bytes]:
        return _popen(list(command), env, cwd, start_new_session=True)

    def _has_members(group: int) -> bool:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return not _only_zombies(group)

    def _terminate(popen: subprocess.Popen[bytes]) -> None:
        _signal(popen.pid, signal.SIGTERM)

    def _kill(popen: subprocess.Popen[bytes]) -> None:
        _signal(popen.pid, signal.SIGKILL)

    def _signal(group: int, number: int) -> None:
        # Gone meanwhile; or, on macOS, a group of zombies, of which it says "not permitted".
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)

    def _only_zombies(group: int) -> bool:
        """Whether all that is left of ``group`` has ended and waits for its parent, which in a container may never look."""
        states = [state for state, member_of in map(_state, Path("/proc").glob("[0-9]*/stat")) if member_of == group]
        return bool(states) and all(state in {"Z", "X"} for state in states)

    def _state(stat: Path) -> tuple[str, int]:
        try:
            # proc(5): pid (name) state ppid pgrp ...; the name may hold anything, so read from its last bracket.
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            return fields[0], int(fields[2])
        except (OSError, IndexError, ValueError):
            return "", 0


def _popen(
    command: list[str], env: Mapping[str, str], cwd: str | os.PathLike[str] | None, **how: Any
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603 - starting the command that a person gave is the purpose
        command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=dict(env), cwd=cwd, **how
    )
