"""A cache is moved aside and back as it was; what would be lost or written over is refused."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys

import pytest

from diagnose.errors import InputError
from diagnose.store.quarantine.errors import QuarantineError
from diagnose.store.quarantine.journal import Journal
from diagnose.store.quarantine.spot import Spot

from .conftest import NOON, tree

posix = pytest.mark.skipif(os.name != "posix", reason="links, modes, and folders that are held")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")


def test_a_folder_is_moved_beside_itself_and_back_as_it_was(machine):
    before = tree(machine.cache)
    moved = machine.move()
    assert moved.state == "quarantined"
    assert not machine.cache.exists()
    backup = moved.entry.backup_path
    assert backup.parent == machine.cache.parent
    assert backup.name == f"cache.diagnose-20261130T120000Z-{moved.entry.id}"
    (listed,) = machine.quarantine.list()
    assert (listed.state, listed.entry.reason, listed.entry.client) == ("quarantined", "old tools", "codex")
    assert (listed.entry.kind, listed.entry.files) == ("folder", 4)
    restored = machine.quarantine.restore(moved.entry.id[:4], act=True)
    assert restored.state == "restored"
    assert tree(machine.cache) == before
    (listed,) = machine.quarantine.list()
    assert (listed.state, listed.entry.restored_at) == ("restored", NOON)


@posix
def test_links_are_moved_as_links_and_hard_links_keep_their_other_names(machine, tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    (machine.cache / "leads-out").symlink_to(outside)
    (machine.cache / "leads-nowhere").symlink_to("gone")
    os.link(outside, machine.cache / "twin.json")
    before = tree(machine.cache)
    moved = machine.move()
    assert any("1 other names" in note for note in moved.notes)
    assert outside.read_text(encoding="utf-8") == "{}"
    machine.quarantine.restore(moved.entry.id, act=True)
    assert tree(machine.cache) == before
    assert outside.samefile(machine.cache / "twin.json")


def test_nothing_is_done_unless_it_is_said(machine):
    before = tree(machine.home)
    assert machine.move(act=False).state == "planned"
    assert tree(machine.home) == before
    assert not machine.data.exists()
    moved = machine.move()
    after = tree(machine.home)
    assert machine.quarantine.restore(moved.entry.id, act=False).state == "planned"
    assert tree(machine.home) == after
    assert machine.quarantine.list()[0].state == "quarantined"


def test_a_restore_writes_over_nothing(machine):
    moved = machine.move(machine.cache / "apps.json")
    for there in ("file", "folder"):
        machine.cache.joinpath("apps.json").mkdir() if there == "folder" else machine.cache.joinpath(
            "apps.json"
        ).touch()
        with pytest.raises(QuarantineError, match="is there again"):
            machine.quarantine.restore(moved.entry.id, act=True)
        assert moved.entry.backup_path.read_text(encoding="utf-8") == '["apps.json"]'
        if there == "file":
            machine.cache.joinpath("apps.json").unlink()


@posix
def test_a_restore_writes_over_nothing_that_comes_in_the_last_moment(machine, monkeypatch):
    moved = machine.move(machine.cache / "apps.json")
    monkeypatch.setattr(Journal, "write", lambda *_: (machine.cache / "apps.json").write_text("new", encoding="utf-8"))
    with pytest.raises(QuarantineError, match="is there again"):
        machine.quarantine.restore(moved.entry.id, act=True)
    assert (machine.cache / "apps.json").read_text(encoding="utf-8") == "new"
    assert moved.entry.backup_path.exists()


def test_a_backup_that_is_gone_or_was_replaced_is_said(machine):
    moved = machine.move(machine.cache / "apps.json")
    moved.entry.backup_path.unlink()
    assert machine.quarantine.list()[0].state == "missing"
    with pytest.raises(QuarantineError, match="the backup is gone"):
        machine.quarantine.restore(moved.entry.id, act=True)
    moved.entry.backup_path.mkdir()
    with pytest.raises(QuarantineError, match="not what was moved"):
        machine.quarantine.restore(moved.entry.id, act=True)
    shutil.rmtree(machine.cache)
    assert machine.quarantine.list()[0].state == "missing"


def test_what_was_put_back_by_hand_or_before_is_restored(machine):
    moved = machine.move(machine.cache / "apps.json")
    moved.entry.backup_path.rename(machine.cache / "apps.json")
    assert machine.quarantine.list()[0].state == "restored"
    with pytest.raises(QuarantineError, match="restored already"):
        machine.quarantine.restore(moved.entry.id, act=True)


def test_an_id_that_nobody_has_or_that_two_have_is_said(machine):
    for name in ("apps.json", "tools"):
        machine.move(machine.cache / name)
    for name, said in (("none", "no move is known"), ("", "no move is known")):
        with pytest.raises(InputError, match=said):
            machine.quarantine.restore(name, act=False)


def test_a_backup_is_not_moved_again(machine):
    moved = machine.move()
    with pytest.raises(QuarantineError, match="a backup already"):
        machine.move(moved.entry.backup_path)


@posix
def test_a_long_name_is_cut_in_the_backup_and_whole_when_it_comes_back(machine):
    file = machine.cache / ("ü" * 120)
    file.write_text("x", encoding="utf-8")
    moved = machine.move(file)
    assert len(os.fsencode(moved.entry.backup)) == 255
    machine.quarantine.restore(moved.entry.id, act=True)
    assert file.read_text(encoding="utf-8") == "x"


@linux
def test_a_name_that_is_no_text_comes_back(machine):
    file = machine.cache / os.fsdecode(b"half-\xff.json")
    file.write_text("x", encoding="utf-8")
    machine.quarantine.restore(machine.move(file).entry.id, act=True)
    assert file.exists()


@posix
def test_a_move_that_failed_is_none_whatever_comes_later(machine, monkeypatch):
    def refused(*_):
        raise PermissionError(errno.EPERM, "immutable")

    with monkeypatch.context() as patched:
        patched.setattr(Spot, "rename", refused)
        with pytest.raises(QuarantineError, match="cannot be moved: permission was denied"):
            machine.move()
    shutil.rmtree(machine.cache)
    assert [move.state for move in machine.quarantine.list()] == ["not-moved"]


@posix
def test_a_journal_that_cannot_be_written_moves_nothing(machine):
    machine.data.mkdir()
    (machine.data / "quarantine.jsonl").mkdir()
    before = tree(machine.home)
    with pytest.raises(QuarantineError, match="journal"):
        machine.quarantine.move(str(machine.cache / "apps.json"), "x", act=True)
    assert tree(machine.home) == before


HOLDER = """
import mmap, os, sys
how, path = sys.argv[1:]
if how == "open":
    kept = open(path)
elif how == "mapped":
    with open(path) as file:
        kept = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
else:
    os.chdir(os.path.dirname(path))
print("ready", flush=True)
sys.stdin.read()
"""


@linux
@pytest.mark.parametrize("how", ["open", "mapped", "works in it"])
def test_what_a_running_program_uses_is_refused_unless_forced(machine, how):
    command = [sys.executable, "-c", HOLDER, how, str(machine.cache / "tools" / "list.json")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"ready\n"
        with pytest.raises(QuarantineError, match=rf"is in use by python\S* \({holder.pid}\)"):
            machine.move()
        assert machine.cache.exists()
        moved = machine.move(force=True)
        assert any("in use by" in note for note in moved.notes)
        holder.stdin.close()
    machine.quarantine.restore(moved.entry.id, act=True)


@linux
def test_a_client_that_runs_is_told_though_it_has_nothing_open(machine, tmp_path):
    program = tmp_path / "codex"
    program.write_text(f"#!{sys.executable}\nprint('ready', flush=True); import sys; sys.stdin.read()")
    program.chmod(0o755)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout.readline() == b"ready\n"
        (note,) = (note for note in machine.move(act=False).notes if "its client runs" in note)
        assert f"codex ({client.pid})" in note
        client.stdin.close()


def test_where_the_system_does_not_tell_that_is_said(machine, monkeypatch, tmp_path):
    monkeypatch.setattr("diagnose.store.quarantine.users._PROC", tmp_path / "no-proc")
    assert any(note.startswith("not verified") for note in machine.move().notes)


class Meddler:
    """Somebody who acts in the very moment before a rename, or before a line of the journal."""

    def __init__(self, monkeypatch, owner, method, deed):
        self._before = getattr(owner, method)
        self._deed = deed

        def met(*args):  # a function, so that it becomes a method
            return self(*args)

        monkeypatch.setattr(owner, method, met)

    def __call__(self, *args):
        if self._deed is not None:
            deed, self._deed = self._deed, None
            deed()
        return self._before(*args)


@posix
@pytest.mark.parametrize("moment", [(Journal, "write"), (Spot, "rename")])
@pytest.mark.parametrize("by", ["link", "file", "other folder"])
def test_what_takes_its_place_meanwhile_is_not_moved(machine, monkeypatch, tmp_path, moment, by):
    decoy = tmp_path / "decoy"
    decoy.mkdir()
    (decoy / "keep").touch()

    def swapped():
        machine.cache.rename(machine.cache.with_name("aside"))
        if by == "link":
            machine.cache.symlink_to(decoy)
        else:
            machine.cache.touch() if by == "file" else machine.cache.mkdir()

    Meddler(monkeypatch, *moment, swapped)
    with pytest.raises(QuarantineError, match="was replaced"):
        machine.move()
    assert os.path.lexists(machine.cache)
    assert machine.cache.is_symlink() == (by == "link")
    assert [path.name for path in decoy.iterdir()] == ["keep"]
    assert [move.state for move in machine.quarantine.list()] == ["not-moved"]
    assert sorted(path.name for path in machine.cache.parent.iterdir()) == ["aside", "cache", "config.toml"]


@posix
@pytest.mark.parametrize("moment", [(Journal, "write"), (Spot, "rename")])
def test_a_link_in_the_place_of_its_folder_leads_nobody_elsewhere(machine, monkeypatch, tmp_path, moment):
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(machine.home / ".codex", elsewhere)
    real = tmp_path / "real"

    def swapped():
        (machine.home / ".codex").rename(real)
        (machine.home / ".codex").symlink_to(elsewhere)

    Meddler(monkeypatch, *moment, swapped)
    before, decoy = tree(machine.cache), tree(elsewhere)
    with pytest.raises(QuarantineError, match="was replaced"):
        machine.move()
    assert tree(elsewhere) == decoy
    assert tree(real / "cache") == before
