"""What clients are configured with, what is known of one, and the names that it shows for a live list."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.clients import CLIENTS, Client, Lens, NameMap, client, lens_for
from diagnose.clients.configuration import ConfiguredServer, ToolList, stale_names
from diagnose.errors import UsageError
from diagnose.evidence.secret_names import is_secret_name, is_secret_parameter
from diagnose.observe.configured import ConfiguredClients, Place, observe_configured

if TYPE_CHECKING:
    from diagnose.clients.config_file import System
    from diagnose.evidence.bundle import Target
    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.access import ConnectOptions, Surroundings
    from diagnose.jobs.target import TargetSpec

SYSTEMS: tuple[System, ...] = ("linux", "macos", "windows")
_THIS: dict[str, System] = {"darwin": "macos", "win32": "windows"}
#: Shorter values of env and headers are words like `true`, which are hidden only where their name announces a secret.
_SHORTEST = 8
_ENV_OPTIONS = frozenset({"-e", "--env"})
_HEADER_OPTIONS = frozenset({"-H", "--header"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredLook:
    """What was found in the files of some clients, and as which system they were laid out."""

    system: System
    found: ConfiguredClients

    @property
    def exit_code(self) -> int:
        """3 where a file that is there could not be read: what it names is not known."""
        return 3 if any(file.state == "unreadable" for file in self.found.files) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesLook:
    """The names that a client shows for a live list; ``stale`` are names in its configuration that lead nowhere."""

    client: Client
    lens: Lens
    target: Target
    at: str
    names: tuple[str, ...]
    map: NameMap
    stale: tuple[tuple[ToolList, str], ...] = ()

    @property
    def exit_code(self) -> int:
        """1 where a tool cannot be reached by its shown name, or one name is that of several."""
        return 1 if self.map.collisions or self.map.too_long else 0


def the_client(name: str) -> Client:
    """Return the entry for an id or a name on the wire. Raises `UsageError` for one that nobody has."""
    entry = client(name)
    if entry is None:
        known = ", ".join(each.id for each in CLIENTS)
        raise UsageError(f"no client is known as {name!r}", advice=f"There are {known}.")
    return entry


def place_of(
    env: Mapping[str, str], *, home: str | None = None, project: str | None = None, system: str | None = None
) -> Place:
    """Return whose files are read: this user's here, or those below another home. Raises `UsageError`."""
    chosen = next((each for each in SYSTEMS if each == (system or _THIS.get(sys.platform, "linux"))), None)
    if chosen is None:
        raise UsageError(f"--system takes {', '.join(SYSTEMS[:-1])} or {SYSTEMS[-1]}, not {system!r}")
    stated = home or env.get("HOME") or env.get("USERPROFILE")
    folder = Path(stated).expanduser() if stated else Path.home()
    if home is not None and not folder.is_dir():
        raise UsageError(f"--home {home} is no folder")
    return Place(
        system=chosen,
        home=folder,
        project=Path(project or ".").expanduser().absolute(),
        # The variables of this environment say nothing of another home.
        env={} if home is not None else env,
    )


def list_configured(names: Sequence[str], place: Place, redactor: Redactor) -> ConfiguredLook:
    """Read the configuration files of these clients, or of all; every secret in them is hidden from now on."""
    asked = {the_client(name).id for name in names}
    entries = [entry for entry in CLIENTS if not asked or entry.id in asked]
    found = observe_configured(entries, place)
    for server in found.servers:
        hide_values(server, redactor)
    return ConfiguredLook(system=place.system, found=found)


def hide_values(server: ConfiguredServer, redactor: Redactor) -> None:
    """Have the redactor hide every value of env and headers, also those that stand among the arguments."""
    pairs = [*_members(server), *argument_values(server.command)]
    for name, value in pairs:
        if len(value) >= _SHORTEST or (value and is_secret_name(name)):
            redactor.learn(value)


def _members(server: ConfiguredServer) -> Iterator[tuple[str, str]]:
    for member in ("env", "envs", "headers", "http_headers"):
        values = server.entry.get(member)
        for name, value in values.items() if isinstance(values, Mapping) else ():
            yield str(name), str(value)


def argument_values(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names and values of arguments that may be secret, in the ways in which launchers take them.

    `--api-key VALUE`, `--token=VALUE`, `-e NAME=VALUE` and `--header "NAME: VALUE"`, as docker and mcp-remote have them.
    """
    for place, word in enumerate(command):
        option, equals, value = word.partition("=")
        if not option.startswith("-"):
            continue
        given = value if equals else "".join(command[place + 1 : place + 2])
        if option in _ENV_OPTIONS:
            name, _, given = given.partition("=")
            yield name, given
        elif option in _HEADER_OPTIONS:
            name, _, given = given.partition(":")
            yield name, given.strip()
        elif is_secret_parameter(option.lstrip("-")):
            yield option.lstrip("-"), given


def map_names(
    name: str,
    key: str,
    others: Sequence[str],
    place: Place,
    spec: TargetSpec,
    options: ConnectOptions,
    around: Surroundings,
) -> NamesLook:
    """Read the live list and map its names forward; lists in the client's own files are held against it.

    Raises `UsageError` for an unknown client, `ObservationError` where the list could not be read to its end.
    """
    from diagnose.jobs.steps import look_at_revision

    entry = the_client(name)
    configured = list_configured([entry.id], place, around.redactor).found
    keys = tuple(dict.fromkeys([*others, *(each.key for each in configured.servers if each.used)]))
    lens = lens_for(entry.id, key, keys)
    look = look_at_revision(spec, options, around)
    surface = look.observation.surface
    assert surface is not None
    names = tuple(dict.fromkeys(surface.names))
    lists = [each for server in configured.servers if server.key == key for each in server.lists]
    lists += [each for _, each in configured.lists]
    return NamesLook(
        client=entry,
        lens=lens,
        target=look.target,
        at=look.at,
        names=names,
        map=lens.map(names),
        stale=stale_names(lists, names, lens),
    )
