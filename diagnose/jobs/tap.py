"""The tap: who forwards, who records, and what the recording is called."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from diagnose.credentials.datafolder import data_folder
from diagnose.credentials.fingerprint import machine_key
from diagnose.errors import DiagnoseError, UsageError
from diagnose.evidence.secret import Secret
from diagnose.evidence.secret_names import secret_arguments, secret_values
from diagnose.jobs.tap_live import LiveView
from diagnose.tap.feed import Feed
from diagnose.tap.writer import Limits
from diagnose.transport.stdio import child_environment

#: Seconds that a recorder has to open its file.
OPEN_LIMIT = 20.0


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
    """The environment, how to tell a person something, and where the session is shown as it happens, if it is."""

    env: Mapping[str, str]
    tell: Callable[[str], None]
    live: LiveView | None = None


def tap_stdio(command: Sequence[str], options: TapOptions, around: Surroundings) -> int:
    """Stand between the client that started us and the server; returns the server's exit code, negative for a signal.

    Raises `ObservationError` where the server cannot be started. Without a recorder, the session goes on all the same.
    """
    from diagnose.tap.stdio import StdioTap

    env = child_environment(around.env)
    target = {"transport": "stdio", "command": PurePath(command[0]).name if command else ""}
    feed = _feed(options, around, transport="stdio", target=target, secret_words=secret_arguments(command))
    server = StdioTap(command, env)
    feed.start(env)
    if around.live is not None:
        around.live.start(feed, env)
    code = server.run(feed)
    feed.close("closed")
    if around.live is not None:
        around.live.close(wait=False)  # the client waits for us
    return code


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where an HTTP tap listens, and which origins in browsers may use it beside those of this machine."""

    host: str
    port: int
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The server, and what it is shown where a client shows nothing: ``auth`` is as in `resolve`."""

    url: str
    auth: str = "none"
    plain_http: tuple[str, ...] = ()


def tap_http(
    upstream: Upstream, listening: Listening, options: TapOptions, around: Surroundings, ready: Callable[[str], None]
) -> None:
    """Stand before a server until SIGINT or SIGTERM; ``ready`` is told the URL to give to clients.

    Raises `InputError` for what is no URL, and `UsageError` where nobody can listen there, no file can be written, or the
    credential cannot be had.
    """
    from diagnose.tap.address import Address
    from diagnose.tap.guard import Guard
    from diagnose.tap.http import HttpTap
    from diagnose.tap.listening import run
    from diagnose.transport.origin import Origin, request_url
    from diagnose.transport.proxies import proxy_for
    from diagnose.transport.tls import trust_store

    server = request_url(upstream.url)
    target = {"transport": "http", "endpoint": server}
    proxy = proxy_for(Origin.of(server))
    credential = _credential(upstream, around)
    words = [*_words_of_url(upstream.url), *(credential.reveal().split()[-1:] if credential else ())]
    words += [*(proxy.auth if proxy is not None and proxy.auth is not None else ())]
    feed = _feed(options, around, transport="http", target=target, secret_words=words)
    if proxy is not None:
        around.tell(f"the server is reached through the proxy of the environment, {proxy.origin}")
    trust = trust_store() if server.startswith("https:") else None
    feed.start(child_environment(around.env))
    if not feed.wait_until_open(OPEN_LIMIT):
        raise UsageError(f"{options.path} cannot be recorded to", advice="Name another file with -o.")
    if around.live is not None:
        around.live.start(feed, child_environment(around.env))

    def tap_on(port: int) -> HttpTap:
        here = Origin(scheme="http", host=listening.host, port=port)
        return HttpTap(
            address=Address(server=server, tap=here, proxy=proxy, credential=credential),
            guard=Guard(tap=here, origins=listening.origins),
            sink=feed,
            tell=around.tell,
            trust=trust,
        )

    stops = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
    try:
        run(tap_on, listening.host, listening.port, lambda tap: ready(tap.address.url), stops)
    except OSError as error:
        where = f"{listening.host}:{listening.port}"
        raise UsageError(
            f"nobody can listen at {where}: {error.strerror or error}", advice="Name another port."
        ) from error
    finally:
        feed.close("stopped")
        if around.live is not None:
            around.live.close(wait=True)


def _credential(upstream: Upstream, around: Surroundings) -> Secret | None:
    """Return the header value that the server is shown, if any."""
    from diagnose.credentials.resolve import resolve
    from diagnose.transport.origin import Origin

    named = [Origin.of(text) for text in upstream.plain_http]
    resolved = resolve(upstream.auth, Origin.of(upstream.url), env=around.env, plain_http=named)
    for note in resolved.notes:
        around.tell(note)
    return resolved.binding.headers["Authorization"] if resolved.binding is not None else None


def _feed(
    options: TapOptions, around: Surroundings, *, transport: str, target: Mapping[str, Any], secret_words: Sequence[str]
) -> Feed:
    client = {} if options.client is None else {"id": options.client}
    settings = {
        "path": str(options.path.absolute()),
        "transport": transport,
        "key": recording_key(around.env, around.tell).hex(),
        "payloads": options.payloads,
        "limits": asdict(options.limits),
        "secrets": [*secret_words, *secret_values(around.env)],
        "header": {
            "startedAt": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "transport": transport,
            "hop": options.hop,
            "client": client,
            "target": dict(target),
        },
    }
    return Feed(settings, around.tell)


def recording_key(env: Mapping[str, str], tell: Callable[[str], None]) -> bytes:
    """Return the key of this machine; a client may have left us no folder to keep one in, and then there is one for today."""
    try:
        return machine_key(data_folder(env))
    except (DiagnoseError, OSError, RuntimeError, KeyError):
        tell("no key of this machine could be read; fingerprints of this recording match no other recording")
        return secrets.token_bytes(32)


def _words_of_url(url: str) -> list[str]:
    """Return what is secret in a URL: userinfo, and the values of its query."""
    parts = urlsplit(url)
    values = [value for _, value in parse_qsl(parts.query)]
    return [word for word in (parts.username, parts.password, *values) if word and len(word) >= 4]
