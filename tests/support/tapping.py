"""An HTTP tap in a thread of the test, and the recording that its news make."""

import asyncio
import threading
import time
from contextlib import contextmanager

from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.evidence.redact import Redactor
from diagnose.tap.address import Address
from diagnose.tap.entries import Entries
from diagnose.tap.frames import Frame
from diagnose.tap.guard import Guard
from diagnose.tap.http import HttpTap
from diagnose.tap.http_record import HttpRecord
from diagnose.transport.origin import Origin

KEY = b"k" * 32


def recording_of(frames, *, record=HttpRecord, payloads=False, secrets=()):
    """Return what a recorder makes of these frames."""
    lines = []
    redactor = Redactor(secrets)
    entries = Entries(lambda t, event: lines.append({"t": t, **event}), key=KEY, redactor=redactor, payloads=payloads)
    taken = record(entries)
    for frame in frames:
        taken.take(frame)
    taken.close(frames[-1].t if frames else 0.0)
    return Recording.of_objects([{"schema": SCHEMA, "transport": "http"}, *lines])


class Sink:
    def __init__(self):
        self.frames = []

    def put_all(self, news):
        self.frames += [Frame(kind, time.monotonic(), stream, data) for kind, data, stream in news]


class Tapped:
    """A running tap: its ``url`` for clients, what it said, and what it saw."""

    def __init__(self, server, *, origins=(), trust=None, **ways):
        self.sink, self.said = Sink(), []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = None
        self._server, self._origins, self._trust, self._ways = server, origins, trust, ways
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    def _run(self):
        self._loop.run_until_complete(self._serve())

    async def _serve(self):
        taps = []

        def accept():
            return taps[0].connection()

        listener = await self._loop.create_server(accept, "127.0.0.1", 0)
        here = Origin(scheme="http", host="127.0.0.1", port=listener.sockets[0].getsockname()[1])
        address = Address(server=self._server, tap=here, **self._ways)
        guard = Guard(tap=here, origins=self._origins)
        self.tap = HttpTap(address=address, guard=guard, sink=self.sink, tell=self.said.append, trust=self._trust)
        taps.append(self.tap)
        self.url, self.port = address.url, here.port
        self._stop = asyncio.Event()
        self._ready.set()
        await self.tap.serve(listener, self._stop)

    def wait_for(self, count, timeout=10):
        """Wait until so many exchanges are over."""
        end = time.monotonic() + timeout
        while sum(b'"ended"' in f.data or b'"failed"' in f.data for f in self.sink.frames if f.kind == b"j") < count:
            assert time.monotonic() < end, [f for f in self.sink.frames if f.kind == b"j"]
            threading.Event().wait(0.005)

    def wait_until_it_spoke(self, timeout=10):
        """Wait until the tap has told a person something."""
        end = time.monotonic() + timeout
        while not self.said:
            assert time.monotonic() < end, "the tap says nothing"
            threading.Event().wait(0.005)

    def recording(self, **options):
        return recording_of(self.sink.frames, **options)

    def close(self):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._loop.close()


@contextmanager
def tapped(server, **options):
    """Run a tap before the server at this URL."""
    running = Tapped(server, **options)
    try:
        yield running
    finally:
        running.close()
