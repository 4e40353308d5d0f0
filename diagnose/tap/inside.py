"""An HTTP tap inside of this process, whose recording is kept in memory: for a session that we cause ourselves.

`Feed` and the recorder process are for sessions of somebody else, which must not wait for us; here nobody does.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from time import monotonic
from typing import Any

from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.evidence.redact import Redactor
from diagnose.tap.address import Address
from diagnose.tap.entries import Entries
from diagnose.tap.frames import Frame
from diagnose.tap.guard import Guard
from diagnose.tap.http import HttpTap, News
from diagnose.tap.http_record import HttpRecord
from diagnose.tap.listening import run
from diagnose.transport.origin import Origin

HOST = "127.0.0.1"
#: So many events are kept; what comes after is passed on and not kept.
MOST = 20_000
#: Seconds until it listens, and until it has ended.
PATIENCE = 10.0


class InsideTap:
    """A tap before ``server``, from `start` to `stop`. May be used from any thread."""

    def __init__(self, server: str, *, key: bytes, redactor: Redactor, header: Mapping[str, Any]) -> None:
        self.url = ""
        """What the client is to be given."""
        self._server = server
        self._lines: list[dict[str, Any]] = [
            {"schema": SCHEMA, "transport": "http", "hop": "client-server", **header},
        ]
        self.seen: Counter[str] = Counter()
        """How often each method was sent by the client, and how often a stream of each purpose was opened (`open:get`)."""
        self._moves = 0
        self._start = monotonic()
        self._news = threading.Condition()
        self._record = HttpRecord(Entries(self._put, key=key, redactor=redactor, payloads=False))
        self._halt: Callable[[], None] = _nothing
        self._ready = threading.Event()
        self._failure: OSError | None = None
        self._thread = threading.Thread(target=self._serve, name="tap", daemon=True)

    def start(self) -> None:
        """Listen on a port of its own. Raises `OSError` where nobody can."""
        self._thread.start()
        self._ready.wait(PATIENCE)
        if self._failure is not None or not self.url:
            raise self._failure or TimeoutError("the tap does not listen")

    def stop(self) -> None:
        """End every connection, and the recording."""
        self._halt()
        self._thread.join(PATIENCE)
        if self._lines[-1].get("kind") != "end":
            self.mark("stopped", kind="end", reason="stopped")

    def mark(self, text: str, **fields: Any) -> None:
        """Write down what was done beside what crosses."""
        with self._news:
            event = {"from": "tap", "kind": "action", "text": text, **fields}
            self._put(monotonic() - self._start, event)

    @property
    def lines(self) -> tuple[dict[str, Any], ...]:
        """The recording so far, header first."""
        with self._news:
            return tuple(self._lines)

    @property
    def frames(self) -> int:
        """The number of the newest frame."""
        with self._news:
            return len(self._lines)

    @property
    def recording(self) -> Recording:
        """The recording so far, read."""
        return Recording.of_objects(self.lines)

    def wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until something holds, which is looked at whenever something crosses; tell whether it does."""
        with self._news:
            return self._news.wait_for(condition, seconds)

    def quiet(self, since: float, seconds: float) -> bool:
        """Wait until no message has crossed for ``since`` seconds, at most ``seconds``; tell whether it was so.

        What keeps a stream alive is no message.
        """
        end = monotonic() + seconds
        with self._news:
            while (left := end - monotonic()) > 0:
                if not self._news.wait_for(partial(self._has_more_than, self._moves), min(since, left)):
                    return left >= since
        return False

    def _has_more_than(self, count: int) -> bool:
        return self._moves > count

    def put_all(self, news: Iterable[News]) -> None:
        """Take copies of what crosses."""
        t = monotonic() - self._start
        with self._news:
            for kind, data, number in news:
                self._record.take(Frame(kind, t, number, data))

    def _put(self, t: float, event: Mapping[str, Any]) -> None:
        message = event.get("message")
        self._moves += event["kind"] != "raw"
        if event["kind"] == "stream-open":
            self.seen[f"open:{event.get('purpose')}"] += 1
        elif event["from"] == "client" and isinstance(message, dict) and "method" in message:
            self.seen[str(message["method"])] += 1
        if len(self._lines) < MOST:
            self._lines.append({"t": round(t, 6), **event})
        self._news.notify_all()

    def _serve(self) -> None:
        try:
            run(self._tap_on, HOST, 0, self._listens, stopper=self._stopper)
        except OSError as error:
            self._failure = error
        finally:
            self._ready.set()

    def _tap_on(self, port: int) -> HttpTap:
        here = Origin(scheme="http", host=HOST, port=port)
        address = Address(server=self._server, tap=here)
        return HttpTap(address=address, guard=Guard(tap=here), sink=self, tell=lambda _: None)

    def _stopper(self, halt: Callable[[], None]) -> None:
        self._halt = halt

    def _listens(self, tap: HttpTap) -> None:
        self.url = tap.address.url
        self._ready.set()


def _nothing() -> None:
    """Do nothing: it does not listen yet."""
