"""The guided tour: a server and a client, a change that nobody was told of, the verdict, the triage, the restored state.

Everything in it is the real thing: a server process, a recorded session, the main job, the judge, and a snapshot in a
database; only the change is ours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diagnose.evidence.recording import Recording
from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.baseline import Baseline
from diagnose.jobs.connection import connect
from diagnose.jobs.embedded import Embedded, embedded
from diagnose.jobs.surface import Round, SurfaceRequest, observe_surface
from diagnose.jobs.target import DEMO, TargetSpec
from diagnose.judge import Diagnosis, diagnose
from diagnose.judge.checks import suited
from diagnose.judge.diagnosis import State
from diagnose.observe.held import HeldSession
from diagnose.observe.listing import ListReader
from diagnose.reference.options import ServeOptions

#: Seconds that one look may take; the whole tour is to be over in 20.
LOOK_LIMIT = 5.0
TOUR_LIMIT = 60.0
#: Seconds for which the client goes on listening behind a look: a signal may come a little late.
LISTENING = 2.2

#: A release as they happen: a tool that says more of itself, one more tool, and one fewer.
RELEASE: tuple[dict[str, Any], ...] = (
    {"describe": {"name": "pick_apples", "description": "Pick apples, at most one basket at a time."}},
    {"add": "press_cider"},
    {"remove": "ripen"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One stop of a tour: what happens, the command that a person would type, and what came of it."""

    title: str
    words: str
    command: str | None = None
    diagnosis: Diagnosis | None = None
    in_full: bool = False
    """Whether the whole report belongs here, or its answer only."""
    expected: tuple[State, str | None] = ("in-sync", None)
    """The state and the cause that the verdict has to have here."""

    trust: tuple[Mapping[str, Any], ...] = ()
    """How long answers hold, as `statesync trust` tells it."""

    @property
    def kept(self) -> bool:
        """Whether this stop showed what it promises."""
        if self.diagnosis is None:
            return True
        verdict = self.diagnosis.verdict
        return (verdict.state, verdict.cause) == self.expected


def surface_tour(around: Surroundings) -> Iterator[Stop]:
    """Give the stops as they happen. The server, and the snapshots in a folder of their own, are gone afterwards.

    Raises `UsageError` where the extra `server` is not installed.
    """
    with (
        tempfile.TemporaryDirectory(prefix="diagnose-demo-") as folder,
        embedded(ServeOptions(control=True), around.env) as server,
        connect(_spec(server), _options(TOUR_LIMIT), around) as connection,
        connection.hold() as client,
    ):
        yield Stop(
            title="A server and a client",
            words=f"The reference server runs at {server.url}. It has three tools of an orchard. A client has read them, "
            "listens for signals, and is recorded.",
        )
        past = Baseline(store=str(Path(folder) / "demo.sqlite3"), operand=None, around=around)
        yield from _Tour(server, client, past).stops()


def _spec(server: Embedded) -> TargetSpec:
    return TargetSpec(id=DEMO, kind="http", url=server.url)


def _options(deadline: float) -> ConnectOptions:
    return ConnectOptions(auth="none", timeout=LOOK_LIMIT, deadline=deadline)


class _Tour:
    """The tour past one running server and a client of it."""

    def __init__(self, server: Embedded, client: HeldSession, past: Baseline) -> None:
        self._server = server
        self._client = client
        self._past = past
        client.wait_until_listening(LOOK_LIMIT)
        self._list()

    def stops(self) -> Iterator[Stop]:
        yield Stop(
            title="The first look",
            words="Its own story is read and checked, from the build to the live list, and the list is kept as a snapshot.",
            command="diagnose surface demo --save",
            diagnosis=self._look(save=True),
        )
        for change in RELEASE:
            self._server.change(change, notify=False)
        yield Stop(
            title="A release that nobody was told of",
            words="The server now words one tool differently, has one more and one fewer. No signal was sent: a client "
            "that holds the old list goes on with it.",
        )
        yield Stop(
            title="The second look",
            words="The same command, compared with the snapshot.",
            command="diagnose surface demo",
            diagnosis=self._look(),
            in_full=True,
            expected=("stale", "surface-changed"),
        )
        yield Stop(
            title="The triage",
            words="What the server has now, laid beside what the client was sent. The client did nothing wrong.",
            command="diagnose triage demo --recording session.jsonl",
            diagnosis=self._triage(),
            in_full=True,
            expected=("broken", "server-no-signal"),
        )
        self._server.change({"restore": True})
        self._heed()
        yield Stop(
            title="The release is taken back",
            words="The old surface is served again, the server tells its subscribers so, and the client lists once more.",
            command="diagnose triage demo --recording session.jsonl",
            diagnosis=self._triage(),
        )

    def _list(self) -> None:
        """Have the client read the list, as one does that has just connected or was told of a change."""
        ListReader(self._client.session, now=self._past.around.now).read()

    def _heed(self) -> None:
        """Have the client do what a signal asks for."""
        if any(heard.is_signal for heard in self._client.during(LOOK_LIMIT)):
            self._list()

    def _look(self, *, save: bool = False) -> Diagnosis:
        """Do the main job once, as the command does it."""
        seen = self._observed()
        if save:
            self._past.save(seen)
        return diagnose(seen.bundle, checks=suited(tried=False, wire=False))

    def _triage(self) -> Diagnosis:
        """Do the main job, and lay the client's session beside it, as far as it has come."""
        bundle = self._observed().bundle
        for _ in self._client.during(LISTENING):
            pass
        self._client.recorder.action("the recording is read")
        head, *events = self._client.recorder.lines()
        # Here it stands for somebody's client: without our own id it is judged as one.
        recording = Recording.of_objects([{**head, "client": {"name": head["client"]["name"]}}, *events])
        return diagnose(replace(bundle, wire=(recording,)))

    def _observed(self) -> Round:
        request = SurfaceRequest(spec=_spec(self._server), options=_options(LOOK_LIMIT), baseline=self._past.find)
        return observe_surface(request, self._past.around)
