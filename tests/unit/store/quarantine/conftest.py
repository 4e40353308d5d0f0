"""A folder like a client's, a journal of its own, and a clock."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from diagnose.store.quarantine.quarantine import Quarantine

NOON = "2026-11-30T12:00:00.000Z"


@dataclass
class Machine:
    """A home with one client in it, and the quarantine of its user."""

    home: Path
    data: Path

    @property
    def quarantine(self):
        return Quarantine(env={"DIAGNOSE_DATA": str(self.data), "HOME": str(self.home)}, now=lambda: NOON)

    @property
    def cache(self):
        return self.home / ".codex" / "cache"

    def move(self, path=None, *, act=True, force=False):
        return self.quarantine.move(str(path or self.cache), "old tools", act=act, force=force)


def tree(folder):
    """Return everything below a folder: kind, mode, time, and content or where a link leads."""
    return {str(path.relative_to(folder)): _told(path) for path in sorted(folder.rglob("*"))}


def _told(path):
    found = path.lstat()
    if path.is_symlink():
        return ("link", str(path.readlink()))
    return (found.st_mode, found.st_mtime_ns, path.read_bytes() if path.is_file() else found.st_ino)


@pytest.fixture
def machine(tmp_path):
    made = Machine(home=tmp_path / "home", data=tmp_path / "data")
    made.cache.mkdir(parents=True)
    (made.home / ".codex" / "config.toml").write_text("[mcp_servers]", encoding="utf-8")
    for name in ("apps.json", "tools/list.json"):
        file = made.cache / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'["{name}"]', encoding="utf-8")
        file.chmod(0o640)
        os.utime(file, ns=(1_000_000_000, 1_234_567_890))
    return made
