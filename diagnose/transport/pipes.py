"""Threads that keep the pipes of a child moving, so that neither side can block the other for ever."""

from __future__ import annotations

import threading
from collections import deque
from typing import IO

CHUNK = 64 * 1024


class Inbox:
    """Bytes read from a pipe by a thread of its own, at most ``max_unread`` (and one chunk) ahead of who takes them.

    When that much is unread the thread stops reading, and the child, its pipe full, has to wait.
    """

    def __init__(self, pipe: IO[bytes], *, max_unread: int) -> None:
        self._pipe = pipe
        self._max_unread = max_unread
        self._chunks: deque[bytes] = deque()
        self._unread = 0
        self._ended = False
        self._abandoned = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._pump, name="stdout", daemon=True)
        self._thread.start()

    def take(self, timeout: float) -> bytes | None:
        """Return the next bytes, `b""` once the pipe has ended, or None when nothing came for ``timeout`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self._ended, timeout)
            if self._chunks:
                chunk = self._chunks.popleft()
                self._unread -= len(chunk)
                self._changed.notify_all()
                return chunk
            return b"" if self._ended else None

    def abandon(self) -> None:
        """Throw away what comes from now on: nobody will take it, and the child must not wait for that."""
        with self._changed:
            self._abandoned = True
            self._chunks.clear()
            self._unread = 0
            self._changed.notify_all()

    def join(self, timeout: float) -> None:
        """Wait until the pipe has ended, at most ``timeout`` seconds."""
        self._thread.join(timeout)

    def _pump(self) -> None:
        while chunk := _read(self._pipe):
            with self._changed:
                self._changed.wait_for(lambda: self._abandoned or self._unread <= self._max_unread)
                if not self._abandoned:
                    self._chunks.append(chunk)
                    self._unread += len(chunk)
                    self._changed.notify_all()
        self._pipe.close()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


class Tail:
    """The last ``size`` bytes of a pipe, the rest read and forgotten."""

    def __init__(self, pipe: IO[bytes], *, size: int) -> None:
        self._pipe = pipe
        self._size = size
        self._kept = bytearray()
        self._total = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._drain, name="stderr", daemon=True)
        self._thread.start()

    def lines(self) -> tuple[str, ...]:
        """Return the kept lines, oldest first; a line that was cut at its start begins with an ellipsis."""
        with self._lock:
            text, cut = self._kept.decode("utf-8", "replace"), self._total > len(self._kept)
        lines = text.replace("\r\n", "\n").split("\n")
        if cut:
            lines[0] = f"…{lines[0]}"
        return tuple(lines[:-1] if lines[-1] == "" else lines)

    def join(self, timeout: float) -> None:
        """Wait until the pipe has ended, at most ``timeout`` seconds."""
        self._thread.join(timeout)

    def _drain(self) -> None:
        while chunk := _read(self._pipe):
            with self._lock:
                self._total += len(chunk)
                self._kept += chunk
                del self._kept[: -self._size]
        self._pipe.close()


class Outbox:
    """Bytes written to a pipe by a thread of its own, so that a child that does not read cannot block its caller."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._chunks: deque[bytes] = deque()
        self._unsent = 0
        self._closing = False
        self._broken = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._pump, name="stdin", daemon=True)
        self._thread.start()

    @property
    def broken(self) -> bool:
        """Whether the child has closed its end, so that nothing more can be sent."""
        return self._broken

    def put(self, data: bytes, limit: int) -> bool:
        """Take ``data`` for sending; returns False, and takes nothing, where more than ``limit`` bytes would wait."""
        with self._changed:
            if self._unsent + len(data) > limit:
                return False
            self._chunks.append(data)
            self._unsent += len(data)
            self._changed.notify_all()
            return True

    def close(self) -> None:
        """Close the pipe as soon as what was taken has been written."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def join(self, timeout: float) -> None:
        """Wait until the pipe is closed, at most ``timeout`` seconds."""
        self._thread.join(timeout)

    def _pump(self) -> None:
        while (data := self._next()) is not None:
            try:
                _write_all(self._pipe, data)
            except OSError:
                self._broken = True
                break
            with self._changed:
                self._unsent -= len(data)
        self._pipe.close()

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self._closing)
            return self._chunks.popleft() if self._chunks else None


def _read(pipe: IO[bytes]) -> bytes:
    try:
        return pipe.read(CHUNK) or b""
    except OSError:
        return b""  # a pipe that cannot be read has ended


def _write_all(pipe: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[pipe.write(view[:CHUNK]) :]
