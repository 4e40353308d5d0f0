"""A child's pipes with a recorder in between: every line is kept at the moment at which it arrives.

A thread reads ahead, so that a line has its own time also while nobody waits for one.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from typing import Final

from diagnose.observe.ports import ProcessPort
from diagnose.observe.recorder import Recorder, Sender, json_value
from diagnose.transport.stdio import EOF, Shutdown
from diagnose.wire.framing import Line, LineFramer
from diagnose.wire.message import MAX_MESSAGE

CHANNEL: Final = "stdio"
#: So often, in seconds, the thread looks whether it is still wanted.
LOOK: Final = 0.2
#: So many pieces of output wait for their reader; then the child has to wait.
AHEAD: Final = 256


class RecordedProcess:
    """A child, everything of which is recorded. What it does is what the child does."""

    def __init__(self, process: ProcessPort, recorder: Recorder) -> None:
        self._process = process
        self._recorder = recorder
        self._framer = LineFramer()
        self._chunks: queue.Queue[bytes] = queue.Queue(AHEAD)
        self._closing = threading.Event()
        self._gone = False
        self._parting = threading.Lock()
        self._parted = False
        recorder.add("tap", "process", event="start", text="server started")
        self._thread = threading.Thread(target=self._pump, name="recorded stdout", daemon=True)
        self._thread.start()

    @property
    def exit_code(self) -> int | None:
        """The child's exit code; None while it runs."""
        return self._process.exit_code

    def wait(self, timeout: float) -> int | None:
        """Wait for the child to end by itself, at most ``timeout`` seconds; return its exit code, None if it still runs."""
        return self._process.wait(timeout)

    def send(self, data: bytes) -> None:
        """Hand ``data``, one line, to the child."""
        self._line("client", data)  # first, so that no answer can stand before it
        self._process.send(data)

    def receive(self, timeout: float) -> bytes | None:
        """Return the next bytes of its output, `EOF` once that has ended, None when nothing came in time."""
        if self._gone:
            return EOF
        try:
            chunk = self._chunks.get(timeout=max(timeout, 0))
        except queue.Empty:
            return None
        self._gone = chunk == EOF
        return chunk

    def stderr_tail(self) -> Sequence[str]:
        """Return the last lines of its stderr."""
        return self._process.stderr_tail()

    def close(self) -> Shutdown:
        """End the child. Whatever it says of that, and its end, come after ours."""
        if self._process.exit_code is None:
            self._left("client")
        self._closing.set()
        shutdown = self._process.close()
        self._thread.join(LOOK * 2)
        self._recorder.add("tap", "process", event="exit", code=shutdown.exit_code, text="server ended")
        return shutdown

    def _pump(self) -> None:
        while not self._closing.is_set():
            since = self._recorder.elapsed
            chunk = self._process.receive(LOOK)
            if chunk is None:
                # Past its deadline the process waits for nothing any more, and this must not spin.
                self._closing.wait(max(0.0, LOOK - (self._recorder.elapsed - since)))
                continue
            for line in self._framer.close() if chunk == EOF else self._framer.feed(chunk):
                self._received(line)
            if chunk == EOF:
                self._left("server")
            self._offer(chunk)
            if chunk == EOF:
                return

    def _offer(self, chunk: bytes) -> None:
        while not self._closing.is_set():
            try:
                self._chunks.put(chunk, timeout=LOOK)
            except queue.Full:
                continue
            return

    def _received(self, line: Line) -> None:
        if any(oddity.kind == "crlf" for oddity in line.oddities):
            # A reader of frames has to see what ended the line: some readers die of it.
            self._recorder.raw("server", line.data + b"\r\n", limit=MAX_MESSAGE, channel=CHANNEL)
        elif line.data:
            self._line("server", line.data)

    def _left(self, by: Sender) -> None:
        """Keep who was the first to close a pipe: a stream that ends after that was ended by them."""
        with self._parting:
            first, self._parted = not self._parted, True
        if first:
            self._recorder.add(by, "stream-close", channel=CHANNEL, by=by, clean=by == "client")

    def _line(self, sender: Sender, data: bytes) -> None:
        message = json_value(data)
        if message is None:
            self._recorder.raw(sender, data, channel=CHANNEL)
        else:
            self._recorder.add(sender, "message", channel=CHANNEL, size=len(data), message=message)
