"""The configuration file: which targets a person has named, and which one is meant when none is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from diagnose.errors import UsageError
from diagnose.record import record

_MAX_BYTES = 1 << 20


@record
class NamedTarget:
    """`[targets.NAME]`: a server that a person calls by a name."""

    name: str
    url: str | None = None
    command: tuple[str, ...] | None = None
    base_url: str | None = None
    auth: str | None = None
    era: str | None = None
    lock: str | None = None
    headers_from_env: Mapping[str, str] = field(default_factory=dict)
    """Header name to the environment variable that holds its value."""


@record
class Config:
    """The file as a whole; empty where there is none."""

    default: str | None = None
    targets: Mapping[str, NamedTarget] = field(default_factory=dict)


def load_config(env: Mapping[str, str], path: str | None = None) -> Config:
    """Read `path`, or `config.toml` in the user's configuration folder where it exists; never the working directory's.

    Raises `UsageError` for a file that is missing though named, that is no TOML, or that has an unknown key.
    """
    if path is not None:
        return _parse(_read(Path(path)), path)
    from diagnose.credentials.datafolder import config_folder

    usual = config_folder(env) / "config.toml"
    return _parse(_read(usual), str(usual)) if usual.is_file() else Config()


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"the configuration {path} cannot be read: {error.strerror or error}") from error
    if len(data) > _MAX_BYTES:
        raise UsageError(f"the configuration {path} is larger than {_MAX_BYTES} bytes")
    return data


def _parse(data: bytes, path: str) -> Config:
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"the configuration {path} is no valid TOML: {error}") from error
    reader = _Reader(path)
    reader.only(document, ("default", "targets"), "")
    tables = reader.table(document, "targets", "")
    targets = {name: reader.target(name, tables[name]) for name in tables}
    default = reader.text(document, "default", "")
    if default is not None and default not in targets and default != "demo":
        raise UsageError(f"the configuration {path}: default = {default!r} names no target of [targets.…]")
    return Config(default=default, targets=targets)


class _Reader:
    """Takes values out of the document and names the place of what is wrong."""

    def __init__(self, path: str) -> None:
        self.path = path

    def fail(self, where: str, problem: str) -> UsageError:
        return UsageError(f"the configuration {self.path}: {where}: {problem}")

    def only(self, table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
        for key in table:
            if key not in known:
                raise self.fail(f"{where}{key}", f"is no key that is known here; known are {', '.join(known)}")

    def table(self, parent: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
        value = parent.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(f"{where}{key}", "must be a table")
        return value

    def text(self, table: Mapping[str, Any], key: str, where: str) -> str | None:
        value = table.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.fail(f"{where}{key}", "must be a text that is not empty")
        return value

    def target(self, name: str, table: Any) -> NamedTarget:
        where = f"targets.{name}."
        if not isinstance(table, dict):
            raise self.fail(f"targets.{name}", "must be a table")
        self.only(table, ("url", "command", "base_url", "auth", "era", "lock", "headers_from_env"), where)
        command = table.get("command")
        if command is not None and not (
            isinstance(command, list) and command and all(isinstance(word, str) and word for word in command)
        ):
            raise self.fail(
                f"{where}command", "must be a list of texts: the program and its arguments; no shell reads it"
            )
        url = self.text(table, "url", where)
        if (url is None) == (command is None):
            raise self.fail(f"targets.{name}", "needs either url or command")
        headers = self.table(table, "headers_from_env", where)
        return NamedTarget(
            name=name,
            url=url,
            command=None if command is None else tuple(command),
            base_url=self.text(table, "base_url", where),
            auth=self.text(table, "auth", where),
            era=self.text(table, "era", where),
            lock=self.text(table, "lock", where),
            headers_from_env={key: self.text(headers, key, f"{where}headers_from_env.") or "" for key in headers},
        )
