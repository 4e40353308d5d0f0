"""The snapshot database as a file: how it is recognised, made, opened and brought to the newest version.

It uses SQLite's rollback journal, not WAL: the database is then one file that can be copied, read from a read-only
folder and kept on a network share, and the few short writes that we make gain nothing from WAL. A kill leaves a hot
journal, which the next run rolls back.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from diagnose.credentials.datafolder import make_private
from diagnose.store.errors import BUSY_SECONDS, ELSEWHERE, StoreError, explained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from sqlite3 import Connection

Step: TypeAlias = "Callable[[Connection], None]"

#: "mcps", in the header of the file (https://www.sqlite.org/fileformat.html#application_id).
APPLICATION_ID = 0x6D637073

#: Bytes of the smallest page. SQLite takes a file of a single byte for an empty one, and would overwrite it.
_SMALLEST = 512

_VERSION_1 = (
    # One row a definition, however often it is seen: its JSON text, and the hash of that text.
    "CREATE TABLE definitions (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, body TEXT NOT NULL)",
    # One row a list of definitions; its hash is over theirs, in order.
    "CREATE TABLE surfaces (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE)",
    """CREATE TABLE members (
        surface INTEGER NOT NULL REFERENCES surfaces ON DELETE CASCADE,
        position INTEGER NOT NULL,
        definition INTEGER NOT NULL REFERENCES definitions,
        PRIMARY KEY (surface, position)) WITHOUT ROWID""",
    "CREATE INDEX members_by_definition ON members (definition)",
    # The columns are ours; `said` holds what the server said beside its tools, as JSON of any shape.
    """CREATE TABLE snapshots (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        target TEXT NOT NULL,
        transport TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        principal TEXT NOT NULL,
        at TEXT NOT NULL,
        source TEXT NOT NULL,
        era TEXT,
        complete INTEGER NOT NULL,
        revision TEXT,
        digest TEXT,
        count INTEGER NOT NULL,
        said TEXT NOT NULL,
        surface INTEGER NOT NULL REFERENCES surfaces)""",
    "CREATE INDEX snapshots_by_target ON snapshots (target, principal, at)",
    "CREATE INDEX snapshots_by_surface ON snapshots (surface)",
)


def _create(connection: Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)


#: Step n brings a database from version n to n + 1; a step, once released, is never changed.
STEPS: tuple[Step, ...] = (_create,)


def connect(path: Path, *, write: bool) -> Connection:
    """Open the database, at the newest version. To write, it is made where it is missing (mode 0600).

    To read, nothing is made: where there is no file, the connection is to an empty database in memory. Raises
    `StoreError` for a file that is damaged, newer, somebody else's, locked or out of reach; it is never overwritten.
    """
    with explained(path):
        if write:
            _make(path)
        size = path.stat().st_size if path.is_file() else None
        if size and size < _SMALLEST:
            raise StoreError(f"the snapshot database {path} is no SQLite database", advice=ELSEWHERE)
        if not write and (size == 0 or not path.exists()):
            return _opened(path, ":memory:", write=False)
        # mode=rw never makes a file, and falls back to reading where the file may not be written.
        return _opened(path, f"{path.absolute().as_uri()}?mode=rw", write=write)


def _opened(path: Path, uri: str, *, write: bool) -> Connection:
    import sqlite3

    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _prepare(connection)
        migrate(connection, path)
        if not write:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _make(path: Path) -> None:
    """Make the file, empty, before SQLite opens it: SQLite itself would make it readable to others."""
    make_private(path.parent, named_by="--store, DIAGNOSE_STORE or DIAGNOSE_DATA")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return


def _prepare(connection: Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from somebody else
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is pruned is gone, not merely unlinked


def migrate(connection: Connection, path: Path, steps: Sequence[Step] = STEPS) -> None:
    """Bring the database to the newest version in one transaction; does nothing to one that is there already.

    Raises `StoreError` for a database that is not ours, or of a version that this program does not know.
    """
    version = _version(connection, path, len(steps))
    if version == len(steps):
        return
    if version == 0:
        connection.execute("PRAGMA auto_vacuum = FULL")  # pruning gives the space back; must come before the tables
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again behind the lock: another run may have done it meanwhile.
        for step in steps[_version(connection, path, len(steps)) :]:
            step(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: Connection, path: Path, newest: int) -> int:
    """Return the version of the file, 0 for one that is empty."""
    with _at_one_moment(connection):
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if application == version == 0 and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return 0
    if application != APPLICATION_ID or version < 1:
        raise StoreError(
            f"{path} is a SQLite database of another program",
            advice=ELSEWHERE,
        )
    if version > newest:
        raise StoreError(
            f"the snapshot database {path} has version {version}, and this program knows versions up to {newest}",
            advice="It was written by a newer diagnose; use that one, or name another file with --store.",
        )
    return version


@contextmanager
def _at_one_moment(connection: Connection) -> Iterator[None]:
    """Let all that is read be of one state of the file: another run may make the database meanwhile."""
    begun_here = not connection.in_transaction
    if begun_here:
        connection.execute("BEGIN")
    try:
        yield
    finally:
        if begun_here and connection.in_transaction:
            connection.execute("ROLLBACK")
