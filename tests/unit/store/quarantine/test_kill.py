"""Killed at whatever line, a move leaves what was there or a backup that can be restored, and a restore leaves either, too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from diagnose.store.quarantine.journal import Entry, Journal
from diagnose.store.quarantine.quarantine import Quarantine

from .conftest import NOON

#: Does one deed over and over, each time in a child that is killed one line of our code later, until one child comes to its
#: end. What is looked at before anything is done is not counted: that is the same however often it is killed.
KILLER = """
import os, signal, sys
from pathlib import Path
from diagnose.store.quarantine.quarantine import Quarantine
from diagnose.store.quarantine import quarantine, users

base, deed = Path(sys.argv[1]), sys.argv[2]
COUNTED = ("quarantine/quarantine.py", "quarantine/journal.py", "quarantine/rename.py", "datafolder.py")
QUIET = {"state_of", "_notes", "_backup_name", "entries", "_read", "_entry", "_all", "<genexpr>", "<listcomp>"}
os.fsync = lambda _: None  # nobody pulls the plug here; the disk is what would take the time
quarantine.use_of = lambda *_: users.Use(holders=(), unseen=0, verified=True)
CONTENT = {"cache/a.json": "first", "cache/b/c.json": "second"}

def made(folder):
    for name, text in CONTENT.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (5, 7))
    return folder / "cache", Quarantine(env={"DIAGNOSE_DATA": str(folder / "data")}, now=lambda: "2026-11-30T12:00:00.000Z")

def done(cache, kept):
    if deed == "move":
        kept.move(str(cache), "x", act=True)
    else:
        kept.restore(kept.list()[0].entry.id, act=True)

def killed_after(lines):
    def each(frame, event, _):
        nonlocal lines
        if event == "line":
            lines -= 1
            if lines < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return each
    def entered(frame, event, _):
        code = frame.f_code
        return each if code.co_filename.endswith(COUNTED) and code.co_name not in QUIET else None
    return entered

def whole(folder):
    return {name: (folder / name).read_text() for name in CONTENT} == CONTENT and (folder / "cache/a.json").stat().st_mtime == 7

def judged(cache, kept, lines):
    moves = kept.list()
    backups = [each for each in cache.parent.iterdir() if each.name.startswith("cache.")]
    assert len(backups) + cache.exists() == 1, (lines, backups)
    if backups:
        assert [each.state for each in moves] == ["quarantined"], lines
        assert moves[0].entry.backup_path == backups[0], lines
        kept.restore(moves[0].entry.id, act=True)
        assert kept.list()[0].state == "restored", lines
    elif moves:
        assert moves[0].state == ("not-moved" if deed == "move" else "restored"), lines
    assert whole(cache.parent), lines
    return bool(backups)

lines, seen = 0, []
while True:
    folder = base / f"{deed}-{lines}"
    cache, kept = made(folder)
    if deed == "restore":
        kept.move(str(cache), "x", act=True)
    child = os.fork()
    if child == 0:
        sys.settrace(killed_after(lines))
        done(cache, kept)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    seen.append(judged(cache, kept, lines))
    if status == 0:
        break
    assert os.WIFSIGNALED(status), (lines, status)
    lines += 1
print(lines, sum(seen))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child of a child, to be killed")
@pytest.mark.parametrize("deed", ["move", "restore"])
def test_a_kill_at_any_line_loses_nothing(tmp_path, deed):
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(tmp_path), deed], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines, backups = map(int, done.stdout.split())
    assert lines > 40
    assert 5 < backups < lines - 5  # it was killed before the rename, and after it


def entry(tmp_path, name="0a"):
    return Entry(
        id=name,
        path=tmp_path / "cache",
        backup=f"cache.{name}",
        kind="file",
        inode=1,
        files=1,
        bytes=2,
        reason="x",
        client=None,
        at=NOON,
    )


def test_a_line_that_was_cut_costs_no_other(tmp_path):
    journal = Journal(place=tmp_path / "data" / "quarantine.jsonl")
    journal.write("moving", entry(tmp_path, "0a"), NOON)
    journal.write("moved", entry(tmp_path, "0a"), NOON)
    with journal.place.open("ab") as file:
        file.write(b'{"event": "moving", "id": "0b", "pa')
    journal.write("moving", entry(tmp_path, "0c"), NOON)
    assert [(each.id, each.last) for each in journal.entries()] == [("0a", "moved"), ("0c", "moving")]


def test_a_journal_that_was_meddled_with_is_read_as_far_as_it_goes(tmp_path):
    journal = Journal(place=tmp_path / "quarantine.jsonl")
    journal.write("moving", entry(tmp_path), NOON)
    good = journal.place.read_bytes()
    lines = [
        b"\xff",
        b"[]",
        b"null",
        b"{" * 5000,
        b'{"event":"moved","id":"other","at":"x"}',
        b'{"event":[],"id":"0a"}',
    ]
    for old, new in ((b'"0a"', b"1"), (b'"cache.0a"', b'"../x"'), (b'"files": 1', b'"files": true')):
        lines.append(good.replace(old, new).replace(b'"id": "0a"', b'"id": "zz"').strip())
    journal.place.write_bytes(b"\n".join([*lines, good]))
    assert [each.id for each in journal.entries()] == ["0a"]


def test_the_journal_is_for_its_owner_alone(tmp_path):
    journal = Journal(place=tmp_path / "data" / "quarantine.jsonl")
    journal.write("moving", entry(tmp_path), NOON)
    if os.name == "posix":
        assert journal.place.stat().st_mode & 0o777 == 0o600
        assert journal.place.parent.stat().st_mode & 0o777 == 0o700
    assert Quarantine(env={"DIAGNOSE_DATA": str(tmp_path / "data")}, now=lambda: NOON).list()[0].state == "missing"
