"""The key of this machine, under which secrets are fingerprinted."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from diagnose.credentials.datafolder import make_private
from diagnose.errors import UsageError

KEY_FILE = "fingerprint.key"
KEY_BYTES = 32

_ADVICE = (
    "Move it away to get a new one, or name another folder with DIAGNOSE_DATA; "
    "fingerprints and snapshots of credentials that were made under the old key are then no longer recognised."
)


def machine_key(folder: Path) -> bytes:
    """Return the 32 random bytes kept in ``folder``, made on first use with mode 0600 and never replaced.

    Processes that start at once agree on one key. Raises `UsageError` where it cannot be read, made or is damaged.
    """
    path = folder / KEY_FILE
    try:
        return _read(path)
    except FileNotFoundError:
        make_private(folder)
    try:
        _create(path)
        return _read(path)
    except OSError as error:
        raise _problem(path, f"cannot be made: {error.strerror or error}") from error


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            key = file.read(KEY_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _problem(path, f"cannot be read: {error.strerror or error}") from error
    if len(key) != KEY_BYTES:
        raise _problem(path, f"is damaged: it does not hold {KEY_BYTES} bytes")
    return key


def _create(path: Path) -> None:
    """Publish a whole new key, unless another process was first.

    It is written elsewhere and then given its name by a call that fails where the name is taken, so that nobody ever
    reads half a key, and a kill leaves none.
    """
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        publish = os.rename if os.name == "nt" else os.link
        with contextlib.suppress(FileExistsError):
            publish(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()


def _problem(path: Path, what: str) -> UsageError:
    return UsageError(f"the fingerprint key {path} {what}", advice=_ADVICE)
