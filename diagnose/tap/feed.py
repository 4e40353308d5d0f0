"""The forwarding side of the pipe to the recorder: handing over never waits, and never fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import IO, Any, Final

from diagnose.tap.frames import FACT, pack

#: So many bytes wait for a recorder that falls behind; then it gets no more, and the recording ends there.
MAX_BACKLOG: Final = 256 * 1024 * 1024
#: Seconds that the recorder has to write the rest once the session is over.
LAST_WORDS: Final = 10.0
#: So many pieces are handed over in one write.
BATCH: Final = 256

UNRECORDED: Final = "the session goes on, unrecorded"


class Feed:
    """A recorder process, and what is on its way to it.

    ``told(text)`` is called, from threads of its own, with what a person should hear: where the recording is, and why it
    ended early.
    """

    def __init__(self, settings: Mapping[str, Any], told: Callable[[str], None]) -> None:
        self._settings = settings
        self._told = told
        self._start = monotonic()
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._awake = threading.Condition(threading.Lock())
        self._closing = False
        self._deaf = False
        self._opened = threading.Event()
        self.ready = False
        """Whether the recorder has opened its file."""
        self.path: str | None = None
        """The file of the first part."""
        self._threads: list[threading.Thread] = []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The recorder's process id, once it runs."""
        return None if self._process is None else self._process.pid

    def start(self, env: Mapping[str, str]) -> None:
        """Start the recorder; what was handed over before waits for it. Never raises: without it the session goes on."""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "diagnose.tap"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(env),
                start_new_session=True,  # who ends the group of the tap must not take what it had seen along
            )
        except OSError as error:
            self._give_up(f"no recorder could be started ({error.strerror}); {UNRECORDED}")
            return
        for target in (self._write, self._listen):
            thread = threading.Thread(target=target, name="feed", daemon=True)
            thread.start()
            self._threads.append(thread)

    def put(self, kind: bytes, data: bytes, stream: int = 0) -> None:
        """Hand over bytes that have just come. Costs microseconds and waits for nobody."""
        if self._deaf:
            return
        self._hand_over([pack(kind, monotonic() - self._start, stream, data)])

    def put_all(self, news: Iterable[tuple[bytes, bytes, int]]) -> None:
        """Hand over several pieces, as kind, bytes and stream, at once."""
        if self._deaf:
            return
        t = monotonic() - self._start
        self._hand_over([pack(kind, t, stream, data) for kind, data, stream in news])

    def fact(self, stream: int = 0, **fact: Any) -> None:
        """Hand over a fact."""
        self.put(FACT, json.dumps(fact).encode(), stream)

    def wait_until_open(self, timeout: float) -> bool:
        """Wait until the recorder has opened its file, or cannot; tell which."""
        self._opened.wait(timeout)
        return self.ready

    def close(self, reason: str = "closed") -> None:
        """End the recording, and wait until it is written."""
        self.fact(do="end", reason=reason)
        with self._awake:
            self._closing = True
            self._awake.notify()
        for thread in self._threads:
            thread.join(LAST_WORDS)

    def _hand_over(self, pieces: list[bytes]) -> None:
        if not pieces:
            return
        with self._awake:
            if self._size > MAX_BACKLOG:
                self._closing = self._deaf = True
                pieces = [pack(FACT, monotonic() - self._start, 0, b'{"do":"end","reason":"limit"}')]
            self._pieces.extend(pieces)
            self._size += sum(map(len, pieces))
            self._awake.notify()

    def _write(self) -> None:
        pipe = _open(self._process.stdin if self._process else None)
        try:
            _write_all(pipe.fileno(), json.dumps(self._settings).encode() + b"\n")
            while pieces := self._next():
                _write_all(pipe.fileno(), b"".join(pieces))
            pipe.close()
        except OSError:
            self._give_up(f"the recorder has ended; {UNRECORDED}")

    def _next(self) -> list[bytes]:
        with self._awake:
            while not self._pieces and not self._closing:
                self._awake.wait()
            pieces = [self._pieces.popleft() for _ in range(min(BATCH, len(self._pieces)))]
            self._size -= sum(map(len, pieces))
            return pieces

    def _listen(self) -> None:
        """Pass on what the recorder says, one JSON object a line."""
        for line in _open(self._process.stdout if self._process else None):
            said = json.loads(line)
            self.ready, self.path = self.ready or "open" in said, self.path or said.get("open")
            self._opened.set()
            self._told(self._place(said["open"]) if "open" in said else said.get("problem") or "")
        self._opened.set()
        if self._process is not None and self._process.wait() and not self._deaf:
            self._give_up(f"the recorder has ended; {UNRECORDED}")

    def _place(self, path: str) -> str:
        """Return where it records, and why that is not the file that was asked for, if it is not."""
        wanted = str(self._settings["path"])
        kept = "" if path == wanted else f"; {Path(wanted).name} is there already, and is kept"
        return f"recording to {path}{kept}"

    def _give_up(self, why: str) -> None:
        with self._awake:
            was, self._deaf, self._closing = self._deaf, True, True
            self._pieces.clear()
            self._awake.notify()
        self._opened.set()
        if not was:
            self._told(why)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe
