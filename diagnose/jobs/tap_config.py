"""The entry of a client's configuration with the tap in it: for a person to paste, nothing is edited."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from diagnose.clients.configuration import ConfiguredServer
from diagnose.errors import UsageError
from diagnose.evidence.redact import Redactor
from diagnose.evidence.secret import MASK
from diagnose.jobs.clients import hide_values, the_client
from diagnose.observe.configured import Place, observe_configured

LISTEN = "127.0.0.1:8787"
_URLS = ("url", "httpUrl", "serverUrl", "uri")


@dataclass(frozen=True, slots=True, kw_only=True)
class TapEntry:
    """What to change in a file; ``start`` is the command that has to run beside it, for a server over HTTP."""

    client: str
    key: str
    source: str
    form: str
    members: Mapping[str, Any]
    start: tuple[str, ...] = ()

    def lines(self) -> str:
        """Return the changed members in the language of the file; they are without secrets."""
        if self.form == "toml":
            return "\n".join(f"{name} = {json.dumps(value)}" for name, value in self.members.items())
        if self.form == "yaml":
            return "\n".join(f"{name}: {json.dumps(value)}" for name, value in self.members.items())
        return ",\n".join(f"{json.dumps(name)}: {json.dumps(value, indent=2)}" for name, value in self.members.items())

    @property
    def hides(self) -> bool:
        """Whether something secret of the file stands as a mask, so that the person has to keep it."""
        return any(MASK in text for text in (self.lines(), *self.start))


def tap_entry(name: str, key: str, output: str | None, place: Place, redactor: Redactor) -> TapEntry:
    """Find a server in a client's files, and return its entry with the tap before it.

    ``output`` is the recording's file (default: in the home). Raises `UsageError` where the server is not there, or is
    reached by something that no tap is for.
    """
    entry = the_client(name)
    named = [each for each in observe_configured([entry], place).servers if each.key == key]
    if not named:
        raise UsageError(f"{entry.name} is not configured with a server {key!r}", advice="See `diagnose clients list`.")
    server = next((each for each in named if each.used), named[0])
    hide_values(server, redactor)
    file = output or str(place.home / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', key)}.recording.jsonl")
    path = str(Path(file).expanduser().absolute())
    members, start = _through(server, path)
    suffix = Path(server.source).suffix
    return TapEntry(
        client=entry.name,
        key=key,
        source=server.source,
        form="toml" if suffix == ".toml" else "yaml" if suffix in {".yaml", ".yml"} else "json",
        members=redactor.value(members),
        start=tuple(redactor.value(list(start))),
    )


def _through(server: ConfiguredServer, path: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    if server.command:
        # The interpreter by its path: a client may start servers with hardly any environment.
        words = [sys.executable, "-P", "-m", "diagnose", "tap", "stdio", "-o", path, "--", *server.command]
        return _worded(server.entry, words), ()
    member = next((each for each in _URLS if isinstance(server.entry.get(each), str)), None)
    if server.url is None or member is None:
        raise UsageError(
            f"the entry of {server.key!r} has neither a command nor an address that a tap could stand before"
        )
    here = f"http://{LISTEN}{urlsplit(server.url).path or '/'}"
    return {member: here}, ("diagnose", "tap", "http", "--listen", LISTEN, "--to", server.url, "-o", path)


def _worded(entry: Mapping[str, Any], words: list[str]) -> dict[str, Any]:
    """Return the members that hold the command, in the shape that the entry has."""
    for member in ("command", "cmd"):
        held = entry.get(member)
        if isinstance(held, list):
            return {member: words}
        if isinstance(held, Mapping):
            return {member: {"path": words[0], "args": words[1:]}}
        if isinstance(held, str):
            return {member: words[0], "args": words[1:]}
    return {"command": words[0], "args": words[1:]}
