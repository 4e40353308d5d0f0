"""The journal: a line before each move, and a line after it. What it cannot say, the folders do.

Whoever is killed between the two leaves a line that says what was meant, and `quarantine.state_of` looks which of the two
names is there. Lines are only ever added, each synced before anything else is done.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from diagnose.credentials.datafolder import data_folder, make_private
from diagnose.store.files import read_bounded, reason
from diagnose.store.quarantine.errors import QuarantineError

FILE_NAME: Final = "quarantine.jsonl"
#: Years of moves; a line has some hundred bytes.
MAX_BYTES: Final = 16 << 20

Event: TypeAlias = Literal["moving", "moved", "abandoned", "restoring", "restored"]
_EVENTS: Final[tuple[Event, ...]] = ("moving", "moved", "abandoned", "restoring", "restored")
Kind: TypeAlias = Literal["file", "folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One move: what, where to, why, and how far it came."""

    id: str
    path: Path
    backup: str
    """The name of the backup, in the same folder."""
    kind: Kind
    inode: int
    files: int
    """How many files, links and folders it holds, itself included."""
    bytes: int
    reason: str
    client: str | None
    at: str
    """When it was moved."""
    last: Event = "moving"
    restored_at: str | None = None

    @property
    def backup_path(self) -> Path:
        """Where the backup is."""
        return self.path.parent / self.backup


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """The file in the data folder."""

    place: Path

    @classmethod
    def of(cls, env: Mapping[str, str]) -> Journal:
        """Return the journal of this user; nothing is made."""
        return cls(place=data_folder(env) / FILE_NAME)

    def write(self, event: Event, entry: Entry, at: str) -> None:
        """Add a line, and return once it is on the disk. Raises `UsageError`: then nothing is to be moved."""
        line: dict[str, Any] = {"event": event, "id": entry.id, "at": at}
        if event == "moving":
            line |= {
                "path": str(entry.path),
                "backup": entry.backup,
                "kind": entry.kind,
                "inode": entry.inode,
                "files": entry.files,
                "bytes": entry.bytes,
                "reason": entry.reason,
                "client": entry.client,
            }
        make_private(self.place.parent)
        try:
            self._add(json.dumps(line).encode("ascii") + b"\n")
        except OSError as error:
            raise QuarantineError(f"the journal {self.place} cannot be written: {reason(error)}") from error

    def _add(self, line: bytes) -> None:
        new = not self.place.exists()
        descriptor = os.open(self.place, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            _only_one(descriptor)
            if os.fstat(descriptor).st_size and _last_byte(descriptor) != b"\n":
                line = b"\n" + line  # the line of a run that was killed ends here
            written = os.write(descriptor, line)
            if written < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if new:
            _sync(self.place.parent)

    def entries(self) -> tuple[Entry, ...]:
        """Return all moves, oldest first; a line that cannot be read is passed over, as one that was cut is."""
        if not self.place.exists():
            return ()
        found: dict[str, Entry] = {}
        for text in read_bounded(self.place, MAX_BYTES).split(b"\n"):
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict):
                _read(line, found)
        return tuple(found.values())


def _read(line: Mapping[str, Any], found: dict[str, Entry]) -> None:
    """Put a line to what is known; one of another form is passed over."""
    name, at = line.get("id"), line.get("at")
    event = next((each for each in _EVENTS if each == line.get("event")), None)
    if event is None or not isinstance(name, str) or not isinstance(at, str):
        return
    if event == "moving":
        entry = _entry(line, name, at)
        if entry is not None:
            found.setdefault(name, entry)
    elif name in found:
        restored = at if event == "restored" else found[name].restored_at
        found[name] = replace(found[name], last=event, restored_at=restored)


def _entry(line: Mapping[str, Any], name: str, at: str) -> Entry | None:
    texts = [line.get(key) for key in ("path", "backup", "reason")]
    numbers = [line.get(key) for key in ("inode", "files", "bytes")]
    client = line.get("client")
    kind: Kind = "folder" if line.get("kind") == "folder" else "file"
    if not (_all(texts, str) and _all(numbers, int)):
        return None
    path, backup, why = texts
    inode, files, size = numbers
    if not Path(str(path)).is_absolute() or Path(str(backup)).name != backup:
        return None
    return Entry(
        id=name,
        path=Path(str(path)),
        backup=str(backup),
        kind=kind,
        inode=int(inode or 0),
        files=int(files or 0),
        bytes=int(size or 0),
        reason=str(why),
        client=client if isinstance(client, str) else None,
        at=at,
    )


def _all(values: Iterable[Any], kind: type) -> bool:
    return all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


def _last_byte(descriptor: int) -> bytes:
    os.lseek(descriptor, -1, os.SEEK_END)
    return os.read(descriptor, 1)


def _only_one(descriptor: int) -> None:
    """Let one run at a time add a line, until the file is closed; elsewhere than on POSIX, a line is one write."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def _sync(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
