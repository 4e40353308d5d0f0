"""The system's keyring, which may be missing, locked, a sham, or stuck: each is one clear error here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote, unquote

from diagnose.credentials.datafolder import make_private
from diagnose.errors import UsageError
from diagnose.evidence.secret import Secret
from diagnose.record import record

if TYPE_CHECKING:
    from types import ModuleType

    from diagnose.transport.origin import Origin

SERVICE = "diagnose"
INDEX = "keyring"

#: Seconds for a keyring to answer. A locked one asks a person, whom only `auth set` and `auth remove` can count on.
PATIENCE = 5.0
PATIENCE_WITH_A_PERSON = 60.0

_OTHER_WAYS = "Hand the credential over with --auth env:VAR, --auth file:PATH or --auth command:CMD instead."

T = TypeVar("T")


class KeyringError(UsageError):
    """The keyring cannot be used; the text says why, the advice names the other ways."""

    def __init__(self, why: str) -> None:
        super().__init__(why, advice=_OTHER_WAYS)


@record
class KeyringStore:
    """Credentials in the system's keyring: service `diagnose`, the origin as the user name.

    Loading a keyring takes longer than all else that a short command does. So each origin that `put` stored has an empty
    file named after it in ``folder``/keyring, and `may_hold` looks only there: a plain run never loads the keyring where
    nothing was ever stored. An entry that other means put into the keyring is found by `get`, but not by `may_hold`.
    """

    folder: Path
    patience: float = PATIENCE

    def may_hold(self, origin: Origin) -> bool:
        """Return whether `put` has stored a credential for ``origin``, without asking the keyring."""
        return str(origin) in self.origins()

    def origins(self) -> tuple[str, ...]:
        """Return the origins that `put` has stored a credential for, sorted."""
        try:
            return tuple(sorted(unquote(path.name) for path in (self.folder / INDEX).iterdir()))
        except OSError:
            return ()

    def get(self, origin: Origin) -> Secret | None:
        """Return the credential stored for ``origin``, if there is one. Raises `KeyringError`."""
        value = self._ask(lambda keyring: keyring.get_password(SERVICE, str(origin)))
        return Secret(value) if value else None

    def put(self, origin: Origin, secret: Secret) -> None:
        """Store ``secret`` for ``origin`` and read it back. Raises `KeyringError`, or `UsageError` for the index."""
        self._ask(lambda keyring: keyring.set_password(SERVICE, str(origin), secret.reveal()))
        if self.get(origin) != secret:
            raise KeyringError("the keyring took the credential, but did not give it back")
        marker = self._marker(origin)
        make_private(self.folder)
        make_private(marker.parent)
        try:
            marker.touch(mode=0o600)
        except OSError as error:
            raise UsageError(f"the keyring's index {marker} cannot be written: {error.strerror or error}") from error

    def remove(self, origin: Origin) -> bool:
        """Remove the credential for ``origin``; returns whether there was one. Raises `KeyringError`."""
        present = self.get(origin) is not None
        if present:
            self._ask(lambda keyring: keyring.delete_password(SERVICE, str(origin)))
        self._marker(origin).unlink(missing_ok=True)
        return present

    def _marker(self, origin: Origin) -> Path:
        return self.folder / INDEX / quote(str(origin), safe="")

    def _ask(self, question: Callable[[ModuleType], T]) -> T:
        """Put a question to the keyring in a thread of its own, which is given up when it takes too long."""
        answers: list[T] = []
        failures: list[Exception] = []

        def work() -> None:
            try:
                answers.append(question(_usable_keyring()))
            except Exception as error:  # noqa: BLE001 - backends let out whatever their system raises
                failures.append(error)

        worker = threading.Thread(target=work, name="keyring", daemon=True)
        worker.start()
        worker.join(self.patience)
        if failures:
            raise _explained(failures[0]) from None
        if not answers:
            raise KeyringError(
                f"the keyring did not answer within {self.patience:g} seconds; it may be locked and asking"
            )
        return answers[0]


def _usable_keyring() -> ModuleType:
    """Load keyring and refuse a backend that stores nothing, or stores in plain text."""
    import keyring

    backend = keyring.get_keyring()
    # A chainer asks several in turn; it writes to the first.
    chain = getattr(backend, "backends", None)
    for kind in type(chain[0] if chain else backend).__mro__:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name.startswith("keyring.backends.fail."):
            raise KeyringError("this machine has no keyring")
        if name.startswith("keyring.backends.null."):
            raise KeyringError("the keyring is switched off (its null backend is selected)")
        if name.startswith("keyrings.alt.") or "plaintext" in name.lower():
            raise KeyringError(f"the keyring backend {name} is refused, since it does not keep secrets safe")
    return keyring


def _explained(error: Exception) -> UsageError:
    """Return the failure in one sentence. The text of a backend's error is left out: it may hold what was being stored."""
    from keyring import errors

    if isinstance(error, UsageError):
        return error
    if isinstance(error, errors.NoKeyringError):
        return KeyringError("this machine has no keyring")
    if isinstance(error, errors.KeyringLocked):
        return KeyringError("the keyring is locked")
    return KeyringError(f"the keyring failed ({type(error).__name__})")
