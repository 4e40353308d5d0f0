"""What is not moved: each in a dry run already, and each with a reason."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from diagnose.clients import CLIENTS
from diagnose.clients.guarded import guarded
from diagnose.store.quarantine import refusals
from diagnose.store.quarantine.errors import QuarantineError

from .conftest import tree

posix = pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")


def refused(machine, path, words):
    before = tree(machine.home)
    for act in (False, True):
        with pytest.raises(QuarantineError, match=words):
            machine.move(path, act=act)
    assert tree(machine.home) == before


@posix
def test_a_link_is_not_followed_wherever_it_stands(machine, tmp_path, monkeypatch):
    (tmp_path / "other").symlink_to(machine.home)
    (machine.cache / "link").symlink_to(machine.cache / "apps.json")
    refused(machine, machine.cache / "link", "is a link to .*apps.json")
    refused(machine, tmp_path / "other" / ".codex" / "cache", "is a link to .*home, and no link is followed")
    (tmp_path / "deep").symlink_to(machine.cache)
    refused(machine, tmp_path / "deep" / ".." / "cache", "is a link to .*codex")
    monkeypatch.chdir(machine.cache)
    assert machine.move("../cache/apps.json", act=False).entry.path == machine.cache / "apps.json"
    assert machine.move(".", act=False).entry.path == machine.cache


def test_roots_homes_and_what_all_programs_share(machine, monkeypatch):
    root = Path(machine.home.anchor)
    refused(machine, root, "is a root")
    refused(machine, machine.home, "is a home")
    refused(machine, machine.home.parent, "is a home, or holds one")
    for name in (".cache", ".config", "AppData/Local", "Library/Caches"):
        (machine.home / name).mkdir(parents=True)
        refused(machine, machine.home / name, "shared by all programs")


@posix
def test_the_home_of_this_user_whatever_the_environment_says(machine):
    refused(machine, Path("~").expanduser(), r"a home|a folder of the system|is a link")
    refused(machine, Path("/usr"), r"a folder of the system|is a link")


def test_what_is_needed_to_put_it_back(machine, tmp_path):
    machine.data = tmp_path / "kept" / "data"
    machine.data.mkdir(parents=True)
    (machine.data / "snapshots.sqlite3").touch()
    refused(machine, tmp_path / "kept", "what diagnose needs")
    refused(machine, machine.data / "snapshots.sqlite3", "diagnose's own")
    refused(machine, Path(sys.prefix), "what diagnose needs|is a link|a configuration|a home")


@pytest.mark.parametrize("entry", [entry for entry in CLIENTS if entry.configuration], ids=lambda entry: entry.id)
def test_no_configuration_of_a_client_is_moved_nor_a_folder_that_holds_it(machine, entry):
    for file in entry.configuration:
        place = machine.home / file.paths["linux"].partition("/")[2]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        refused(machine, place, "the configuration of")
        folder = machine.home / "deep"
        (folder / "a").mkdir(parents=True)
        shutil.copy(place, folder / "a" / place.name)
        refused(machine, folder, "configuration")
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    "name",
    [
        ".codex/auth.json",
        ".claude/.credentials.json",
        ".gemini/oauth_creds.json",
        ".config/goose/secrets.yaml",
        ".mcp-auth/mcp-remote-0.1/x_tokens.json",
        ".ssh/known_hosts",
        ".config/Code/User/globalStorage/state.vscdb",
        ".config/Claude/Cookies",
        "project/.env",
        "project/.env.local",
        "project/client.pem",
        "project/access-token",
        "project/My Passwords.txt",
    ],
)
def test_no_credential_is_moved_nor_a_folder_that_holds_it(machine, name):
    place = machine.home / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    refused(machine, place, "credentials|keeps logins")
    if place.parent.parent != machine.home or name.startswith("project"):
        refused(machine, place.parent, "credentials|keeps logins")


@pytest.mark.parametrize(
    "name", [".codex/cache/apps.json", ".config/Code/CachedData/x", ".cursor/projects/tools.json", "tokenizer.bin"]
)
def test_a_cache_is_neither(name):
    assert guarded(("/", "home", "secret-project", *name.split("/"))) is None


@posix
def test_what_is_no_file_and_what_cannot_be_looked_through(machine, monkeypatch):
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(machine.cache)  # the path of a socket is short
        listening.bind("s")
        refused(machine, machine.cache / "s", "neither a file nor a folder")
    refused(machine, machine.cache / "nothing", "does not exist")
    refused(machine, machine.home / "no" / "folder", "cannot be entered: it does not exist")
    refused(machine, machine.cache / "apps.json" / "x", "cannot be entered: a part of the path is no folder")
    refused(machine, "with\0nul", "a path was expected")
    monkeypatch.setattr(refusals, "MAX_FILES", 2)
    refused(machine, machine.cache, "more than 2 files")


@posix
def test_a_folder_of_folders_without_end_is_refused(machine):
    """Each level of it would hold a descriptor."""
    place = os.open(machine.cache, os.O_RDONLY)
    for _ in range(refusals.MAX_DEPTH + 2):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    with pytest.raises(QuarantineError, match="folders deep"):
        machine.move()
    assert machine.cache.exists()


DENIED = """
import os, sys
from diagnose.store.quarantine.errors import QuarantineError
from diagnose.store.quarantine.quarantine import Quarantine
if os.getuid() == 0: os.setuid(65534)  # no mode keeps root out
for path in sys.argv[1:]:
    try: Quarantine(env={"DIAGNOSE_DATA": "/nowhere"}, now=str).move(path, "x", act=True)
    except QuarantineError as error: print(error)
"""


@posix
def test_what_this_user_could_not_put_back(tmp_path_factory):
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as made:  # one that another user may enter; pytest's own he may not
        folder = Path(os.path.realpath(made))
        folder.chmod(0o755)
        for name in ("closed", "sticky", "hidden"):
            (folder / name).mkdir()
            (folder / name / "cache.json").touch()
            (folder / name).chmod({"closed": 0o555, "sticky": 0o1777, "hidden": 0o300}[name])
        paths = [str(folder / "closed" / "cache.json"), str(folder / "sticky" / "cache.json")]
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", DENIED, *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        for name in ("closed", "hidden"):
            (folder / name).chmod(0o755)
    said = done.stdout.splitlines()
    assert "names in its folder cannot be changed" in said[0]
    assert os.getuid() != 0 or "belongs to somebody else" in said[1]


@posix
def test_a_volume_or_what_holds_one(machine):
    mount, volume = shutil.which("mount"), machine.cache / "volume"
    volume.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "none", str(volume)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount")
    try:
        refused(machine, volume, "is a volume")
        refused(machine, machine.cache, "one is mounted in it")
    finally:
        subprocess.run(["umount", str(volume)], check=True)
    assert machine.move(act=False).state == "planned"


def test_a_mount_of_the_same_device_is_a_volume_too(machine, monkeypatch):
    """A bind mount has the device of its folder: only the table of mounts tells."""
    monkeypatch.setattr(refusals, "_mount_points", lambda: iter([machine.cache / "tools"]))
    refused(machine, machine.cache, "one is mounted in it")
    refused(machine, machine.cache / "tools", "is a volume")
    assert machine.move(machine.cache / "apps.json", act=False).state == "planned"
