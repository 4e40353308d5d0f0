"""One client before one reference server, with a tap between them, and what a play can do there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from diagnose.errors import ObservationError
from diagnose.jobs.embedded import Embedded, embedded
from diagnose.judge.bench.trial import ASKED, CHANGED, FORGOT, HELD, LEFT, Held, Trial
from diagnose.judge.timeline import read
from diagnose.observe.bench import BenchClient, Plan
from diagnose.reference.orchard import orchard
from diagnose.reference.scenes import FORGET
from diagnose.tap.inside import InsideTap
from diagnose.transport.deadline import Deadline

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.benching.plays import Play

#: So long nothing crosses once a client has done what it does, in seconds; and so long that is waited for.
QUIET = 0.8
SETTLED = 4.0
#: Seconds between two looks at whether the client still runs.
LOOK = 0.2
#: Seconds that a client may take to list or to say what it holds, and that a trial may last beside what the limits allow.
WORD = 20.0
LONGEST = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds that a client has to start and list for the first time, and to react to what happens."""

    start: float = 30.0
    reaction: float = 10.0

    @property
    def whole(self) -> float:
        """How long one trial may last: more than any play needs."""
        return self.start + 6 * self.reaction + LONGEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all trials of one bench share. ``key`` is that of the recordings' fingerprints."""

    plan: Plan
    limits: Limits
    env: Mapping[str, str]
    redactor: Redactor
    key: bytes
    now: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A trial that was made: its recording, line by line, and what is known of the client from it."""

    trial: Trial
    lines: tuple[Mapping[str, Any], ...]
    seconds: float
    version: str | None = None
    last_words: str = ""
    """The end of what the client said on stderr."""


@dataclass(slots=True, kw_only=True)
class Stage:
    """What a play can do: wait for the client, do something to the server, and ask the client."""

    tap: InsideTap
    server: Embedded
    client: BenchClient
    limits: Limits
    held: list[Held] = field(default_factory=list)

    def listed(self) -> None:
        """Wait until the client has connected and listed, and rests."""
        self._until(lambda: self.tap.seen["tools/list"] > 0, self.limits.start)
        self.client.wait_until_listed(SETTLED)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing crosses any more; note when the client has ended by itself."""
        self.tap.quiet(QUIET, SETTLED)
        if self.client.ended and self.tap.seen[LEFT] == 0:
            self.tap.seen[LEFT] += 1
            self.tap.mark(LEFT)

    def change(self, *, notify: bool = True) -> None:
        """Let the server have one tool more, and tell of it or not, unless the client has ended."""
        if self.client.ended:
            return
        self.tap.mark(CHANGED)
        self.server.change({"add": "press_cider"}, notify=notify)

    def forget(self) -> None:
        """Let the server forget its sessions, unless the client has ended."""
        if self.client.ended:
            return
        self.tap.mark(FORGOT)
        self.server.change(FORGET)

    def reaction(self, method: str = "tools/list") -> None:
        """Wait until the client asks for something once more, as long as it has for that."""
        before = self.tap.seen[method]
        self._until(lambda: self.tap.seen[method] > before, self.limits.reaction)
        self.settle()

    def rest(self, seconds: float) -> None:
        """Let time pass."""
        self._until(lambda: False, seconds)

    def ask(self) -> None:
        """Have the client list as its user would, where it can be asked to."""
        if self.client.asks and not self.client.ended:
            self.tap.mark(ASKED)
            self._took(self.client.ask("list", WORD))
            self.settle()

    def look(self) -> None:
        """Ask the client what it holds, where it can be asked."""
        self.tap.mark(HELD)
        self._took(self.client.ask("held", WORD))

    def _took(self, names: tuple[str, ...] | None) -> None:
        if names is not None:
            self.held.append(Held(after=self.tap.frames, names=names))

    def _until(self, condition: Callable[[], bool], seconds: float) -> None:
        """Wait until something holds, or the client has ended, or the time is over."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0 and not self.client.ended:
            if self.tap.wait(condition, min(LOOK, left)):
                return


def play(name: str, what: Play, setting: Setting) -> Played:
    """Make one trial. Raises `ObservationError` where the client cannot be started, `UsageError` without the extra."""
    start = monotonic()
    with embedded(what.options, setting.env) as server, _tapped(server.url, setting) as tap:
        client = None
        held: list[Held] = []
        try:
            with (
                TemporaryDirectory(prefix="diagnose-bench-", ignore_cleanup_errors=True) as home,
                BenchClient(
                    setting.plan, tap.url, Path(home), env=setting.env, deadline=Deadline(setting.limits.whole)
                ) as client,
            ):
                what.act(Stage(tap=tap, server=server, client=client, limits=setting.limits, held=held))
                version = client.version
        except ObservationError:
            if client is None:
                raise
            version = None
        tap.stop()
    assert client is not None
    trial = Trial(
        name=name,
        timeline=read(tap.recording, name),
        names=tuple(tool["name"] for tool in orchard()),
        held=tuple(held),
        asks=client.asks,
    )
    words = " ".join(client.last_words[-2:])
    return Played(trial=trial, lines=tap.lines, seconds=monotonic() - start, version=version, last_words=words)


@contextmanager
def _tapped(url: str, setting: Setting) -> Iterator[InsideTap]:
    header = {"startedAt": setting.now(), "client": {}, "target": {"transport": "http", "endpoint": "reference server"}}
    tap = InsideTap(url, key=setting.key, redactor=setting.redactor, header=header)
    tap.start()
    try:
        yield tap
    finally:
        tap.stop()
