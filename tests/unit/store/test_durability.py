"""The database stays whole: under runs at the same time, a kill at any moment, a full disk, a read-only folder."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from diagnose.store.errors import StoreError
from diagnose.store.snapshots import SnapshotStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from diagnose.store.snapshot import Snapshot

posix = pytest.mark.skipif(os.name != "posix", reason="signals and mounts of POSIX")

#: Stores snapshots of its own, as many as it is told or until it is killed, and prunes now and then.
WRITER = """
import sys
from pathlib import Path
from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Observation
from diagnose.evidence.redact import Redactor
from diagnose.store.snapshots import SnapshotStore
from diagnose.surface import Surface

path, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
shared = [{"name": f"t{n}", "description": "x" * 200} for n in range(30)]
for number in range(rounds):
    tools = [*shared, {"name": f"{name}-{number}", "description": "y" * 20_000}]
    seen = Observation(layer="origin", surface=Surface.of(tools), at=f"2026-11-30T12:00:00.{number % 1000:03d}Z")
    with SnapshotStore.open(path) as store:
        store.take(seen, Target(id=name, transport="http", endpoint="x"), "none", redactor=Redactor())
        if number % 5 == 4 and len(sys.argv) > 4:
            store.prune(keep=3)
    print(number, flush=True)
"""


def _writer(place: Path, name: str, rounds: int, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(place), name, str(rounds), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _whole(place: Path) -> int:
    """Return how many snapshots there are, after every check that SQLite and the store know."""
    connection = sqlite3.connect(place)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
    with SnapshotStore.open(place, write=False) as store:
        records = store.list()
        assert [store.get(record.id).record for record in records] == list(records)
        return len(records)


def test_four_runs_at_once_lose_nothing(place: Path) -> None:
    """They also meet where the file is made: none of them finds it there."""
    writers = [_writer(place, f"writer{number}", 8) for number in range(4)]
    ends = [writer.communicate(timeout=60) for writer in writers]
    assert [end[1] for end in ends] == [""] * 4
    assert _whole(place) == 32
    connection = sqlite3.connect(place)
    assert connection.execute("SELECT count(*) FROM definitions").fetchone()[0] == 30 + 32
    connection.close()


@posix
def test_a_kill_at_any_moment_leaves_a_whole_file(place: Path) -> None:
    """The child is killed while it works: after the first rounds that it reports, wherever it is by then."""
    kept = 0
    for turn in range(8):
        writer = _writer(place, f"turn{turn}", 1000, "prune")
        assert writer.stdout is not None
        for _ in range(turn % 4 + 1):
            assert writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        kept = _whole(place)
        assert kept > 0
    assert kept <= 8 * 8  # each turn's prune leaves three, and less than a prune's distance comes after it


@posix
def test_a_kill_inside_a_transaction_is_rolled_back(place: Path, snapshot: Callable[..., Snapshot]) -> None:
    """The worst moment, made certain: the pages are in the file and the journal is hot."""
    with SnapshotStore.open(place) as store:
        store.add([snapshot()])
    program = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")  # so that changed pages go to the file before the end
connection.execute("BEGIN IMMEDIATE")
connection.execute("DELETE FROM snapshots")
for number in range(500):
    connection.execute("INSERT INTO definitions (hash, body) VALUES (?, ?)", (str(number), "z" * 5000))
os.kill(os.getpid(), signal.SIGKILL)
"""
    before = place.stat().st_size
    subprocess.run([sys.executable, "-c", program, str(place)], check=False)
    assert place.stat().st_size > before
    assert place.with_name(place.name + "-journal").exists()
    assert _whole(place) == 1
    assert [each.name for each in place.parent.iterdir()] == [place.name]


@contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    """Mount a disk of 256 KiB there, for as long as the block lasts; skip where that is not allowed."""
    mount = shutil.which("mount")
    folder.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=256k", "none", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _fill(store: SnapshotStore, snapshot: Callable[..., Snapshot]) -> None:
    """Store until the disk is full; 60 rounds are more than twice what fits."""
    for minute in range(60):
        store.add([snapshot([{"name": f"t{minute}", "description": "w" * 10_000}], minute=minute)])


@posix
def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path, snapshot: Callable[..., Snapshot]) -> None:
    with _small_disk(tmp_path / "disk"):
        path, ballast = tmp_path / "disk" / "snapshots.sqlite3", tmp_path / "disk" / "ballast"
        ballast.write_bytes(b"x" * 100_000)
        with SnapshotStore.open(path) as store:
            with pytest.raises(StoreError, match="the disk is full"):
                _fill(store, snapshot)
            stored = len(store.list())
        assert stored > 1
        assert _whole(path) == stored
        ballast.unlink()
        with SnapshotStore.open(path) as store:
            assert len(store.prune(keep=1)) == stored - 1
            assert store.add([snapshot()]) == 1


@posix
def test_a_write_that_the_system_refuses_is_said_and_loses_nothing(
    place: Path, snapshot: Callable[..., Snapshot]
) -> None:
    """A limit on file size, for where no disk can be mounted."""
    import resource

    with SnapshotStore.open(place) as store:
        store.add([snapshot()])

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(place), "writer", "50"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    assert "the disk refused" in done.stderr or "the disk is full" in done.stderr
    assert _whole(place) == 1 + len(done.stdout.split())


READER = """
import os, sqlite3, sys
from pathlib import Path
from diagnose.store.errors import StoreError
from diagnose.store.snapshots import SnapshotStore
path = Path(sys.argv[1])
if os.getuid() == 0: os.setuid(65534)  # no mode keeps root out
with SnapshotStore.open(path, write=False) as store: print(len(store.list()))
try:
    with SnapshotStore.open(path) as store: store.prune(keep=0)
except StoreError as error: print(error)
for elsewhere in (path.with_name("new"), path.with_name("hidden") / "snapshots.sqlite3"):
    try: SnapshotStore.open(elsewhere, write=elsewhere.name == "new")
    except StoreError as error: print(error)
"""


@posix
def test_a_read_only_folder_can_be_read(snapshot: Callable[..., Snapshot]) -> None:
    with TemporaryDirectory() as folder:  # one that another user may enter; pytest's own he may not
        path = Path(folder) / "snapshots.sqlite3"
        with SnapshotStore.open(path) as store:
            store.add([snapshot()])
        path.with_name("hidden").mkdir(0o700)
        path.chmod(0o444)
        path.parent.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READER, folder + "/snapshots.sqlite3"], capture_output=True, text=True, check=True
        )
        path.parent.chmod(0o755)
    found, pruned, made, hidden = done.stdout.splitlines()
    assert found == "1"
    assert "read-only" in pruned
    assert "cannot be opened: permission was denied" in made
    assert "cannot be opened: permission was denied" in hidden


def test_a_run_that_waits_too_long_says_so(
    place: Path, snapshot: Callable[..., Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diagnose.store.schema.BUSY_SECONDS", 0.05)
    with SnapshotStore.open(place) as holder, SnapshotStore.open(place) as waiter:
        with holder._changing(), pytest.raises(StoreError, match="in use by another run"):
            waiter.add([snapshot()])
        assert waiter.add([snapshot()]) == 1
