"""Moving a client's cache file away, and back: what was asked for, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from diagnose.clients import CLIENTS
from diagnose.errors import UsageError
from diagnose.store.quarantine.quarantine import Quarantine, Standing

if TYPE_CHECKING:
    from diagnose.clients import Client
    from diagnose.evidence.redact import Redactor

Action: TypeAlias = Literal["move", "list", "restore"]
#: The longest reason that is written down.
MAX_REASON: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineLook:
    """What one run did, or would do."""

    action: Action
    done: bool
    """Whether anything was moved."""
    moves: tuple[Standing, ...]

    def client(self, move: Standing) -> Client | None:
        """Return the client in whose folder it lies, where that is known."""
        return next((entry for entry in CLIENTS if entry.id == move.entry.client), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mover:
    """Who moves: the environment says where the journal is, ``now`` what time it is."""

    env: Mapping[str, str]
    now: Callable[[], str]
    redactor: Redactor

    def move(self, path: str, reason: str, *, yes: bool, force: bool) -> QuarantineLook:
        """Move a file or folder to a backup beside it; without ``yes``, look whether it could be.

        Raises `UsageError` for a reason that is none, `QuarantineError` for what is not moved.
        """
        told = self.redactor.text(" ".join(reason.split()))
        if not told or len(told) > MAX_REASON:
            raise UsageError(
                f"--reason takes 1 to {MAX_REASON} characters: what `list` shows to whoever finds the backup"
            )
        moved = self._quarantine.move(path, told, act=yes, force=force)
        return QuarantineLook(action="move", done=yes, moves=(moved,))

    def list(self) -> QuarantineLook:
        """Return all moves of this user, oldest first."""
        return QuarantineLook(action="list", done=False, moves=self._quarantine.list())

    def restore(self, name: str, *, yes: bool) -> QuarantineLook:
        """Move a backup back; without ``yes``, look whether it could be. Raises `UsageError`."""
        return QuarantineLook(action="restore", done=yes, moves=(self._quarantine.restore(name, act=yes),))

    @property
    def _quarantine(self) -> Quarantine:
        return Quarantine(env=self.env, now=self.now)
