"""Snapshots: taking one of a live server, and the age at which old ones may go."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from diagnose.errors import InputError, UsageError
from diagnose.store.record import NO_PRINCIPAL
from diagnose.store.snapshot import Snapshot
from diagnose.store.snapshots import SnapshotStore

if TYPE_CHECKING:
    from pathlib import Path

    from diagnose.jobs.access import ConnectOptions, Surroundings
    from diagnose.jobs.target import TargetSpec

_AGE = re.compile(r"(?P<count>[0-9]{1,6})(?P<unit>[smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def take_snapshot(spec: TargetSpec, options: ConnectOptions, around: Surroundings, place: Path) -> Snapshot:
    """Read a server's whole list and store it.

    Raises `ObservationError` where the list could not be read to its end, `StoreError` where it could not be stored.
    """
    from diagnose.jobs.steps import look_at_revision

    step = look_at_revision(spec, options, around)
    principal = step.observation.principal or NO_PRINCIPAL
    with SnapshotStore.open(place) as store:
        return store.take(step.observation, step.target, principal, redactor=around.redactor)


def named_snapshot(store: SnapshotStore, name: str) -> Snapshot:
    """Return a stored snapshot by its id, the first digits of it, or `latest`, with or without `snapshot:` before it.

    Raises `InputError` where there is none.
    """
    name = name.removeprefix("snapshot:")
    if name != "latest":
        return store.get(name)
    records = store.list()
    if not records:
        raise InputError(f"there is no snapshot in {store.path}", advice="Take one with `diagnose snapshot take`.")
    return store.get(records[-1].id)


def moment_before(age: str, now: str) -> str:
    """Return the time that lies an age such as `12h`, `30d` or `4w` before `now`, in the form of `Record.at`.

    Raises `UsageError` for what is no age.
    """
    match = _AGE.fullmatch(age)
    if match is None:
        raise UsageError(f"--older-than takes a number and s, m, h, d or w, such as 30d, not {age!r}")
    seconds = int(match["count"]) * _SECONDS[match["unit"]]
    try:
        moment = datetime.fromisoformat(now).astimezone(UTC) - timedelta(seconds=seconds)
    except OverflowError:
        moment = datetime.min.replace(tzinfo=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def kept_number(text: str) -> int:
    """Return the number that `--keep` was given; raises `UsageError` for what is none."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise UsageError(f"--keep takes a number of snapshots, 0 or more, not {text!r}")
    return int(text)
