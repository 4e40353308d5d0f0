"""Where the snapshot database is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "snapshots.sqlite3"


def store_path(env: Mapping[str, str], option: str | None = None) -> Path:
    """Return the database's place: `--store`, then DIAGNOSE_STORE, then a file in the user's data folder."""
    named = option or env.get("DIAGNOSE_STORE")
    if named:
        return Path(named)
    from diagnose.credentials.datafolder import data_folder

    return data_folder(env) / FILE_NAME
