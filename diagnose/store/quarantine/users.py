"""Which running programs have a file open, as Linux tells it in /proc; elsewhere that is not verified, and said so."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Who has it open, by name and process id, and what could not be looked at."""

    holders: tuple[str, ...]
    unseen: int
    """How many processes of other users could not be looked at."""
    verified: bool
    """Whether this system tells at all."""
    running: tuple[str, ...] = ()
    """Programs of the names that were asked for, by name and process id, whether or not they have it open."""


def use_of(path: Path, identities: Collection[tuple[int, int]], programs: Collection[str] = ()) -> Use:
    """Return which processes have a file open, work in a folder, or have a file in their memory.

    ``programs`` are names of programs that are told wherever they run.
    """
    if not (_PROC / "self" / "fd").is_dir():
        return Use(holders=(), unseen=0, verified=False)
    holders, running, unseen = [], [], 0
    for process in _PROC.glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        try:
            name = _name(process, programs)
            if name in programs:
                running.append(f"{name} ({process.name})")
            if any(found in identities for found in _opened(process)) or _mapped(process, path):
                holders.append(f"{name} ({process.name})")
        except PermissionError:
            unseen += 1
        except OSError:
            continue  # it has ended meanwhile
    return Use(holders=tuple(holders), unseen=unseen, verified=True, running=tuple(running))


def _opened(process: Path) -> Iterator[tuple[int, int]]:
    """Yield device and inode of the working folder, and of each open file, whatever name it was opened by."""
    for link in (process / "cwd", *(process / "fd").iterdir()):
        try:
            found = link.stat()
        except FileNotFoundError:
            continue  # closed meanwhile, or a file that is gone
        yield found.st_dev, found.st_ino


def _mapped(process: Path, path: Path) -> bool:
    """Tell whether a file was mapped into memory: its descriptor may be closed."""
    name = os.fsencode(path)
    for line in (process / "maps").read_bytes().splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and (fields[5] == name or fields[5].startswith(name + b"/")):
            return True
    return False


def _name(process: Path, programs: Collection[str]) -> str:
    """Return what a process is called: by its program, or by the script that this runs (`node …/gemini`)."""
    words = [Path(os.fsdecode(word)).name for word in (process / "cmdline").read_bytes().split(b"\0")[:2]]
    return next((word for word in words if word in programs), words[0][:_LONGEST] or "a process")
