"""The past that `surface` compares with: the newest snapshot of this target, or what `--baseline` names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.errors import DiagnoseError, InputError
from diagnose.evidence.observation import Era, Failure, Observation
from diagnose.jobs.access import Surroundings

if TYPE_CHECKING:
    from diagnose.jobs.surface import Round
    from diagnose.surface import Surface

NONE = "none"


class Baseline:
    """Finds the past of one target and stores its present. ``operand`` is the text of `--baseline`."""

    def __init__(self, *, store: str | None, operand: str | None, around: Surroundings) -> None:
        self.store = store
        self.operand = operand
        self.around = around

    def find(self, target_id: str, principal: str, era: Era | None, beside: Surface | None = None) -> Observation | str:
        """Return the past as an observation, or in words why there is none.

        A snapshot of another principal is never taken: its list may rightly differ. One of the same era goes before a newer
        one of the other. What it has in common with ``beside`` is not kept twice. Raises `DiagnoseError` where a baseline
        that was named cannot be read; where nobody named the store, that it cannot be read is what was observed of the past.
        """
        if self.operand == NONE:
            return "no baseline was wanted"
        if self.operand is not None and self.operand != "snapshot:latest":
            from diagnose.jobs.operands import read_operand

            return replace(read_operand(self.operand, store=self.path, around=self.around), layer="baseline")
        if not self.path.exists():
            return self._missing("no snapshot was stored yet")
        try:
            from diagnose.store.snapshots import SnapshotStore

            with SnapshotStore.open(self.path) as store:
                snapshot = store.latest(target_id, principal, era=era) or store.latest(target_id, principal)
        except DiagnoseError as error:
            if self.store is not None or self.operand is not None:
                raise
            return _unreadable(error, at=self.around.now())
        if snapshot is None:
            return self._missing("no snapshot of this target and credential was stored yet")
        return snapshot.observation(() if beside is None else beside.raw_entries)

    def save(self, seen: Round) -> str:
        """Store the origin of this round; returns the snapshot's id."""
        from diagnose.store.snapshots import SnapshotStore

        assert seen.bundle.origin is not None
        with SnapshotStore.open(self.path) as store:
            return store.take(seen.bundle.origin, seen.bundle.target, seen.principal, redactor=self.around.redactor).id

    @property
    def path(self) -> Path:
        """The database: `--store`, DIAGNOSE_STORE, or the one in the user's data folder."""
        from diagnose.store.location import store_path

        return store_path(self.around.env, self.store)

    def _missing(self, why: str) -> str:
        if self.operand is not None:
            raise InputError(
                f"--baseline {self.operand}: {why}", advice="Take one with `diagnose snapshot take TARGET`."
            )
        return why


def _unreadable(error: DiagnoseError, *, at: str) -> Observation:
    """Return a past that is there and cannot be read, so that it is not taken for one that there is not."""
    failure = Failure(rule="snapshots-unreadable", message=f"the snapshots cannot be read: {error}")
    return Observation(layer="baseline", complete=False, at=at, source="snapshot:latest", failure=failure)
