"""A recording read while it grows: line by line as they are written, over all its parts, until it ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from diagnose.errors import InputError
from diagnose.evidence.recording import Event, Header, RecordingReader
from diagnose.jobs.recordings import MAX_LINE, later_parts
from diagnose.store.files import reason

_PIECE = 1 << 20
#: How often a file that has grown no more is looked at for being another one by now.
_LOOKS = 5
#: So many pauses a next part may be waited for.
_PATIENCE = 20


class Tail:
    """The lines of one file as they come. A line that is not whole yet waits for its rest, up to `MAX_LINE`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None
        self._rest = b""
        self._idle = 0
        self.renewed = False
        """Whether the file is another one than before: moved away, or cut to begin anew."""

    def lines(self) -> list[bytes]:
        """Return the lines that have come since. Raises `InputError` where the file cannot be read."""
        self.renewed = False
        try:
            if self._file is None and not self._open():
                return []
            assert self._file is not None
            piece = self._file.read(_PIECE)
            if not piece:
                self._idle += 1
                if self._idle % _LOOKS == 0:
                    self._look()
                return []
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {reason(error)}") from error
        self._idle = 0
        *whole, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > MAX_LINE:
            self._rest = b""
        return whole

    def close(self) -> bytes:
        """Close the file, and return what stands behind its last line feed."""
        if self._file is not None:
            self._file.close()
            self._file = None
        return self._rest

    def _open(self) -> bool:
        with contextlib.suppress(FileNotFoundError):
            self._file = self.path.open("rb", buffering=0)
        return self._file is not None

    def _look(self) -> None:
        """See whether another file stands at the path by now, or this one was cut."""
        assert self._file is not None
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return
        here = os.fstat(self._file.fileno())
        if (there.st_ino, there.st_dev) != (here.st_ino, here.st_dev) or here.st_size < self._file.tell():
            self.close()
            self._rest, self.renewed = b"", True


class Follower:
    """The events of a recording as it grows.

    ``pause()`` waits a moment, and tells whether to go on; once it says no, what is there already is still read.
    """

    def __init__(self, path: Path, pause: Callable[[], bool], note: Callable[[str], None]) -> None:
        self._tail = Tail(path)
        self._pause = pause
        self._note = note
        self._reading: RecordingReader | None = None
        self._before = 0
        self._limit: Event | None = None
        self.source = path.name
        self._told: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be read so far, and where the frames of later parts stand."""
        return (*self._told, *(self._reading.notes if self._reading is not None else ()))

    def steps(self) -> Iterator[Header | Event | None]:
        """Yield the header, then the events; None where there is nothing new. A header again begins another recording.

        Raises `InputError` for what is no recording.
        """
        going, idle = True, 0
        while True:
            lines = self._lines()
            for line in lines:
                step = self._take(line)
                if step is not None:
                    yield step
                if isinstance(step, Event) and step.kind == "end":
                    return
            idle = 0 if lines else idle + 1
            if lines or (self._limit is not None and self._next_part()):
                continue
            yield None
            if not going or (self._limit is not None and idle > _PATIENCE):
                yield from self._last()
                return
            going = self._pause()

    def _last(self) -> Iterator[Header | Event]:
        """Yield what a line without a line feed holds, and the end at a limit after which nothing came."""
        step = self._take(self._tail.close())
        if step is not None:
            yield step
        if self._limit is not None:
            yield self._limit

    def _lines(self) -> list[bytes]:
        lines = self._tail.lines()
        if self._tail.renewed:
            self._note(f"{self._tail.path.name} begins anew")
            self._reading, self._limit, self._before = None, None, 0
        return lines

    def _take(self, line: bytes) -> Header | Event | None:
        if self._reading is None:
            if not line.strip():
                return None
            self._reading = RecordingReader([line], before=self._before)
            return self._reading.header if not self._before else None
        event = self._reading.take(line)
        if event is None or event.kind != "end" or event.reason != "limit":
            return event
        # Another part follows, as a rule.
        self._limit = event
        return None

    def _next_part(self) -> bool:
        assert self._reading is not None
        following = next(iter(later_parts(self._tail.path, self._reading.header.raw)), None)
        if following is None:
            return False
        self._before = self._reading.frame
        said = f"frames from {self._before + 1} on are lines of {following.path.name}: take {self._before} away"
        self._told += [*self._reading.notes, said]
        self._tail.close()
        self._tail, self._reading, self._limit = Tail(following.path), None, None
        return True
