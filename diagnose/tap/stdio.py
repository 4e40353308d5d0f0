"""A shim between a client and the stdio server that it thinks it has started.

Bytes go through as they come, in one thread a pipe, and are handed to the recorder beside. Whatever a side does to its
pipe - closes it, stops to read - the other side meets as it would without the shim; signals go on to the server, and the
shim ends as the server did.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final, Protocol

from diagnose.errors import ObservationError, UsageError
from diagnose.tap.frames import CLIENT, SERVER, STDERR

PIECE: Final = 65_536
#: Once the server has ended, whatever it started may still hold its pipes; they are read on until they are silent so long.
LINGER: Final = 2.0
#: Signals that are meant for a server when its client sends them.
_PASSED: Final = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGWINCH")
#: Those that a terminal sends to everybody in the foreground, so that the server has them already.
_OF_TERMINAL: Final = frozenset({"SIGINT", "SIGQUIT", "SIGWINCH", "SIGHUP"})


class Sink(Protocol):
    """Where copies of what passes go; none of this may wait or fail."""

    def put(self, kind: bytes, data: bytes) -> None:
        """Take a copy of bytes."""
        ...

    def fact(self, stream: int = 0, **fact: Any) -> None:
        """Take a fact."""
        ...


class StdioTap:
    """One server and the pipes between it and the client. ``streams`` are the client's stdin, stdout and stderr, as descriptors."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], streams: tuple[int, int, int] = (0, 1, 2)
    ) -> None:
        self._streams = streams
        self._moved = threading.Event()
        self._child = _spawn(command, env)

    def run(self, sink: Sink) -> int:
        """Forward until the server has ended; returns its exit code, negative for the signal that ended it."""
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        stdin, stdout, stderr = self._streams
        sink.fact(do="process", event="start", text="server started", pid=child.pid)
        with _passing_signals(child):
            self._thread(stdin, child.stdin.fileno(), sink, CLIENT)
            outward = [
                self._thread(child.stdout.fileno(), stdout, sink, SERVER),
                self._thread(child.stderr.fileno(), stderr, sink, STDERR),
            ]
            code = child.wait()
            for thread in outward:
                self._see_off(thread)
        sink.fact(do="process", event="exit", code=code, text="server ended")
        return code

    def _thread(self, source: int, target: int, sink: Sink, kind: bytes) -> threading.Thread:
        thread = threading.Thread(target=self._forward, args=(source, target, sink, kind), daemon=True)
        thread.start()
        return thread

    def _forward(self, source: int, target: int, sink: Sink, kind: bytes) -> None:
        gone = kind == CLIENT
        while piece := _read(source):
            self._moved.set()
            sink.put(kind, piece)  # first, so that no answer can stand before it; it does not wait
            if not _write(target, piece):
                gone = not gone
                break
        if kind != STDERR:
            # First as well: whatever else ends now ends because this side has left.
            sink.fact(do="closed", by="client" if gone else "server")
        if kind != STDERR:  # where the tap itself still has something to say
            _shut(target)
        _shut(source)

    def _see_off(self, thread: threading.Thread) -> None:
        """Wait until a pipe of the ended server is empty: closed by all who hold it, or silent for a while."""
        while thread.is_alive():
            self._moved.clear()
            thread.join(LINGER)
            if not self._moved.is_set():
                return


def _spawn(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    if not command or not command[0]:
        raise UsageError("no command was given to start the server with", advice="Put it after --.")
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(list(command), stdin=pipe, stdout=pipe, stderr=pipe, env=dict(env), bufsize=0)  # noqa: S603 - the server that a person named
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "its arguments hold a null character"
        raise ObservationError(
            f"the command {PurePath(command[0]).name} cannot be started: {why}",
            rule="unreachable",
            advice="Check the command after --; a path is needed for what is not on the PATH.",
        ) from error


@contextmanager
def _passing_signals(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Let signals go to the server. What a terminal sends, it has sent to the server as well."""
    at_terminal = sys.platform != "win32" and os.isatty(0)

    def handler(name: str) -> Callable[[int, object], None]:
        def handle(number: int, frame: object) -> None:
            del frame
            if not (at_terminal and name in _OF_TERMINAL):
                with contextlib.suppress(OSError):
                    child.send_signal(number)

        return handle

    numbers = {name: getattr(signal, name) for name in _PASSED if hasattr(signal, name)}
    former = {number: signal.signal(number, handler(name)) for name, number in numbers.items()}
    try:
        yield
    finally:
        for number, old in former.items():
            signal.signal(number, old)


def end_like(code: int) -> int:
    """End this process by the signal that ended the server; where that is not possible, return the code that a shell would give."""
    if code >= 0:
        return code
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        # A second core file would show the memory of the shim, not of the server.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        if -code not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return 128 - code


def _read(source: int) -> bytes:
    while True:
        try:
            return os.read(source, PIECE)
        except BlockingIOError:
            select.select([source], [], [])
        except OSError:
            return b""


def _write(target: int, data: bytes) -> bool:
    """Write all of it, however long the reader takes; False where nobody reads any more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:
            select.select([], [target], [])
        except OSError:
            return False
    return True


def _shut(descriptor: int) -> None:
    """Close a pipe for its other end to see; the number stays taken, so that nothing else can come to stand there."""
    with contextlib.suppress(OSError):
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, descriptor)
        os.close(null)
