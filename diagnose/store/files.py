"""Files that are written whole or not at all, and read up to a bound."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from diagnose.errors import InputError, UsageError

#: The largest document that is read from a file or from stdin; the strict JSON parser has the same bound.
MAX_DOCUMENT = 64 * 1024 * 1024

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it would be larger than this process may write",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission was denied",
    errno.EPERM: "permission was denied",
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "a part of the path is no folder",
    errno.EISDIR: "it is a folder",
}


def reason(error: OSError) -> str:
    """Return in words why the operating system refused."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error))


def write_whole(path: str | os.PathLike[str], data: bytes, mode: int = 0o600) -> None:
    """Write a file so that a reader finds the old content or the new, whatever ends this process.

    The bytes go to a file beside it, are synced, and take its place by a rename. A symbolic link is followed; what is no
    regular file (a pipe, `/dev/stdout`) is written to directly. Raises `UsageError` where it cannot be written.
    """
    place = Path(os.path.realpath(path))
    try:
        if place.exists() and not stat.S_ISREG(place.stat().st_mode):
            place.write_bytes(data)
        elif not place.parent.is_dir():
            raise UsageError(
                f"{path} cannot be written: its folder does not exist", advice=f"Create {place.parent} first."
            )
        else:
            _replace(place, data, mode)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason(error)}") from error


def _replace(place: Path, data: bytes, mode: int) -> None:
    # mkstemp makes the file with mode 0600, so that nobody reads it before it has the mode that was asked for.
    descriptor, name = tempfile.mkstemp(prefix=".diagnose-", suffix=".part", dir=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _sync_folder(place.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system can sync a folder (Windows cannot)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_bounded(path: str | os.PathLike[str], max_bytes: int = MAX_DOCUMENT) -> bytes:
    """Return the content of a file of at most `max_bytes`; raises `InputError` where it cannot be read or is larger."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason(error)}") from error
    if len(data) > max_bytes:
        raise InputError(f"{path} is larger than {max_bytes} bytes, which is the most that is read")
    return data
