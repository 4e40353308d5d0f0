"""A name in a folder that was reached without following a link, and that is held open.

Between a look and a move, a folder on the way might be replaced by a link that leads elsewhere. So each folder is opened
from the root on, none by a link, and what follows is done in the folder that is held, by name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from diagnose.store.files import reason
from diagnose.store.quarantine.errors import SMALLER, QuarantineError
from diagnose.store.quarantine.rename import rename_new

_HOLDS: Final = os.open in os.supports_dir_fd
#: O_PATH needs no permission to list the folders on the way; other systems than Linux have no such thing.
_FOLDER: Final = (
    getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_PATH", os.O_RDONLY)
)
#: Windows: a junction, or a symbolic link (winnt.h, IO_REPARSE_TAG_MOUNT_POINT and _SYMLINK).
_REPARSE_LINKS: Final = frozenset({0xA0000003, 0xA000000C})


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for one file or folder: the folder that is held, and the name in it, which may be free."""

    folder: Path
    name: str
    held: int | None
    """The folder's descriptor; None on Windows, where paths are all there is."""

    @property
    def path(self) -> Path:
        """The whole path."""
        return self.folder / self.name

    def look(self, name: str | None = None) -> os.stat_result | None:
        """Return what has this name in the folder (a link: the link itself); None where the name is free."""
        try:
            return os.lstat(self._at(name or self.name), dir_fd=self.held)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise QuarantineError(f"{self.path} cannot be looked at: {reason(error)}") from error

    def standing(self) -> os.stat_result:
        """Return what the folder itself is."""
        return os.stat(self.folder if self.held is None else self.held)  # noqa: PTH116 - Path has no descriptors

    def is_reached(self) -> bool:
        """Tell whether the path leads to the folder that is held, and not to another that took its place."""
        try:
            with spot_of(self.path) as anew:
                return os.path.samestat(anew.standing(), self.standing())
        except QuarantineError:
            return False

    def rename(self, old: str, new: str) -> None:
        """Give a name of the folder another one that is free. Raises `OSError`."""
        rename_new(self._at(old), self._at(new), folder=self.held)

    def sync(self) -> None:
        """Make a rename durable, where the system can sync a folder and lets us list it."""
        with suppress(OSError):
            descriptor = os.open("." if self.held is not None else self.folder, os.O_RDONLY, dir_fd=self.held)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def writable(self) -> bool:
        """Tell whether names in the folder can be given and taken."""
        if self.held is None:
            return os.access(self.folder, os.W_OK)
        return os.access(".", os.W_OK | os.X_OK, dir_fd=self.held)

    def _at(self, name: str) -> str:
        return name if self.held is not None else str(self.folder / name)


def is_link(found: os.stat_result) -> bool:
    """Tell whether something is a symbolic link, or on Windows a junction."""
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) in _REPARSE_LINKS


@contextmanager
def spot_of(typed: str | os.PathLike[str]) -> Iterator[Spot]:
    """Hold the folder of a path for as long as the block lasts.

    Raises `QuarantineError` where a link stands on the way, a folder is not there, or the path is that of a root.
    """
    path = _absolute(os.fspath(typed))
    if path.parent == path:
        raise QuarantineError(f"{path} is a root, and is not moved", advice=SMALLER)
    held = _open(path.parent)
    try:
        yield Spot(folder=path.parent, name=path.name, held=held)
    finally:
        if held is not None:
            os.close(held)


def _absolute(typed: str) -> Path:
    if not typed or "\0" in typed:
        raise QuarantineError("a path was expected, and this is none")
    path = Path(typed)
    if path.name in {"", ".", ".."}:
        return Path(os.path.realpath(path))
    whole = Path.cwd() / path
    real = Path(os.path.realpath(whole.parent)) / whole.name
    plain = Path(os.path.abspath(whole))  # noqa: PTH100 - Path.absolute leaves `..` where it is
    if ".." in whole.parts and real != plain:
        raise _through_a_link(plain, real)
    return plain


def _open(folder: Path) -> int | None:
    """Open a folder from the root on, each by its name alone; on Windows, look at each on the way."""
    if not _HOLDS:
        for part in (folder, *folder.parents):
            if is_link(_lstat(part)):
                raise _through_a_link(part, Path(os.path.realpath(part)))
        return None
    held = os.open(folder.anchor, _FOLDER)
    place = Path(folder.anchor)
    for name in folder.parts[1:]:
        place /= name
        try:
            inner = os.open(name, _FOLDER, dir_fd=held)
        except OSError as error:
            raise _not_opened(place, error) from error
        finally:
            os.close(held)
        held = inner
    return held


def _lstat(path: Path) -> os.stat_result:
    try:
        return path.lstat()
    except OSError as error:
        raise QuarantineError(f"{path} cannot be looked at: {reason(error)}") from error


def _not_opened(place: Path, error: OSError) -> QuarantineError:
    # A link gives ELOOP, or with O_DIRECTORY on Linux ENOTDIR.
    if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK} and place.is_symlink():
        return _through_a_link(place, Path(os.path.realpath(place)))
    return QuarantineError(f"{place} cannot be entered: {reason(error)}")


def _through_a_link(place: Path, real: Path) -> QuarantineError:
    return QuarantineError(
        f"{place} is a link to {real}, and no link is followed", advice="Name the real path, if that is what is meant."
    )
