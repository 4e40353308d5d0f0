"""The servers that one configuration file names, and what it allows and denies; values of env and headers stay hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from diagnose.clients.config_file import ConfigFile, Scope

Transport: TypeAlias = Literal["stdio", "http", "sse", "ws", "unknown"]
ListKind: TypeAlias = Literal["allow", "deny", "approve", "ask"]

_TRANSPORTS: dict[str, Transport] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamableHttp": "http",
    "sse": "sse",
    "ws": "ws",
    "websocket": "ws",
}
_URLS = ("url", "httpUrl", "serverUrl", "uri")
_ENVS = ("env", "envs")
_HEADERS = ("headers", "http_headers")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolList:
    """A list of tool names in a configuration: of one server, or (shown names) of all."""

    kind: ListKind
    member: str
    names: tuple[str, ...]
    scope: Scope
    source: str
    key: str | None = None
    """The server that it is for; None where it holds shown names of any server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredServer:
    """One server under one key of one file. ``entry`` is what the file says, secrets included: it is never shown."""

    client: str
    key: str
    scope: Scope
    source: str
    """The file."""
    project: str | None = None
    """The project folder that a part of the user's file is for."""
    transport: Transport = "unknown"
    command: tuple[str, ...] = ()
    url: str | None = None
    env: tuple[str, ...] = ()
    """Names of variables, without their values."""
    headers: tuple[str, ...] = ()
    disabled: bool = False
    lists: tuple[ToolList, ...] = ()
    shadowed_by: str | None = None
    """The scope whose server of this key goes before."""
    same_as: str | None = None
    """Another key with the same address or command: its tools come twice, or the client leaves one out."""
    entry: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def used(self) -> bool:
        """The client would use it: neither switched off nor shadowed."""
        return not self.disabled and self.shadowed_by is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """What one file says: its servers, in its order, and the lists that hold for all servers."""

    servers: tuple[ConfiguredServer, ...] = ()
    lists: tuple[ToolList, ...] = ()


def servers_of(value: Any, file: ConfigFile, *, client: str, source: str, project: str | None = None) -> Configured:
    """Read a parsed file. What is not in the documented form is passed over; ``project`` is the folder looked from."""
    if file.per_project:
        return _of_project(value, file, client, source, project)
    members = _at(value, file.keys) if file.keys else {}
    off = _switched_off(value, file, members)
    servers = tuple(_servers(members, file, client, source, None, off))
    lists = tuple(
        ToolList(kind=kind, member=".".join(way), names=names, scope=file.scope, source=source)
        for kind, way in file.permissions
        if (names := _texts(_at(value, way)))
    )
    return Configured(servers=servers, lists=lists)


def switched_off(value: Any, file: ConfigFile) -> frozenset[str]:
    """Return keys that a file switches off for servers of other files (`disabledMcpjsonServers`)."""
    return frozenset(_texts(_at(value, file.not_servers))) if file.not_servers else frozenset()


def _of_project(value: Any, file: ConfigFile, client: str, source: str, project: str | None) -> Configured:
    """Read the part of a user's file that is for the project folder."""
    folder = _at(value, ("projects", project)) if project is not None else None
    if not isinstance(folder, Mapping):
        return Configured()
    off = frozenset((*_texts(folder.get("disabledMcpServers")), *_texts(folder.get("disabledMcpjsonServers"))))
    return Configured(servers=tuple(_servers(_at(folder, file.keys), file, client, source, project, off)))


def _servers(
    members: Any, file: ConfigFile, client: str, source: str, project: str | None, off: frozenset[str]
) -> Iterator[ConfiguredServer]:
    for key, entry in members.items() if isinstance(members, Mapping) else ():
        if not isinstance(entry, Mapping):
            continue
        yield ConfiguredServer(
            client=client,
            key=str(key),
            scope=file.scope,
            source=source,
            project=project,
            transport=_transport(entry),
            command=_command(entry),
            url=next((entry[name] for name in _URLS if isinstance(entry.get(name), str)), None),
            env=(*_names(entry, _ENVS), *_texts(entry.get("env_vars")), *_texts(entry.get("env_keys"))),
            headers=(*_names(entry, (*_HEADERS, "env_http_headers")), *_authorization(entry)),
            disabled=str(key) in off or entry.get("disabled") is True or entry.get("enabled") is False,
            lists=tuple(_lists(entry, file, str(key), source)),
            entry=entry,
        )


def _lists(entry: Mapping[str, Any], file: ConfigFile, key: str, source: str) -> Iterator[ToolList]:
    kinds: tuple[tuple[ListKind, Sequence[str]], ...] = (
        ("allow", file.allow),
        ("deny", file.deny),
        ("approve", file.approve),
    )
    for kind, members in kinds:
        for member in members:
            if names := _texts(entry.get(member)):
                yield ToolList(kind=kind, member=member, names=names, scope=file.scope, source=source, key=key)


def _switched_off(value: Any, file: ConfigFile, members: Any) -> frozenset[str]:
    """Return the keys that lists of the whole file leave out."""
    keys = frozenset(map(str, members)) if isinstance(members, Mapping) else frozenset()
    only = _at(value, file.only_servers) if file.only_servers else None
    left_out = keys - frozenset(_texts(only)) if isinstance(only, list) else frozenset()
    return left_out | switched_off(value, file)


def _transport(entry: Mapping[str, Any]) -> Transport:
    said = entry.get("type", entry.get("transport"))
    if isinstance(said, str) and said in _TRANSPORTS:
        return _TRANSPORTS[said]
    if _command(entry):
        return "stdio"
    if isinstance(entry.get("httpUrl"), str):
        return "http"
    return "http" if any(isinstance(entry.get(name), str) for name in _URLS) else "unknown"


def _command(entry: Mapping[str, Any]) -> tuple[str, ...]:
    command = entry.get("command", entry.get("cmd"))
    if isinstance(command, Mapping):
        # Zed once wrote {"path": …, "args": […]} there.
        return (str(command.get("path", "")), *_texts(command.get("args")))
    if isinstance(command, list):
        return _texts(command)
    return (command, *_texts(entry.get("args"))) if isinstance(command, str) and command else ()


def _names(entry: Mapping[str, Any], members: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(name) for member in members if isinstance(entry.get(member), Mapping) for name in entry[member])


def _authorization(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return ("Authorization",) if entry.get("bearer_token_env_var") or entry.get("auth") else ()


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in value if isinstance(each, str | int)) if isinstance(value, list) else ()


def _at(value: Any, way: Sequence[str]) -> Any:
    for step in way:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
