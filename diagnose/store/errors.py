"""What can be wrong with the snapshot database, in words that say what to do."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from diagnose.errors import UsageError
from diagnose.store.files import reason

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

#: How long one run waits for another that writes (seconds).
BUSY_SECONDS = 10.0

#: The advice where a file is not to be used.
ELSEWHERE = "The file was left as it is. Name another with --store or DIAGNOSE_STORE, or move this one away."

#: SQLite's primary result codes (https://www.sqlite.org/rescode.html): what they mean here, and what to do.
_MEANING = {
    "SQLITE_NOTADB": ("is no SQLite database", ELSEWHERE),
    "SQLITE_CORRUPT": ("is damaged", ELSEWHERE),
    "SQLITE_ERROR": ("is damaged: it does not hold the tables that it should", ELSEWHERE),
    "SQLITE_FULL": ("cannot be written: the disk is full", "Nothing was stored; what was there before is whole."),
    "SQLITE_IOERR": ("cannot be read or written: the disk refused", "What was there before is whole."),
    "SQLITE_READONLY": ("cannot be written: the file or its folder is read-only", "Name another with --store."),
    "SQLITE_CANTOPEN": (
        "cannot be opened",
        "See whether it is a file, and whether you may read it and write its folder.",
    ),
    "SQLITE_PERM": ("cannot be opened: permission was denied", "Name another with --store."),
    "SQLITE_BUSY": (
        f"has been in use by another run for more than {BUSY_SECONDS:g} s",
        "Try again when that has ended.",
    ),
    "SQLITE_LOCKED": ("is in use", "Try again."),
    "SQLITE_TOOBIG": ("cannot hold it: a definition is too large", ""),
}


class StoreError(UsageError):
    """The snapshot database cannot be used; it was not changed (exit 2)."""


def damaged(path: Path | str, detail: str) -> StoreError:
    """Return the error for a database whose content is not what was written."""
    return StoreError(f"the snapshot database {path} is damaged: {detail}", advice=ELSEWHERE)


@contextmanager
def explained(path: Path | str) -> Iterator[None]:
    """Turn errors of SQLite and of the system into `StoreError`; what has no meaning here is a fault of ours and passes."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        raise _explain(error, path) from error
    except OSError as error:
        raise StoreError(f"the snapshot database {path} cannot be opened: {reason(error)}") from error


def _explain(error: sqlite3.Error, path: Path | str) -> Exception:
    name = getattr(error, "sqlite_errorname", "")
    if not name and "decode" in str(error).lower():
        return damaged(path, "it holds text that is not UTF-8")
    for code, (meaning, advice) in _MEANING.items():
        # Extended codes have the primary one as their prefix: SQLITE_IOERR_WRITE, SQLITE_BUSY_SNAPSHOT.
        if name == code or name.startswith(f"{code}_"):
            return StoreError(f"the snapshot database {path} {meaning}", advice=advice)
    return error
