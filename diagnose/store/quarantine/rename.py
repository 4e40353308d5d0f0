"""A rename that never takes the place of something.

POSIX's rename replaces whatever has the new name. Linux has `renameat2` with RENAME_NOREPLACE and macOS `renameatx_np` with
RENAME_EXCL, which fail with EEXIST instead; Windows never replaces. Python offers neither, so the C library is asked.
"""

from __future__ import annotations

import errno
import os
import sys
from functools import cache
from typing import Any, Final

#: linux/fs.h, and sys/stdio.h of macOS.
_FLAG: Final = {"linux": 1, "darwin": 4}
_FUNCTION: Final = {"linux": "renameat2", "darwin": "renameatx_np"}
#: What a file system answers that has no such rename (NFS, some of FUSE), and a system that is older than it.
_NOT_THERE: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP})


def rename_new(old: str, new: str, *, folder: int | None) -> None:
    """Give a name of a folder another one that is free. ``folder`` is its descriptor; None where both are whole paths.

    Raises `FileExistsError` where the new name is taken, `OSError` for anything else. Where the system has no such rename,
    the name is looked at first: between the look and the rename somebody might still take it.
    """
    function = _exclusive()
    if function is not None and folder is not None:
        done = function(folder, os.fsencode(old), folder, os.fsencode(new), _FLAG[sys.platform])
        if done == 0:
            return
        number = _errno()
        if number not in _NOT_THERE:
            raise OSError(number, os.strerror(number), new)
    if os.name != "nt" and _is_there(new, folder):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)


def _is_there(name: str, folder: int | None) -> bool:
    try:
        os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


@cache
def _exclusive() -> Any:
    """Return the C function for it; None where there is none."""
    if sys.platform not in _FUNCTION:
        return None
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), _FUNCTION[sys.platform], None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
        function.restype = ctypes.c_int
    return function


def _errno() -> int:
    import ctypes

    return ctypes.get_errno()
