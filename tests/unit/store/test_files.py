"""Files are written whole or not at all, and read up to a bound."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from diagnose.errors import InputError, UsageError
from diagnose.store.files import read_bounded, write_whole

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(os.name != "posix", reason="modes, pipes and limits of POSIX")


@posix
def test_what_was_written_is_read_back_and_only_the_owner_may_read_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", b"{}\n")
    assert read_bounded(tmp_path / "a.json") == b"{}\n"
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


@posix
def test_an_existing_file_is_replaced_and_its_wide_mode_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old and longer")
    path.chmod(0o644)
    write_whole(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "a.json")
    write_whole(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "a.json").read_bytes() == b"x"


@posix
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"through")
    reader.join(10)
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing/a.json", "its folder does not exist"),
        (".", "it is a folder"),
        ("file/a.json", "folder does not exist"),
    ],
)
def test_a_place_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match=words):
        write_whole(tmp_path / path, b"x")


@posix
def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """A limit on file size stands for the full disk: the kernel refuses in the middle of the write."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    program = (
        "import sys; from diagnose.store.files import write_whole; from diagnose.errors import UsageError\n"
        "try: write_whole(sys.argv[1], b'x' * 1_000_000)\n"
        "except UsageError as error: print(error)"
    )

    import resource
    import signal

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True, preexec_fn=limit
    )
    assert "larger than this process may write" in done.stdout
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


def test_reading_stops_at_the_bound(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bounded(tmp_path / "a", 5) == b"12345"
    with pytest.raises(InputError, match="larger than 4 bytes"):
        read_bounded(tmp_path / "a", 4)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_bounded(tmp_path / "none")
    with pytest.raises(InputError, match="is a folder"):
        read_bounded(tmp_path)
