"""The tap: who forwards, who records, and what the recording is called."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

from diagnose.credentials.datafolder import data_folder
from diagnose.credentials.fingerprint import machine_key
from diagnose.errors import DiagnoseError
from diagnose.evidence.secret_names import is_secret_name
from diagnose.tap.feed import Feed
from diagnose.tap.writer import Limits
from diagnose.transport.stdio import child_environment


@dataclass(frozen=True, slots=True, kw_only=True)
class TapOptions:
    """What a recording holds and where it goes. ``client`` is a client id of the playbook, where a person knows it."""

    path: Path
    payloads: bool = False
    limits: Limits = field(default_factory=Limits)
    client: str | None = None
    hop: str = "client-server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The environment, and how to tell a person something."""

    env: Mapping[str, str]
    tell: Callable[[str], None]


def tap_stdio(command: Sequence[str], options: TapOptions, around: Surroundings) -> int:
    """Stand between the client that started us and the server; returns the server's exit code, negative for a signal.

    Raises `ObservationError` where the server cannot be started. Without a recorder, the session goes on all the same.
    """
    from diagnose.tap.stdio import StdioTap

    env = child_environment(around.env)
    target = {"transport": "stdio", "command": PurePath(command[0]).name if command else ""}
    feed = _feed(options, around, transport="stdio", target=target, secret_words=_words_of(command))
    server = StdioTap(command, env)
    feed.start(env)
    code = server.run(feed)
    feed.close("closed")
    return code


def _feed(
    options: TapOptions, around: Surroundings, *, transport: str, target: Mapping[str, Any], secret_words: Sequence[str]
) -> Feed:
    client = {} if options.client is None else {"id": options.client}
    settings = {
        "path": str(options.path.absolute()),
        "transport": transport,
        "key": _key(around).hex(),
        "payloads": options.payloads,
        "limits": asdict(options.limits),
        "secrets": [*secret_words, *_values_of(around.env)],
        "header": {
            "startedAt": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "transport": transport,
            "hop": options.hop,
            "client": client,
            "target": dict(target),
        },
    }
    return Feed(settings, around.tell)


def _key(around: Surroundings) -> bytes:
    """Return the key of this machine; a client may have left us no folder to keep one in, and then there is one for today."""
    try:
        return machine_key(data_folder(around.env))
    except (DiagnoseError, OSError, RuntimeError, KeyError):
        around.tell("no key of this machine could be read; fingerprints of this recording match no other recording")
        return secrets.token_bytes(32)


def _values_of(env: Mapping[str, str]) -> list[str]:
    return [value for name, value in env.items() if is_secret_name(name) and value]


def _words_of(command: Sequence[str]) -> list[str]:
    """Return what follows an option that is named like a secret, as in `--api-key K`, `--token=T` and `--header 'X-Key: K'`."""
    words: list[str] = []
    for option, following in itertools.pairwise([*command, ""]):
        name, equals, value = option.partition("=")
        if is_secret_name(name.lstrip("-")) and (equals or option.startswith("-")):
            words.append(value if equals else following)
        field, colon, value = option.partition(":")
        if colon and is_secret_name(field):
            words.append(value.strip())
    return [word for word in words if word]
