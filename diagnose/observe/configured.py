"""The servers that clients of this machine are configured with: their documented files are read, and nothing else is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from diagnose.clients import Client
from diagnose.clients.config_file import ConfigFile, Scope, System
from diagnose.clients.configuration import (
    READERS,
    Configured,
    ConfiguredServer,
    ToolList,
    merged,
    servers_of,
    switched_off,
)
from diagnose.errors import InputError
from diagnose.store.files import read_bounded

#: The user's file of Claude Code holds a history beside the servers, and grows; others are small.
MAX_BYTES = {"json": 32 << 20, "toml": 4 << 20, "yaml": 4 << 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Whose files are looked at, and as which system lays them out. ``env`` is empty where the home is another's."""

    system: System
    home: Path
    project: Path
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """One documented file: whether it was there, and why it could not be read."""

    client: str
    path: str
    scope: Scope
    state: Literal["read", "absent", "unreadable"]
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredClients:
    """All servers in the order of the playbook; ``lists`` are those for all servers, each with its client."""

    servers: tuple[ConfiguredServer, ...] = ()
    lists: tuple[tuple[str, ToolList], ...] = ()
    files: tuple[FileRead, ...] = ()


def observe_configured(entries: Iterable[Client], place: Place) -> ConfiguredClients:
    """Read the files of these clients. A file that cannot be read is told, and keeps no other from being read."""
    servers: list[ConfiguredServer] = []
    lists: list[tuple[str, ToolList]] = []
    files: list[FileRead] = []
    for entry in entries:
        found: list[ConfiguredServer] = []
        off: frozenset[str] = frozenset()
        for file, path in _files(entry, place):
            said, switched, row = _read(path, file, entry, place)
            files.append(row)
            found += said.servers
            off |= switched
            lists += [(entry.id, each) for each in said.lists]
        servers += merged(found, off)
    return ConfiguredClients(servers=tuple(servers), lists=tuple(lists), files=tuple(_once(files)))


def path_of(file: ConfigFile, place: Place) -> Path:
    """Return where a file is on this system; a variable of the client goes before the usual folder."""
    template = file.paths[place.system]
    stated = place.env.get(file.variable, "") if file.variable else ""
    if stated:
        if file.default_folder is None:
            return Path(stated).expanduser()
        if template.startswith(file.default_folder + "/"):
            return Path(stated).expanduser() / template[len(file.default_folder) + 1 :]
    head, _, rest = template.partition("/")
    return _folders(place).get(head, Path(f"{head}/")) / rest


def _folders(place: Place) -> dict[str, Path]:
    roaming = place.env.get("APPDATA") if place.system == "windows" else None
    return {
        "{home}": place.home,
        "{project}": place.project,
        "{appdata}": Path(roaming) if roaming else place.home / "AppData" / "Roaming",
        "{PROGRAMFILES}": Path(place.env.get("PROGRAMFILES") or "C:/Program Files"),
    }


def _files(entry: Client, place: Place) -> Iterator[tuple[ConfigFile, Path]]:
    """Yield the files of a client. In the home itself, what is the user's file is not the project's as well."""
    placed = [(file, path_of(file, place)) for file in entry.configuration]
    own = {path for file, path in placed if not _of_project(file, place)}
    yield from ((file, path) for file, path in placed if not (_of_project(file, place) and path in own))


def _of_project(file: ConfigFile, place: Place) -> bool:
    return file.paths[place.system].startswith("{project}")


def _read(path: Path, file: ConfigFile, entry: Client, place: Place) -> tuple[Configured, frozenset[str], FileRead]:
    """Return what a file says, the keys that it switches off elsewhere, and its row; nothing where it cannot be read."""
    row = FileRead(client=entry.id, path=str(path), scope=file.scope, state="absent")
    try:
        if not path.is_file():
            return Configured(), frozenset(), row
        value = READERS[file.form](read_bounded(path, MAX_BYTES[file.form]).decode("utf-8", "replace"))
    except (InputError, OSError) as error:
        why = (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)
        return Configured(), frozenset(), replace(row, state="unreadable", why=why)
    said = servers_of(value, file, client=entry.id, source=str(path), project=str(place.project))
    off = frozenset() if file.keys else switched_off(value, file)
    return said, off, replace(row, state="read")


def _once(files: Iterable[FileRead]) -> Iterator[FileRead]:
    """Yield one row a file: one file may hold several scopes."""
    seen: set[tuple[str, str]] = set()
    for file in files:
        if (file.client, file.path) not in seen:
            seen.add((file.client, file.path))
            yield file
