"""The snapshots of this machine, in one SQLite database: content-addressed, one row a definition."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from diagnose.errors import InputError, UsageError
from diagnose.store.errors import explained
from diagnose.store.rows import insert, record_of_row, snapshot_of_row
from diagnose.store.schema import connect
from diagnose.store.snapshot import ID_DIGITS, Snapshot, snapshot_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from sqlite3 import Connection

    from diagnose.evidence.bundle import Target
    from diagnose.evidence.observation import Era, Observation
    from diagnose.evidence.redact import Redactor
    from diagnose.store.record import Record

_LATEST = """
    SELECT * FROM snapshots
    WHERE target = :target AND principal = :principal AND complete AND (:era IS NULL OR era IS :era)
    ORDER BY at DESC, seq DESC LIMIT 1"""

_PRUNABLE = """
    SELECT * FROM (
        SELECT *, row_number() OVER (PARTITION BY target, principal ORDER BY at DESC, seq DESC) AS place FROM snapshots
        WHERE :target IS NULL OR target = :target)
    WHERE place > :keep AND (:before IS NULL OR at < :before)
    ORDER BY at, seq"""


class SnapshotStore:
    """The snapshot database. Every method may raise `StoreError`, and leaves the file whole if it does.

    Runs may use one file at the same time: each change is one short transaction, and a run waits for another.
    """

    def __init__(self, path: Path, connection: Connection) -> None:
        import sqlite3

        connection.row_factory = sqlite3.Row
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, write: bool = True) -> SnapshotStore:
        """Open the database. It is made where it is missing; only to read, a missing one is an empty one."""
        return cls(path, connect(path, write=write))

    def close(self) -> None:
        """Close the database; it cannot be used afterwards."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, observation: Observation, target: Target, principal: str, *, redactor: Redactor) -> Snapshot:
        """Store an observation and return the snapshot; see `snapshot_of` for what is kept and what is refused."""
        snapshot = snapshot_of(observation, target, principal, redactor=redactor)
        self.add([snapshot])
        return snapshot

    def add(self, snapshots: Iterable[Snapshot]) -> int:
        """Store snapshots, all or none, and return how many were new; one that is there already is passed over."""
        with self._changing() as connection:
            return sum(insert(connection, snapshot) for snapshot in snapshots)

    def latest(self, target_id: str, principal: str, *, era: Era | None = None) -> Snapshot | None:
        """Return the newest complete snapshot of a target as that principal saw it (in that era, where one is given)."""
        with explained(self.path):
            values = {"target": target_id, "principal": principal, "era": era}
            row = self._connection.execute(_LATEST, values).fetchone()
            return None if row is None else snapshot_of_row(self._connection, row, self.path)

    def get(self, name: str) -> Snapshot:
        """Return the snapshot with this id, or with the only id that starts so.

        Raises `InputError` where there is none or more than one.
        """
        if not re.fullmatch(f"[0-9a-f]{{1,{ID_DIGITS}}}", name):
            raise InputError(
                f"{name!r} is no snapshot id: expected up to {ID_DIGITS} digits 0-9, a-f",
                advice="`snapshot list` shows those there are.",
            )
        with explained(self.path):
            # `g` is the character after the last hex digit: the range holds every id that starts with the name.
            found = self._connection.execute(
                "SELECT * FROM snapshots WHERE id >= ? AND id < ? ORDER BY id LIMIT 3", (name, f"{name}g")
            ).fetchall()
            if not found:
                raise InputError(
                    f"there is no snapshot {name} in {self.path}", advice="`snapshot list` shows those there are."
                )
            if len(found) > 1:
                ids = ", ".join(row["id"] for row in found)
                raise InputError(f"several snapshots start with {name}: {ids}", advice="Give more digits.")
            return snapshot_of_row(self._connection, found[0], self.path)

    def list(self, target_id: str | None = None) -> tuple[Record, ...]:
        """Return the records of all snapshots, or of one target's, oldest first."""
        with explained(self.path):
            rows = self._connection.execute(
                "SELECT * FROM snapshots WHERE :target IS NULL OR target = :target ORDER BY at, seq",
                {"target": target_id},
            )
            return tuple(record_of_row(row, self.path) for row in rows)

    def prunable(
        self, *, keep: int | None = None, before: str | None = None, target_id: str | None = None
    ) -> tuple[Record, ...]:
        """Return what `prune` would remove, oldest first: see there."""
        if keep is None and before is None:
            raise UsageError("nothing says which snapshots may go", advice="Give --keep, --older-than or both.")
        values = {"keep": keep or 0, "before": before, "target": target_id}
        with explained(self.path):
            return tuple(record_of_row(row, self.path) for row in self._connection.execute(_PRUNABLE, values))

    def prune(
        self, *, keep: int | None = None, before: str | None = None, target_id: str | None = None
    ) -> tuple[Record, ...]:
        """Remove snapshots that are not among the newest `keep` of their target and principal, and older than `before`.

        `before` is a time as in `Record.at`; with both given, a snapshot goes only if both say so. Definitions that no
        snapshot refers to go too. Returns the records of what was removed.
        """
        with self._changing() as connection:
            records = self.prunable(keep=keep, before=before, target_id=target_id)
            connection.executemany("DELETE FROM snapshots WHERE id = ?", [(record.id,) for record in records])
            connection.execute("DELETE FROM surfaces WHERE id NOT IN (SELECT surface FROM snapshots)")
            connection.execute("DELETE FROM definitions WHERE id NOT IN (SELECT definition FROM members)")
            return records

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """Hold the only write transaction: committed at the end, rolled back where anything fails."""
        with explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself has rolled back after some errors
                    self._connection.execute("ROLLBACK")
                raise
