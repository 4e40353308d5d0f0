"""What is not moved, and why: looked at before anything is done, in a dry run as well."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from diagnose.clients.guarded import guarded, guarded_itself
from diagnose.credentials.datafolder import config_folder, data_folder
from diagnose.store.files import reason
from diagnose.store.quarantine.errors import SMALLER, QuarantineError
from diagnose.store.quarantine.spot import Spot, is_link

#: So many files are looked through; a cache of a tool list has a handful.
MAX_FILES: Final = 100_000
MAX_DEPTH: Final = 100
#: More parts than any path of a client's configuration has, below a folder of the user.
_TAIL: Final = 12
_OCTAL: Final = re.compile(rb"\\([0-3][0-7]{2})")
#: Folders in which other folders are homes.
_OF_HOMES: Final = frozenset({"/home", "/Users", "/var/home", "/export/home"})
#: Folders of a home, below it, that all programs share.
_SHARED: Final = (
    ".cache",
    ".config",
    ".local",
    ".local/share",
    ".local/state",
    "Library",
    "Library/Application Support",
    "Library/Caches",
    "Library/Logs",
    "AppData",
    "AppData/Local",
    "AppData/Roaming",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a file or folder is made of."""

    files: int
    """How many files, links and folders, itself included."""
    bytes: int
    identities: frozenset[tuple[int, int]]
    """Device and inode of each."""
    names: int
    """How many other names its files have (hard links), which stay where they are."""


def looked_through(spot: Spot, found: os.stat_result, env: Mapping[str, str]) -> Content:
    """Return what is there, if it may be moved and could be put back. Raises `QuarantineError`."""
    path = spot.path
    if is_link(found):
        target = os.path.realpath(path)
        raise QuarantineError(
            f"{path} is a link to {target}, and no link is followed", advice="Name what it leads to, if that is meant."
        )
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise QuarantineError(f"{path} is neither a file nor a folder, and is not moved")
    _refuse_place(path, found, env)
    _refuse_volume(spot, found)
    _refuse_what_cannot_come_back(spot, found)
    return _content(spot, found)


def _refuse_place(path: Path, found: os.stat_result, env: Mapping[str, str]) -> None:
    if stat.S_ISDIR(found.st_mode):
        for home in _homes(env, found.st_uid):
            if path == home or path in home.parents:
                raise QuarantineError(f"{path} is a home, or holds one, and is not moved", advice=SMALLER)
            if any(path == home / part for part in _SHARED):
                raise QuarantineError(f"{path} is shared by all programs, and is not moved", advice=SMALLER)
        if len(path.parts) <= 2 or str(path.parent) in _OF_HOMES:
            raise QuarantineError(f"{path} is a home or a folder of the system, and is not moved", advice=SMALLER)
    ours = [data_folder(env), config_folder(env), *map(Path, (sys.prefix, sys.base_prefix)), Path(__file__).parents[2]]
    for own in (Path(os.path.realpath(each)) for each in ours):
        if path == own or path in own.parents:
            raise QuarantineError(f"{path} holds what diagnose needs to put it back, and is not moved", advice=SMALLER)
    if Path(os.path.realpath(data_folder(env))) in path.parents:
        raise QuarantineError(f"{path} is diagnose's own, and is not moved")


def _homes(env: Mapping[str, str], owner: int) -> Iterator[Path]:
    """Yield the homes that are known: this user's, by environment and by system, and the owner's."""
    for name in ("HOME", "USERPROFILE"):
        if env.get(name):
            yield Path(os.path.realpath(env[name]))
    if sys.platform != "win32":
        import pwd

        for user in (os.getuid(), owner):
            try:
                yield Path(os.path.realpath(pwd.getpwuid(user).pw_dir))
            except KeyError:
                continue


def _refuse_volume(spot: Spot, found: os.stat_result) -> None:
    mounted = [each for each in _mount_points() if each == spot.path or spot.path in each.parents]
    if spot.standing().st_dev != found.st_dev or mounted or os.path.ismount(spot.path):
        raise QuarantineError(f"{spot.path} is a volume, or one is mounted in it, and is not moved", advice=SMALLER)


def _mount_points() -> Iterator[Path]:
    """Yield where something is mounted, as Linux tells it; elsewhere, devices tell."""
    try:
        text = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) > 4:
            # proc(5): blanks and the like stand as octal numbers.
            yield Path(os.fsdecode(_OCTAL.sub(lambda found: bytes([int(found[1], 8)]), os.fsencode(fields[4]))))


def _refuse_what_cannot_come_back(spot: Spot, found: os.stat_result) -> None:
    if not spot.writable():
        raise QuarantineError(f"{spot.path} cannot be moved: names in its folder cannot be changed by this user")
    if sys.platform == "win32":
        return
    folder = spot.standing()
    # stat(2): in a folder with the sticky bit, a name belongs to the owner of the file, or of the folder.
    if folder.st_mode & stat.S_ISVTX and os.geteuid() not in {0, found.st_uid, folder.st_uid}:
        raise QuarantineError(f"{spot.path} cannot be moved: it belongs to somebody else")


def _content(spot: Spot, found: os.stat_result) -> Content:
    """Look at everything in a folder; what is configuration or credential keeps the whole from being moved."""
    _refuse_guarded(spot.path, guarded(spot.path.parts))
    total, others, identities = found.st_size, _others(found), {(found.st_dev, found.st_ino)}
    if stat.S_ISDIR(found.st_mode):
        for path, each in _below(spot):
            _refuse_guarded(path, guarded_itself(path.parts[-_TAIL:]))
            if each.st_dev != found.st_dev:
                raise QuarantineError(f"{path} is another volume, so that {spot.path} is not moved", advice=SMALLER)
            if len(identities) >= MAX_FILES:
                raise QuarantineError(
                    f"{spot.path} holds more than {MAX_FILES} files, and is not moved", advice=SMALLER
                )
            total += each.st_size
            others += _others(each)
            identities.add((each.st_dev, each.st_ino))
    return Content(files=len(identities), bytes=total, identities=frozenset(identities), names=others)


def _others(found: os.stat_result) -> int:
    return max(found.st_nlink - 1, 0) if stat.S_ISREG(found.st_mode) else 0


def _refuse_guarded(path: Path, what: str | None) -> None:
    if what is not None:
        raise QuarantineError(f"{path} is {what}, and is not moved", advice="Caches are moved, and nothing else.")


def _below(spot: Spot) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield everything in a folder, links as links. Raises `QuarantineError` where it cannot be looked through."""

    def failed(error: OSError) -> None:
        raise error

    # Of the two, `fwalk` goes from folder to folder by what is held, so that nobody can lead it elsewhere.
    walk = os.walk(spot.path, onerror=failed) if spot.held is None else _held_walk(spot, failed)
    try:
        for root, folders, files, *held in walk:
            if root.count(os.sep) > MAX_DEPTH:
                raise QuarantineError(f"{spot.path} is more than {MAX_DEPTH} folders deep, and is not moved")
            for name in (*folders, *files):
                place = spot.folder / root / name
                yield place, os.stat(name, dir_fd=held[0], follow_symlinks=False) if held else place.lstat()
    except (OSError, RecursionError) as error:
        told = reason(error) if isinstance(error, OSError) else "it is too deep"
        raise QuarantineError(f"{spot.path} cannot be looked through ({told}), and is not moved") from error


def _held_walk(spot: Spot, failed: Callable[[OSError], None]) -> Iterator[tuple[str, list[str], list[str], int]]:
    return os.fwalk(spot.name, dir_fd=spot.held, onerror=failed, follow_symlinks=False)
