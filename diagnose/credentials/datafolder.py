"""Where this program keeps its own files; nothing here creates anything but `make_private`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from diagnose.errors import UsageError

APP = "diagnose"


def data_folder(env: Mapping[str, str], override: str | None = None) -> Path:
    """Return the folder of snapshots, keys and indexes: ``override``, DIAGNOSE_DATA, or the platform's for this user."""
    return _stated(env, override, "DIAGNOSE_DATA") or _of_user(env, "XDG_DATA_HOME", ".local/share", "user_data_path")


def config_folder(env: Mapping[str, str], override: str | None = None) -> Path:
    """Return the folder of ``config.toml``: ``override``, DIAGNOSE_CONFIG, or the platform's for this user."""
    return _stated(env, override, "DIAGNOSE_CONFIG") or _of_user(env, "XDG_CONFIG_HOME", ".config", "user_config_path")


def make_private(folder: Path, *, named_by: str = "DIAGNOSE_DATA") -> None:
    """Create ``folder`` and those above it that are missing, for their owner alone (0700); one that exists stays as it is.

    Raises `UsageError` if that cannot be done; ``named_by`` says how a person names another place.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        for each in reversed(missing):
            each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the folder {folder} cannot be made: {error.strerror or error}",
            advice=f"Name another one with {named_by}.",
        ) from error


def _stated(env: Mapping[str, str], override: str | None, variable: str) -> Path | None:
    stated = override or env.get(variable)
    return Path(stated).expanduser() if stated else None


def _of_user(env: Mapping[str, str], variable: str, default: str, elsewhere: str) -> Path:
    """Return the folder by the XDG base directories, or as platformdirs knows it (`elsewhere`) where those do not hold."""
    if sys.platform in {"win32", "darwin"}:
        import platformdirs

        path: Path = getattr(platformdirs, elsewhere)(APP, appauthor=False)
        return path
    # Not by platformdirs here: that reads the environment of this process, and the one that was handed in counts.
    base = Path(env.get(variable, ""))
    return (base if base.is_absolute() else Path.home() / default) / APP
