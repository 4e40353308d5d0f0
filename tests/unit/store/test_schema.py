"""The database file is recognised, made and migrated; one that is not ours, or broken, is never touched."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from typing import TYPE_CHECKING, Any

import pytest

from diagnose.store.errors import StoreError
from diagnose.store.schema import APPLICATION_ID, STEPS, connect, migrate
from diagnose.store.snapshots import SnapshotStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from diagnose.store.snapshot import Snapshot


def _pragma(path: Path, name: str) -> object:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]
    finally:
        connection.close()


def test_a_new_database_says_whose_it_is(place: Path) -> None:
    SnapshotStore.open(place).close()
    assert _pragma(place, "application_id") == APPLICATION_ID
    assert _pragma(place, "user_version") == len(STEPS)
    assert _pragma(place, "journal_mode") == "delete"
    assert _pragma(place, "auto_vacuum") == 1


def test_a_run_that_looks_while_another_makes_the_database_sees_all_of_it_or_nothing(place: Path) -> None:
    """What the file says of itself is told in several answers, and the other run may come in between."""
    place.parent.mkdir()
    place.touch(mode=0o600)
    other = threading.Thread(target=lambda: connect(place, write=True).close())

    class Looking(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            found = super().execute(sql, *parameters)
            if sql == "PRAGMA application_id" and other.ident is None:
                other.start()
                other.join(0.5)
            return found

    connection = sqlite3.connect(place, factory=Looking, isolation_level=None, timeout=10)
    migrate(connection, place)
    connection.close()
    other.join()
    assert _pragma(place, "application_id") == APPLICATION_ID
    assert _pragma(place, "auto_vacuum") == 1


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_only_the_owner_may_read_it(place: Path) -> None:
    SnapshotStore.open(place).close()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="names that Windows has not")
def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    """SQLite gets it as a URI, in which `?`, `#` and `%` mean something."""
    place = tmp_path / "a?mode=memory#b%20ü" / "snap shots.sqlite3"
    SnapshotStore.open(place).close()
    assert place.stat().st_size > 0
    SnapshotStore.open(place, write=False).close()


def test_reading_makes_no_file(place: Path) -> None:
    with SnapshotStore.open(place, write=False) as store:
        assert store.list() == ()
        assert store.latest("example.test/mcp", "none") is None
    assert not place.parent.exists()


def test_reading_writes_nothing(place: Path, snapshot: Callable[..., Snapshot]) -> None:
    SnapshotStore.open(place).close()
    with SnapshotStore.open(place, write=False) as store, pytest.raises(StoreError, match="read-only"):
        store.add([snapshot()])


def test_what_a_kill_left_empty_is_taken_up(place: Path, snapshot: Callable[..., Snapshot]) -> None:
    place.parent.mkdir()
    place.touch()
    with SnapshotStore.open(place, write=False) as store:
        assert store.list() == ()
    with SnapshotStore.open(place) as store:
        assert store.add([snapshot()]) == 1


def _foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE snapshots (id)")
    connection.close()


def _newer(path: Path) -> None:
    SnapshotStore.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    connection.close()


def _of_another_program(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA application_id = 7")
    connection.execute("CREATE TABLE t (x)")
    connection.close()


def _without_tables(path: Path) -> None:
    SnapshotStore.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE members")
    connection.execute("DROP TABLE snapshots")
    connection.close()


def _header_overwritten(path: Path) -> None:
    SnapshotStore.open(path).close()
    path.write_bytes(b"\0" * 64 + path.read_bytes()[64:])


def _cut(path: Path) -> None:
    SnapshotStore.open(path).close()
    path.write_bytes(path.read_bytes()[:4096])


def _use(path: Path, snapshot: Snapshot, *, write: bool) -> None:
    with SnapshotStore.open(path, write=write) as store:
        store.list()
        store.add([snapshot])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_bytes(b"x"), "is no SQLite database"),
        (lambda path: path.write_bytes(b"SQLite format 3\0"), "is no SQLite database"),
        (lambda path: path.write_text("[1, 2, 3]\n" * 1000), "is no SQLite database"),
        (_header_overwritten, "is no SQLite database"),
        (_foreign, "of another program"),
        (_of_another_program, "of another program"),
        (_newer, "versions up to"),
        (_without_tables, "is damaged"),
        (_cut, "is damaged"),
        (lambda path: path.mkdir(), "cannot be opened"),
    ],
)
@pytest.mark.parametrize("write", [True, False])
def test_a_file_that_cannot_be_used_is_named_and_left_as_it_is(
    place: Path, snapshot: Callable[..., Snapshot], make: Callable[[Path], object], words: str, write: bool
) -> None:
    place.parent.mkdir()
    make(place)
    before = None if place.is_dir() else place.read_bytes()
    with pytest.raises(StoreError, match=words) as refused:
        _use(place, snapshot(), write=write)
    assert str(place) in str(refused.value)
    assert refused.value.exit_code == 2
    assert before is None or place.read_bytes() == before
    assert [each.name for each in place.parent.iterdir()] == [place.name]


def test_each_step_of_a_migration_is_taken_once_and_all_or_none(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    connect(path, write=True).close()
    connection = sqlite3.connect(path, isolation_level=None)

    def second(to: sqlite3.Connection) -> None:
        to.execute("ALTER TABLE snapshots ADD COLUMN note TEXT")

    def broken(to: sqlite3.Connection) -> None:
        to.execute("CREATE TABLE half (x)")
        raise sqlite3.OperationalError("stop")

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, path, (*STEPS, second, broken))
    assert connection.execute("PRAGMA user_version").fetchone()[0] == len(STEPS)
    assert "note" not in [row[1] for row in connection.execute("PRAGMA table_info(snapshots)")]
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone()[0] == 0

    for _ in range(2):
        migrate(connection, path, (*STEPS, second))
    assert connection.execute("PRAGMA user_version").fetchone()[0] == len(STEPS) + 1
    with pytest.raises(StoreError, match="versions up to"):
        migrate(connection, path)
    connection.close()


def test_two_runs_that_meet_at_a_new_file_make_it_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other run comes between the look at the file and the lock; behind the lock, it can do nothing."""
    from diagnose.store import schema

    look = schema._version
    seen: list[int] = []

    def meeting(connection: sqlite3.Connection, path: Path, newest: int) -> int:
        version = look(connection, path, newest)
        seen.append(version)
        if len(seen) == 1:
            with monkeypatch.context() as alone:
                alone.setattr(schema, "_version", look)
                connect(path, write=True).close()
        else:
            other = sqlite3.connect(path, timeout=0, isolation_level=None)
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")
            other.close()
        return version

    monkeypatch.setattr(schema, "_version", meeting)
    connect(place, write=True).close()
    assert seen == [0, len(STEPS)]
