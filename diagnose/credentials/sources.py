"""``--auth``: the ways in which a person may hand over a credential, and reading it from environment, file or command."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from diagnose.credentials.command import PATIENCE, first_line
from diagnose.errors import UsageError
from diagnose.evidence.secret import Secret
from diagnose.record import record

Kind = Literal["auto", "none", "keyring", "env", "file", "command"]

#: More than any server accepts in one header.
MAX_CHARACTERS = 8192

_PLAIN = ("auto", "none", "keyring")
_WITH_ARGUMENT = ("env", "file", "command")
_OTHERS_MAY_READ = stat.S_IRWXG | stat.S_IRWXO


@record
class Auth:
    """One parsed ``--auth``: the way, and for `env`, `file` and `command` the variable, path or command line."""

    kind: Kind
    argument: str = ""

    @classmethod
    def parse(cls, text: str) -> Auth:
        """Read ``auto|none|keyring|env:VAR|file:PATH|command:CMD``. Raises `UsageError`.

        What was typed is not repeated: people paste the credential itself there.
        """
        kind, colon, argument = text.partition(":")
        if (kind in _PLAIN and not colon) or (kind in _WITH_ARGUMENT and argument):
            return cls(kind=cast("Kind", kind), argument=argument)
        raise UsageError(
            "--auth takes auto, none, keyring, env:VAR, file:PATH or command:CMD, and was given something else",
            advice="A credential itself is never an option's value: other users of this machine can read command lines.",
        )


@record
class Found:
    """A credential that was read, and what a person should know about how it is kept."""

    secret: Secret
    notes: tuple[str, ...] = ()


def read(auth: Auth, env: Mapping[str, str], *, patience: float = PATIENCE) -> Found:
    """Return the credential of an `env`, `file` or `command` source. Raises `UsageError` where there is none.

    ``patience`` is how long a command may take, in seconds.
    """
    if auth.kind == "env":
        return Found(secret=from_environment(auth.argument, env))
    if auth.kind == "file":
        return _from_file(auth.argument)
    if auth.kind == "command":
        return Found(secret=_from_command(auth.argument, env, patience))
    raise AssertionError(auth.kind)


def from_environment(variable: str, env: Mapping[str, str]) -> Secret:
    """Return the credential in an environment ``variable``; raises `UsageError` where it is not set or empty."""
    value = env.get(variable, "")
    if not value:
        raise UsageError(
            f"the environment variable {variable}, from which the credential should come, is not set or empty"
        )
    return checked(value, f"the environment variable {variable}")


def checked(value: str, source: str) -> Secret:
    """Return ``value`` as a secret if it can be a header's; raises `UsageError`, which names only the ``source``.

    Only printable ASCII can (RFC 9110, section 5.5, without its obsolete part): a line break would start another header.
    """
    value = value.strip()
    if not value:
        raise UsageError(f"{source} holds no credential")
    if len(value) > MAX_CHARACTERS:
        raise UsageError(f"{source} holds more than {MAX_CHARACTERS} characters, which is no credential")
    if not (value.isascii() and value.isprintable()):
        raise UsageError(
            f"{source} holds characters that no header may carry",
            advice="A credential is one line of printable ASCII.",
        )
    return Secret(value)


def _from_file(name: str) -> Found:
    path = Path(name).expanduser()
    try:
        with path.open("rb") as file:
            line = file.readline(MAX_CHARACTERS + 2)
            mode = os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise UsageError(f"the credential file {path} cannot be read: {error.strerror or error}") from error
    notes: tuple[str, ...] = ()
    if os.name == "posix" and stat.S_ISREG(mode) and mode & _OTHERS_MAY_READ:
        notes = (
            f"other users can read the credential file {path} (mode {stat.S_IMODE(mode):04o}); chmod 600 ends that",
        )
    return Found(secret=checked(_text(line, f"the credential file {path}"), f"the credential file {path}"), notes=notes)


def _from_command(command: str, env: Mapping[str, str], patience: float) -> Secret:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError("the command of --auth command: has an unclosed quote") from error
    if not words:
        raise UsageError("the command of --auth command: is empty")
    # Its arguments are not repeated anywhere: they may be secret themselves.
    source = f"the credential command {Path(words[0]).name}"
    line = first_line(words, env, source=source, limit=MAX_CHARACTERS + 2, patience=patience)
    return checked(_text(line, source), source)


def _text(line: bytes, source: str) -> str:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{source} holds no text in UTF-8") from error
