"""The lock file of a target: written from its live list, and held against it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.errors import CredentialRefusedError
from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.observation import LayerName, Observation
from diagnose.jobs.connection import connect
from diagnose.judge.advice import commands
from diagnose.judge.gate import Gate, hold
from diagnose.store.files import read_bounded
from diagnose.store.lock import FILE_NAME, Lock, lock_text, read_lock
from diagnose.surface import difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnose.jobs.access import ConnectOptions, Surroundings
    from diagnose.jobs.target import TargetSpec
    from diagnose.judge.diagnosis import Diagnosis
    from diagnose.surface import Change, Impact, Surface

_UNOBSERVED: Mapping[LayerName, str] = {
    "deployed": "a lock file is held against the list alone",
    "manifest": "a lock file is held against the list alone",
    "path": "no --path was named",
    "wire": "no --recording was named",
    "registry": "no client was named",
    "model": "no request of a model was given",
}


def lock_path(option: str | None, spec: TargetSpec) -> str:
    """Return where the lock file is: `--lock`, the target's in the configuration, or the usual name in this folder."""
    named = spec.named.lock if spec.named is not None else None
    return option or (str(Path(named).expanduser()) if named else FILE_NAME)


def locked(spec: TargetSpec, options: ConnectOptions, around: Surroundings) -> tuple[str, Surface]:
    """Read a server's whole list; return the lock file's text, and the list.

    Raises `ObservationError` where the list could not be read to its end, or cannot be locked.
    """
    from diagnose.jobs.steps import look_at_revision

    surface = look_at_revision(spec, options, around).observation.surface
    assert surface is not None
    return lock_text(surface, around.redactor), surface


def lock_at(path: str) -> Lock:
    """Read a lock file. Raises `InputError` where there is none, or where it was altered."""
    return read_lock(read_bounded(path), f"lock:{path}")


def changes_since(path: str, surface: Surface) -> tuple[Change, ...] | None:
    """Return what leads from the lock file that is there to a surface; None where there is no file. See `lock_at`."""
    return difference(lock_at(path).surface, surface) if Path(path).exists() else None


def check(spec: TargetSpec, options: ConnectOptions, around: Surroundings, *, path: str, fail_on: Impact) -> Diagnosis:
    """Hold a server's list against its lock file.

    Raises `InputError` for the file before anybody is asked, and `UsageError` for what is wrong on our side; what cannot be
    observed is in the diagnosis.
    """
    lock = lock_at(path)
    origin, target = _observed(spec, options, around, lock.surface)
    bundle = Bundle(
        created_at=around.now(),
        target=target,
        origin=origin,
        baseline=lock.observation(),
        unobserved=_UNOBSERVED,
        live=True,
        notes=("no target was named: this is the embedded reference server",) if spec.fallback else (),
    )
    return hold(bundle, Gate(fail_on=fail_on, steps=_steps(target, path), file=path, lines=lock.lines))


def _observed(
    spec: TargetSpec, options: ConnectOptions, around: Surroundings, agreed: Surface
) -> tuple[Observation, Target]:
    """Read the list once where it is the agreed one; else once more, before a difference is believed."""
    from diagnose.observe.failures import failure_of
    from diagnose.observe.origin import observe_origin

    def walks(first: Observation) -> int:
        return 1 if first.surface is not None and first.surface.digest == agreed.digest else 2

    with connect(spec, options, around) as connection:
        endpoint = around.redactor.text(connection.spec.endpoint)
        target = Target(id=spec.id, transport=spec.transport, endpoint=endpoint)
        try:
            seen = observe_origin(connection.open_session, walks=walks, principal=connection.principal, now=around.now)
        except CredentialRefusedError as refused:
            seen = Observation(layer="origin", complete=False, at=around.now(), failure=failure_of(refused))
        return seen, target


def _steps(target: Target, path: str) -> tuple[str, ...]:
    where = "" if path == FILE_NAME else f" -o {shlex.quote(path)}"
    return (
        f"If the change is meant, accept it and commit the file: diagnose lock write{where} {commands(target)['target']}",
        "Clients that hold the agreed list are wrong until they list again: have them reconnect, and look at the breaking changes first.",
    )
