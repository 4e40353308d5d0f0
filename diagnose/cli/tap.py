"""`diagnose tap`: record a real session between a client and its server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

from diagnose.cli.app import Group
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import CREDENTIALS, OUTPUT, choice, option, seconds
from diagnose.errors import UsageError

if TYPE_CHECKING:
    from diagnose.jobs.tap import Surroundings, TapOptions
    from diagnose.jobs.tap_live import LiveView

PANEL = "The recording"
HOPS = ("client-server", "client-gateway", "gateway-server")
MEGABYTE = 1024 * 1024

OutputOption = Annotated[
    str | None,
    option(
        "--output",
        "-o",
        panel=PANEL,
        metavar="FILE",
        text="Where the recording goes; a file that exists is kept, and a number is added to the name.",
    ),
]
PayloadsOption = Annotated[
    bool,
    option("--with-payloads", panel=PANEL, text="Keep arguments and results, but for what looks like a secret."),
]
SizeOption = Annotated[
    str, option("--max-size", panel=PANEL, metavar="MB", text="Begin a new file after so many megabytes (default 256).")
]
TimeOption = Annotated[
    str, option("--max-time", panel=PANEL, metavar="SECONDS", text="Begin a new file after so long (default 86400).")
]
PartsOption = Annotated[
    str, option("--max-files", panel=PANEL, metavar="N", text="Keep so many files, the first always (default 8).")
]
ClientOption = Annotated[
    str | None,
    option(
        "--client", panel=PANEL, metavar="ID", text="The client, by its id in the playbook, to stand in the header."
    ),
]
HopOption = Annotated[
    str,
    option(
        "--hop",
        panel=PANEL,
        metavar="HOP",
        text="client-server (default), or where a gateway is: client-gateway or gateway-server.",
    ),
]
LiveOption = Annotated[
    bool,
    option(
        "--live", panel=PANEL, text="Show the session as it happens, on a terminal; a stdio tap uses stderr for it."
    ),
]
LiveToOption = Annotated[
    str | None,
    option(
        "--live-to", panel=PANEL, metavar="FILE", text="Show it there instead: another terminal (see `tty`), or a file."
    ),
]
QuietOption = Annotated[bool, option("--quiet", "-q", panel=OUTPUT, text="No notes on stderr.")]
VerboseOption = Annotated[int, option("--verbose", "-v", panel=OUTPUT, count=True, text="Say more on stderr.")]


def stdio(
    inv: Invocation,
    *,
    output: OutputOption = None,
    with_payloads: PayloadsOption = False,
    max_size: SizeOption = "256",
    max_time: TimeOption = "86400",
    max_files: PartsOption = "8",
    client: ClientOption = None,
    hop: HopOption = "client-server",
    live: LiveOption = False,
    live_to: LiveToOption = None,
    verbose: VerboseOption = 0,
    quiet: QuietOption = False,
) -> int:
    """Stand between a client and its stdio server, whose command follows --; this line goes into the client's configuration.

    Every byte passes unchanged, and the exit code is the server's.
    """
    from diagnose.jobs.tap import tap_stdio
    from diagnose.tap.stdio import end_like

    del verbose, quiet  # the invocation has taken them
    options = _options(output, with_payloads, max_size, max_time, max_files, client, hop)
    view = live_view(inv, live_to, shown=sys.stderr if live else None)
    return end_like(tap_stdio(inv.tail or (), options, _around(inv, view)))


def http(
    inv: Invocation,
    *,
    to: Annotated[
        str | None, option("--to", panel=PANEL, metavar="URL", text="The server's MCP endpoint, for the tap to go to.")
    ] = None,
    listen: Annotated[
        str,
        option(
            "--listen", panel=PANEL, metavar="HOST:PORT", text="Where clients find the tap (default 127.0.0.1:8787)."
        ),
    ] = "127.0.0.1:8787",
    allow_remote: Annotated[
        bool, option("--allow-remote", panel=PANEL, text="Allow a --listen that other machines can reach.")
    ] = False,
    allow_origin: Annotated[
        list[str] | None,
        option(
            "--allow-origin",
            panel=PANEL,
            metavar="ORIGIN",
            text="A web page's origin, beside those of this machine, that may use the tap; may be repeated.",
        ),
    ] = None,
    auth: Annotated[
        str,
        option(
            "--auth",
            panel=CREDENTIALS,
            metavar="WAY",
            text="A token for the server, sent where a client sends none: keyring, env:VAR, file:PATH or command:CMD.",
        ),
    ] = "none",
    allow_plain_http: Annotated[
        list[str] | None,
        option(
            "--allow-plain-http",
            panel=CREDENTIALS,
            metavar="ORIGIN",
            text="Origin that may get it without TLS; may be repeated.",
        ),
    ] = None,
    output: OutputOption = None,
    with_payloads: PayloadsOption = False,
    max_size: SizeOption = "256",
    max_time: TimeOption = "86400",
    max_files: PartsOption = "8",
    client: ClientOption = None,
    hop: HopOption = "client-server",
    live: LiveOption = False,
    live_to: LiveToOption = None,
    verbose: VerboseOption = 0,
    quiet: QuietOption = False,
) -> int:
    """Stand before an HTTP server; clients are given the tap's URL instead of the server's. Ctrl-C ends it."""
    from diagnose.jobs.tap import Listening, Upstream, tap_http

    del verbose, quiet  # the invocation has taken them
    if to is None:
        raise UsageError("the tap needs a server to go to", advice="Name it with --to URL.")
    if auth != "none" and allow_remote:
        raise UsageError("with --auth, whoever reaches the tap speaks as you: it does not go with --allow-remote")
    options = _options(output, with_payloads, max_size, max_time, max_files, client, hop)
    host, port = _address(listen, allow_remote=allow_remote)
    listening = Listening(host=host, port=port, origins=tuple(allow_origin or ()))

    def ready(url: str) -> None:
        inv.warn(f"diagnose tap: give the client {url} as the server's URL; Ctrl-C ends the recording")

    upstream = Upstream(url=to, auth=auth, plain_http=tuple(allow_plain_http or ()))
    view = live_view(inv, live_to, shown=sys.stdout if live else None)
    tap_http(upstream, listening, options, _around(inv, view), ready)
    return 0


def _address(text: str, *, allow_remote: bool) -> tuple[str, int]:
    """Return host and port; one that other machines can reach has to be allowed."""
    from diagnose.transport.origin import Origin

    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or len(port) > 5 or int(port) > 65535:
        raise UsageError(f"--listen takes HOST:PORT, such as 127.0.0.1:8787, not {text!r}")
    if not allow_remote and not Origin(scheme="http", host=host, port=80).is_loopback:
        raise UsageError(
            f"{host} can be reached from other machines",
            advice="Listen on 127.0.0.1, or say --allow-remote.",
        )
    return host, int(port)


def live_view(inv: Invocation, path: str | None, *, shown: TextIO | None) -> LiveView | None:
    """Return what shows the session as it happens, if anything does: on ``shown``, or at a path.

    Where nothing can be shown there, that is said, and the session goes on.
    """
    from diagnose.jobs.tap_live import LiveView

    def tell(text: str) -> None:
        inv.note(f"diagnose tap: {text}")

    if path is not None:
        try:
            # Opened without waiting for a reader, where it is a pipe.
            there = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
            if hasattr(os, "set_blocking"):
                os.set_blocking(there, True)
            return LiveView(there, tell)
        except OSError as error:
            tell(f"nothing can be shown at {path}: {error.strerror}")
    elif shown is not None and shown.isatty():
        return LiveView(shown.fileno(), tell)
    elif shown is not None:
        tell("--live shows nothing, for there is no terminal here; --live-to FILE says where else")
    return None


def _around(inv: Invocation, live: LiveView | None) -> Surroundings:
    from diagnose.jobs.tap import Surroundings

    def tell(text: str) -> None:
        inv.note(f"diagnose tap: {text}")

    return Surroundings(env=inv.env, tell=tell, live=live)


def _options(
    output: str | None, payloads: bool, size: str, time: str, files: str, client: str | None, hop: str
) -> TapOptions:
    from diagnose.jobs.tap import TapOptions
    from diagnose.tap.writer import Limits

    if output is None:
        raise UsageError("a recording needs a file", advice="Name it with -o FILE.")
    limits = Limits(
        size=_count(size, "--max-size") * MEGABYTE,
        seconds=seconds(time, "--max-time"),
        parts=_count(files, "--max-files"),
    )
    where = choice(hop, "--hop", HOPS)
    return TapOptions(path=Path(output).expanduser(), payloads=payloads, limits=limits, client=client, hop=where)


def _count(text: str, name: str) -> int:
    if not text.isdecimal() or len(text) > 6 or int(text) < 1:
        raise UsageError(f"{name} takes a whole number above 0, not {text!r}")
    return int(text)


def register(root: Group) -> None:
    """Hang the commands into the program."""
    group = Group("tap", "Record a real session between a client and a server.")
    group.command("stdio", tail=True)(stdio)
    group.command("http")(http)
    root.add(group, panel="Look")
