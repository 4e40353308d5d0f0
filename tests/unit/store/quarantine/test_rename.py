"""A rename takes no place that is taken, with the system's help and without."""

from __future__ import annotations

import errno
import os
import sys

import pytest

from diagnose.store.quarantine import rename
from diagnose.store.quarantine.rename import rename_new


@pytest.fixture(params=["this system's", "none", "one that the file system lacks"])
def system(request, monkeypatch):
    if request.param == "none":
        monkeypatch.setattr(rename, "_exclusive", lambda: None)
    elif request.param.startswith("one"):
        if sys.platform not in {"linux", "darwin"}:
            pytest.skip("Windows needs no other rename")
        monkeypatch.setattr(rename, "_exclusive", lambda: lambda *_: -1)
        monkeypatch.setattr(rename, "_errno", lambda: errno.EINVAL)
    return request.param


@pytest.fixture
def folder(tmp_path):
    held = os.open(tmp_path, os.O_RDONLY) if os.name == "posix" else None
    yield held
    if held is not None:
        os.close(held)


def at(name, tmp_path, folder):
    return name if folder is not None else str(tmp_path / name)


@pytest.mark.parametrize("there", ["file", "empty folder", "dangling link"])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_name_that_is_taken_stays_as_it_is(system, tmp_path, folder, there, kind):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir() if kind == "folder" else old.write_text("old", encoding="utf-8")
    if there == "file":
        new.write_text("new", encoding="utf-8")
    elif there == "empty folder":
        new.mkdir()
    else:
        new.symlink_to("nowhere")
    identity = new.lstat().st_ino
    with pytest.raises(OSError):
        rename_new(at("old", tmp_path, folder), at("new", tmp_path, folder), folder=folder)
    assert old.exists()
    assert new.lstat().st_ino == identity


def test_a_free_name_is_taken(system, tmp_path, folder):
    (tmp_path / "old").write_text("old", encoding="utf-8")
    rename_new(at("old", tmp_path, folder), at("new", tmp_path, folder), folder=folder)
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("new", "old")]
    with pytest.raises(FileNotFoundError):
        rename_new(at("old", tmp_path, folder), at("other", tmp_path, folder), folder=folder)
