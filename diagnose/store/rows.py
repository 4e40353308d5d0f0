"""How a snapshot lies in the tables of the database, and how it is read back from a file that may be damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.errors import UsageError
from diagnose.evidence.bundle import Target
from diagnose.store.body import Body, json_text, list_hash
from diagnose.store.errors import damaged
from diagnose.store.record import Record, said, with_said
from diagnose.store.snapshot import Snapshot
from diagnose.surface import parse_json

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection, Row

_ADD_SNAPSHOT = """
    INSERT INTO snapshots (id, target, transport, endpoint, principal, at, source, era, complete, revision, digest, count,
                           said, surface)
    VALUES (:id, :target, :transport, :endpoint, :principal, :at, :source, :era, :complete, :revision, :digest, :count,
            :said, :surface)
    ON CONFLICT (id) DO NOTHING"""

_ADD_DEFINITION = "INSERT INTO definitions (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"

_ADD_MEMBER = "INSERT INTO members (surface, position, definition) SELECT ?, ?, id FROM definitions WHERE hash = ?"

_BODIES = """
    SELECT hash, body FROM members JOIN definitions ON definitions.id = members.definition
    WHERE surface = ? ORDER BY position"""


def insert(connection: Connection, snapshot: Snapshot) -> bool:
    """Store a snapshot inside the caller's transaction; return False where it is there already."""
    record = snapshot.record
    values = {
        "id": record.id,
        "target": record.target.id,
        "transport": record.target.transport,
        "endpoint": record.target.endpoint,
        "principal": record.principal,
        "at": record.at,
        "source": record.source,
        "era": record.era,
        "complete": record.complete,
        "revision": record.revision,
        "digest": record.digest,
        "count": record.count,
        "said": json_text(said(record)),
        "surface": _insert_list(connection, snapshot.bodies),
    }
    return connection.execute(_ADD_SNAPSHOT, values).rowcount == 1


def _insert_list(connection: Connection, bodies: tuple[Body, ...]) -> int:
    """Return the row of this list of definitions, stored if it was not yet."""
    key = (list_hash(bodies),)
    if connection.execute("INSERT INTO surfaces (hash) VALUES (?) ON CONFLICT (hash) DO NOTHING", key).rowcount == 1:
        surface: int = connection.execute("SELECT last_insert_rowid()").fetchone()[0]
        connection.executemany(_ADD_DEFINITION, [(body.hash, body.text) for body in bodies])
        connection.executemany(_ADD_MEMBER, [(surface, place, body.hash) for place, body in enumerate(bodies)])
        return surface
    found: int = connection.execute("SELECT id FROM surfaces WHERE hash = ?", key).fetchone()[0]
    return found


def record_of_row(row: Row, path: Path) -> Record:
    """Return the record in a row of `snapshots`. Raises `StoreError` where it is not what was written."""
    try:
        record = Record(
            id=row["id"],
            target=Target(id=row["target"], transport=row["transport"], endpoint=row["endpoint"]),
            principal=row["principal"],
            at=row["at"],
            source=row["source"],
            era=row["era"],
            complete=bool(row["complete"]),
            revision=row["revision"],
            digest=row["digest"],
            count=row["count"],
        )
        return with_said(record, parse_json(row["said"]).value)
    except (UsageError, LookupError, TypeError) as error:
        raise damaged(path, f"the snapshot {row['id']} cannot be read ({error})") from error


def snapshot_of_row(connection: Connection, row: Row, path: Path) -> Snapshot:
    """Return the snapshot of a row, its definitions checked against their hashes. Raises `StoreError` like the above."""
    bodies = tuple(Body(*each) for each in connection.execute(_BODIES, (row["surface"],)))
    surface = connection.execute("SELECT hash FROM surfaces WHERE id = ?", (row["surface"],)).fetchone()
    if surface is None or list_hash(bodies) != surface[0] or not all(body.intact for body in bodies):
        raise damaged(path, f"the definitions of snapshot {row['id']} are not those that were stored")
    return Snapshot(record=record_of_row(row, path), bodies=bodies)
