"""Which server is meant: what was typed, the environment, the configuration, or the embedded one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import PurePath
from typing import Literal
from urllib.parse import urlsplit

from diagnose.errors import UsageError
from diagnose.jobs.config import Config, NamedTarget
from diagnose.record import record

DEMO = "demo"


@record
class TargetSpec:
    """A server and how it is reached.

    ``id`` is what snapshots and JSON call it: its name if configured, else origin and path without userinfo and query
    values, else a digest of the command line beside its base name.
    """

    id: str
    kind: Literal["http", "stdio", "demo"]
    url: str | None = None
    command: tuple[str, ...] | None = None
    named: NamedTarget | None = None
    fallback: bool = False
    """Nobody named a target, and the embedded server stands in."""
    headers: tuple[str, ...] = field(default=(), repr=False)
    """Headers (`NAME=VALUE`) that a client's configuration gives it."""
    env: Mapping[str, str] | None = field(default=None, repr=False)
    """The environment that a client's configuration gives its command; None is this program's own."""

    @property
    def transport(self) -> Literal["http", "stdio"]:
        """The transport that this target speaks."""
        return "stdio" if self.kind == "stdio" else "http"

    @property
    def endpoint(self) -> str:
        """The address or command to show, without userinfo and query values."""
        if self.kind == "stdio":
            return " ".join(_shown_words(self.command or ()))
        return shown_url(self.url) if self.url else DEMO


def resolve_target(
    operand: str | None,
    tail: Sequence[str] | None,
    *,
    config: Config,
    env: Mapping[str, str],
    require: bool = False,
) -> TargetSpec:
    """Return the target by the order of the contract: operand or `--`, DIAGNOSE_SERVER, the default, `demo`.

    Raises `UsageError` where two were named, where a name is unknown, where what was typed is no target, or where none
    was named and `require` (or DIAGNOSE_REQUIRE_TARGET=1) asks for one.
    """
    if tail is not None:
        if operand is not None:
            raise UsageError(f"there are two targets: {operand!r} and the command behind --; name one of them")
        return _stdio(tail)
    if operand is not None:
        return _named_or_url(operand, config)
    if env.get("DIAGNOSE_SERVER"):
        return _named_or_url(env["DIAGNOSE_SERVER"], config)
    if config.default is not None:
        return _demo() if config.default == DEMO else _configured(config.targets[config.default])
    if require or env.get("DIAGNOSE_REQUIRE_TARGET") == "1":
        raise UsageError(
            "no target was named, and one is required",
            advice="Name a URL, @NAME, or a command behind --; or set DIAGNOSE_SERVER or `default` in the configuration.",
        )
    return _demo(fallback=True)


def shown_url(url: str) -> str:
    """Return origin and path of a URL, without userinfo, query values and fragment; query names stay, as `?a=…`."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port is not None else ""
    names = "&".join(f"{item.partition('=')[0]}=…" for item in parts.query.split("&") if item)
    return f"{parts.scheme}://{host}{port}{parts.path}{'?' + names if names else ''}"


def _named_or_url(operand: str, config: Config) -> TargetSpec:
    if operand == DEMO:
        return _demo()
    if operand.startswith("@"):
        name = operand[1:]
        if name not in config.targets:
            known = ", ".join(f"@{each}" for each in config.targets) or "none"
            raise UsageError(f"the configuration has no target {operand!r}; it has {known}")
        return _configured(config.targets[name])
    return _http(operand)


def _http(url: str, *, named: NamedTarget | None = None) -> TargetSpec:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{url!r} is no valid URL: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        hint = "a stdio server's command goes behind --" if "://" not in url else "only http and https are spoken"
        raise UsageError(f"{url!r} is no target: expected http://… or https://…, @NAME or {DEMO}; {hint}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    usual = {"http": 80, "https": 443}[parts.scheme]
    origin = host if port in {None, usual} else f"{host}:{port}"
    return TargetSpec(id=named.name if named else f"{origin}{parts.path}", kind="http", url=url, named=named)


def _stdio(words: Sequence[str], *, named: NamedTarget | None = None) -> TargetSpec:
    if not words:
        raise UsageError(
            "there is no command behind --", advice="Write the stdio server's command there: -- python server.py"
        )
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = named.name if named else f"{PurePath(words[0]).name}-{digest}"
    return TargetSpec(id=name, kind="stdio", command=tuple(words), named=named)


def _configured(named: NamedTarget) -> TargetSpec:
    return _stdio(named.command, named=named) if named.command is not None else _http(named.url or "", named=named)


def _demo(*, fallback: bool = False) -> TargetSpec:
    return TargetSpec(id=DEMO, kind="demo", fallback=fallback)


def _shown_words(words: Sequence[str]) -> list[str]:
    """Return the command line to show; the redactor goes over it before anybody sees it."""
    import shlex

    return [shlex.quote(word) for word in words]
