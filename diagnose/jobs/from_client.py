"""A server as a client is configured with it, as a target: its command or address, and what goes with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from diagnose.errors import UsageError
from diagnose.jobs.clients import hide_values, the_client
from diagnose.jobs.target import TargetSpec, resolve_target
from diagnose.observe.configured import Place, observe_configured

if TYPE_CHECKING:
    from diagnose.clients.configuration import ConfiguredServer
    from diagnose.evidence.redact import Redactor

_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FromClient:
    """The target, with what the client would give it, and the client's words for it."""

    spec: TargetSpec
    client: str
    server_key: str
    other_keys: tuple[str, ...]
    notes: tuple[str, ...] = ()


def from_client(text: str, place: Place, env: Mapping[str, str], redactor: Redactor) -> FromClient:
    """Find `CLIENT:KEY` in that client's files. Its secrets are hidden from now on, and nothing is started.

    Raises `UsageError` where it is not there, or needs something that only the client can ask a person for.
    """
    name, colon, key = text.partition(":")
    if not colon or not key:
        raise UsageError("--from-client takes CLIENT:KEY, such as codex:orchard")
    entry = the_client(name)
    found = observe_configured([entry], place).servers
    server = _the_server(found, key, entry.name)
    hide_values(server, redactor)
    filled = _Filled(env, place)
    headers = tuple(f"{header}={value}" for header, value in _headers(server, filled).items())
    for header in headers:
        redactor.learn(header.partition("=")[2])
    given = {each: filled.text(str(value)) for each, value in _mapping(server, "env", "envs").items()}
    return FromClient(
        spec=replace(_spec(server, filled), headers=headers, env={**env, **given}),
        client=entry.id,
        server_key=key,
        other_keys=tuple(dict.fromkeys(each.key for each in found if each.key != key and each.used)),
        notes=tuple(_notes(server, entry.name)),
    )


def _the_server(found: tuple[ConfiguredServer, ...], key: str, client: str) -> ConfiguredServer:
    named = [each for each in found if each.key == key]
    if not named:
        keys = ", ".join(dict.fromkeys(each.key for each in found)) or "none"
        raise UsageError(
            f"{client} is not configured with a server {key!r}",
            advice=f"Found: {keys}. See `diagnose clients list`.",
        )
    return next((each for each in named if each.used), named[0])


def _spec(server: ConfiguredServer, filled: _Filled) -> TargetSpec:
    from diagnose.jobs.config import Config

    if server.transport == "ws":
        raise UsageError(f"the server {server.key!r} is reached by WebSocket, which is not spoken here")
    command = [filled.text(word) for word in server.command] if server.transport == "stdio" else None
    if command is None and not server.url:
        raise UsageError(f"the entry of {server.key!r} in {server.source} has neither a command nor an address")
    url = filled.text(server.url) if server.url and command is None else None
    return resolve_target(url, command, config=Config(), env={})


def _headers(server: ConfiguredServer, filled: _Filled) -> dict[str, str]:
    entry = server.entry
    headers = {name: filled.text(str(value)) for name, value in _mapping(server, "headers", "http_headers").items()}
    headers |= {name: filled.variable(str(value)) for name, value in _mapping(server, "env_http_headers").items()}
    token = entry.get("bearer_token_env_var")
    if isinstance(token, str):
        headers["Authorization"] = f"Bearer {filled.variable(token)}"
    return headers


def _mapping(server: ConfiguredServer, *members: str) -> dict[str, object]:
    found = (server.entry.get(member) for member in members)
    values = next((each for each in found if isinstance(each, Mapping)), {})
    return {str(name): value for name, value in values.items()}


def _notes(server: ConfiguredServer, client: str) -> list[str]:
    notes = [f"{server.key} is taken from {server.source}, as {client} has it"]
    if server.disabled:
        notes.append(f"{server.key} is switched off in {client}")
    unused = [member for member in ("headersHelper", "cwd", "envFile") if server.entry.get(member)]
    notes += [f"its {member} is not used here" for member in unused]
    if server.transport == "sse":
        notes.append("it is configured for the old SSE transport, and is asked by Streamable HTTP")
    return notes


class _Filled:
    """Puts values of the environment where a configuration refers to them."""

    def __init__(self, env: Mapping[str, str], place: Place) -> None:
        self._env = env
        self._places = {"workspaceFolder": str(place.project), "userHome": str(place.home)}

    def text(self, text: str) -> str:
        """Return a text with its variables filled in. Raises `UsageError` for one that is not to be had."""
        filled = _VARIABLE.sub(self._value, text)
        if "${" in filled:
            what = filled[filled.index("${") :].partition("}")[0][2:].partition(":")[0]
            raise UsageError(
                f"the configuration refers to ${{{what}:…}}, which only the client can fill in",
                advice="Name the server itself instead, as a URL or behind --.",
            )
        return filled

    def variable(self, name: str) -> str:
        """Return a variable of the environment. Raises `UsageError` where it is not set."""
        value = self._env.get(name)
        if value is None:
            raise UsageError(f"the configuration takes a value from {name}, which is not set")
        return value

    def _value(self, match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        if name in self._places:
            return self._places[name]
        if default is not None:
            return self._env.get(name) or default
        return self.variable(name)
