"""The client bench: a real client is put before the reference server, once for each trial, and measured by the frames."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.clients import client
from diagnose.errors import UsageError
from diagnose.jobs.benching.plays import PLAYS
from diagnose.jobs.benching.stage import Limits, Played, Setting, play
from diagnose.jobs.tap import recording_key
from diagnose.judge.bench import MEASURES, Measurement, measured
from diagnose.observe.bench import RUNNERS, plan_for
from diagnose.store.files import write_whole

if TYPE_CHECKING:
    from diagnose.jobs.access import Surroundings
    from diagnose.observe.bench import Plan
    from diagnose.observe.bench.runners import Era


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRequest:
    """Which client, in which trials, and how long each may take.

    ``runner`` is a built-in one, ``command`` the client's own words; ``folder`` a Python environment or npm prefix that
    holds the client. ``lines`` says that the command speaks the bench's lines.
    """

    runner: str | None = None
    command: tuple[str, ...] = ()
    folder: str | None = None
    era: Era = "default"
    lines: bool = False
    client: str | None = None
    version: str | None = None
    only: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    recordings: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchedClient:
    """Who was measured: the id of the playbook, what it calls itself on the wire, its version."""

    id: str | None
    name: str | None
    version: str | None
    runner: str | None
    era: str
    """What it was told; `default` where it chose by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What came of it."""

    at: str
    client: BenchedClient
    measurements: tuple[Measurement, ...]
    played: tuple[tuple[str, Played], ...]
    recordings: str | None = None

    @property
    def exit_code(self) -> int:
        """3 where nothing was shown at all."""
        return 0 if any(each.answer != "not-shown" for each in self.measurements) else 3

    @property
    def connected(self) -> bool:
        """Whether the client reached the server in any trial."""
        return any(played.trial.sessions for _, played in self.played)


def bench(request: BenchRequest, around: Surroundings) -> Bench:
    """Make the trials one after the other, as long as the client reaches the server, and measure.

    Raises `UsageError` for a runner, a trial or a folder that there is not, `ObservationError` where the client cannot be
    started.
    """
    plan = _plan(request)
    names = _trials(request.only)
    if request.recordings is not None and not Path(request.recordings).is_dir():
        raise UsageError(f"--recordings {request.recordings} is no folder", advice="Make it first.")
    at = around.now()
    setting = Setting(
        plan=plan,
        limits=request.limits,
        env=around.env,
        redactor=around.redactor,
        key=secrets.token_bytes(32) if request.recordings is None else recording_key(around.env, around.note),
        now=around.now,
    )
    played = []
    for number, name in enumerate(names, start=1):
        around.note(f"{number}/{len(names)} {name}: {PLAYS[name].does}")
        made = play(name, PLAYS[name], setting)
        played.append((name, made))
        if request.recordings is not None:
            _keep(Path(request.recordings), name, made)
        if not made.trial.sessions:
            around.note("it did not reach the server, and no further trial is made")
            break
    return Bench(
        at=at,
        client=_who(request, [made for _, made in played]),
        measurements=measured(made.trial for _, made in played),
        played=tuple(played),
        recordings=request.recordings,
    )


def _plan(request: BenchRequest) -> Plan:
    plan = plan_for(request.runner, request.command, folder=request.folder, era=request.era, lines=request.lines)
    if request.runner is None and request.era != "default":
        raise UsageError("--era is for built-in runners", advice="Tell the client's own command what it is to speak.")
    return plan


def _trials(only: Sequence[str]) -> list[str]:
    """Return the trials to make, in their order. Raises `UsageError` for one that there is not."""
    known = {**dict.fromkeys(PLAYS), **dict.fromkeys(MEASURES)}
    unknown = next((name for name in only if name not in known), None)
    if unknown is not None:
        raise UsageError(
            f"--only takes the name of a measurement, not {unknown!r}", advice=f"There are {', '.join(MEASURES)}."
        )
    wanted = {MEASURES[name].trial if name in MEASURES else name for name in only}
    return [name for name in PLAYS if not only or name in wanted]


def _who(request: BenchRequest, played: Sequence[Played]) -> BenchedClient:
    sessions = [session for made in played for session in made.trial.sessions]
    name = next((session.client for session in sessions if session.client), None)
    told = next((session.client_version for session in sessions if session.client_version), None)
    said = next((made.version for made in played if made.version), None)
    runner = RUNNERS.get(request.runner or "")
    entry = client(request.client or (runner.client if runner is not None else name))
    return BenchedClient(
        id=entry.id if entry is not None else request.client,
        name=name,
        version=request.version or said or told,
        runner=request.runner,
        era=request.era,
    )


def _keep(folder: Path, name: str, made: Played) -> None:
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in made.lines)
    write_whole(str(folder / f"{name}.jsonl"), lines.encode("utf-8", "backslashreplace"))
