"""Moving to a backup, and back. Both are one rename in one folder, so that there is no moment at which nothing is there."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, NoReturn, TypeAlias

from diagnose.clients.guarded import CAUTIONS, PROGRAMS, owner
from diagnose.errors import InputError
from diagnose.store.files import reason as why
from diagnose.store.quarantine.errors import QuarantineError
from diagnose.store.quarantine.journal import Entry, Journal
from diagnose.store.quarantine.refusals import looked_through
from diagnose.store.quarantine.spot import Spot, spot_of
from diagnose.store.quarantine.users import use_of

State: TypeAlias = Literal["planned", "quarantined", "restored", "not-moved", "missing"]
#: The longest name that file systems take, in bytes.
_NAME_MAX: Final = 255
_MARK: Final = ".diagnose-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A move and what became of it, as the folder shows it now; ``notes`` are what a person should know."""

    entry: Entry
    state: State
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """The moves of this user. ``now`` tells the time."""

    env: Mapping[str, str]
    now: Callable[[], str]

    @property
    def journal(self) -> Journal:
        """Where the moves are written down."""
        return Journal.of(self.env)

    def move(self, path: str, reason: str, *, act: bool, force: bool = False) -> Standing:
        """Move a file or folder to a backup beside it; without ``act``, say what would be done.

        Raises:
            QuarantineError: it is not moved: see `refusals`, or it is in use and ``force`` was not given.

        """
        with spot_of(path) as spot:
            found = spot.look()
            if found is None:
                raise QuarantineError(f"{spot.path} does not exist")
            if _MARK in spot.name and any(spot.path == each.backup_path for each in self.journal.entries()):
                raise QuarantineError(f"{spot.path} is a backup already", advice="`quarantine list` shows it.")
            content = looked_through(spot, found, self.env)
            notes = _notes(spot, content.identities, content.names, force=force)
            at = self.now()
            name = secrets.token_hex(4)
            entry = Entry(
                id=name,
                path=spot.path,
                backup=_backup_name(spot.name, at, name),
                kind="folder" if stat.S_ISDIR(found.st_mode) else "file",
                inode=found.st_ino,
                files=content.files,
                bytes=content.bytes,
                reason=reason,
                client=owner(spot.path.parts),
                at=at,
            )
            if not act:
                return Standing(entry=entry, state="planned", notes=notes)
            self._moved(spot, entry, found)
            return Standing(entry=replace(entry, last="moved"), state="quarantined", notes=notes)

    def list(self) -> tuple[Standing, ...]:
        """Return all moves, oldest first, each as its folder shows it now."""
        return tuple(Standing(entry=entry, state=state_of(entry)) for entry in self.journal.entries())

    def restore(self, name: str, *, act: bool) -> Standing:
        """Move a backup back; without ``act``, say what would be done.

        Raises:
            InputError: no move has this id, or several begin so.
            QuarantineError: the backup is not there, or something else has the place meanwhile.

        """
        entry = self._named(name)
        with spot_of(entry.path) as spot:
            kept = spot.look(entry.backup)
            if kept is None:
                gone = "it was restored already" if state_of(entry) == "restored" else "the backup is gone"
                raise QuarantineError(f"{entry.id} cannot be restored: {gone}")
            if stat.S_ISDIR(kept.st_mode) != (entry.kind == "folder") or stat.S_ISLNK(kept.st_mode):
                raise QuarantineError(f"{entry.backup_path} is not what was moved, and is left as it is")
            if spot.look() is not None:
                raise _taken(spot)
            if not act:
                return Standing(entry=entry, state="planned")
            self.journal.write("restoring", entry, self.now())
            try:
                spot.rename(entry.backup, spot.name)
            except FileExistsError as error:
                raise _taken(spot) from error
            except OSError as error:
                raise QuarantineError(f"{entry.backup_path} cannot be moved back: {why(error)}") from error
            spot.sync()
            at = self.now()
            self.journal.write("restored", entry, at)
            return Standing(entry=replace(entry, last="restored", restored_at=at), state="restored")

    def _moved(self, spot: Spot, entry: Entry, seen: os.stat_result) -> None:
        """Move what was looked at, and nothing that took its place meanwhile; what comes of it is written down."""
        self.journal.write("moving", entry, entry.at)
        try:
            self._renamed(spot, entry, seen)
        except QuarantineError:
            if spot.look(entry.backup) is None:
                self.journal.write("abandoned", entry, self.now())
            raise
        spot.sync()
        self.journal.write("moved", entry, self.now())

    def _renamed(self, spot: Spot, entry: Entry, seen: os.stat_result) -> None:
        if not (_same(spot.look(), seen) and spot.is_reached()):
            raise QuarantineError(f"{spot.path} was replaced while it was looked at, and is not moved")
        try:
            spot.rename(spot.name, entry.backup)
        except OSError as error:
            raise QuarantineError(f"{spot.path} cannot be moved: {why(error)}") from error
        if not (_same(spot.look(entry.backup), seen) and spot.is_reached()):
            self._undone(spot, entry)

    def _undone(self, spot: Spot, entry: Entry) -> NoReturn:
        """Put back what came in the place of what was looked at."""
        told = f"{spot.path} was replaced while it was moved"
        try:
            spot.rename(entry.backup, spot.name)
        except OSError as error:
            raise QuarantineError(
                f"{told}; what came in its place is at {entry.backup_path}",
                advice=f"`quarantine restore {entry.id}` puts it back.",
            ) from error
        raise QuarantineError(f"{told}; what came in its place is there again")

    def _named(self, name: str) -> Entry:
        found = [entry for entry in self.journal.entries() if name and entry.id.startswith(name)]
        if len(found) != 1:
            told = "several moves begin with" if found else "no move is known as"
            raise InputError(f"{told} {name!r}", advice="`quarantine list` shows them all.")
        return found[0]


def state_of(entry: Entry) -> State:
    """Return what became of a move, by the names that are there: whoever was killed has left one of them."""
    try:
        with spot_of(entry.path) as spot:
            kept, there = spot.look(entry.backup), spot.look()
    except QuarantineError:
        kept = there = None  # its folder is gone
    if kept is not None:
        return "quarantined"
    if entry.last in {"abandoned", "restored"}:
        return "restored" if entry.last == "restored" else "not-moved"
    if there is None:
        return "missing"
    if entry.last == "moving":
        return "not-moved"
    return "restored" if there.st_ino == entry.inode else "missing"


def _notes(spot: Spot, identities: frozenset[tuple[int, int]], names: int, *, force: bool) -> tuple[str, ...]:
    """Return what to know before it is moved. Raises `QuarantineError` where a running program has it open."""
    whose = owner(spot.path.parts) or ""
    use = use_of(spot.path, identities, PROGRAMS.get(whose, ()))
    notes = [CAUTIONS[whose].text] if whose in CAUTIONS else []
    if use.holders:
        held = f"{spot.path} is in use by {', '.join(use.holders[:5])}"
        if not force:
            raise QuarantineError(f"{held}, and is not moved", advice="End that program first, or say --force.")
        notes.append(f"{held}: it may go on with the file under its new name")
    elif use.running:
        notes.append(f"its client runs: {', '.join(use.running[:5])}; end it first, or it may write the file anew")
    if not use.verified:
        notes.append("not verified: whether a running program has it open; this system does not tell")
    elif use.unseen:
        notes.append("not verified: whether a program of another user has it open")
    if names:
        notes.append(f"{names} other names of its files (hard links) stay where they are")
    return tuple(notes)


def _same(found: os.stat_result | None, seen: os.stat_result) -> bool:
    same = found is not None and os.path.samestat(found, seen)
    return same and found is not None and stat.S_IFMT(found.st_mode) == stat.S_IFMT(seen.st_mode)


def _taken(spot: Spot) -> QuarantineError:
    return QuarantineError(
        f"{spot.path} is there again, and nothing is written over",
        advice="Its client has made a new one: move that one away first, with `quarantine move`.",
    )


def _backup_name(name: str, at: str, move: str) -> str:
    """Return the name of the backup; one that would be too long is cut, as the journal has the whole."""
    stamp = at[:19].replace("-", "").replace(":", "")
    tail = f"{_MARK}{stamp}Z-{move}"
    return os.fsdecode(os.fsencode(name)[: _NAME_MAX - len(tail)]) + tail
