"""`diagnose serve`: the reference server, or one that was recorded, for a client of your own."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Annotated

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Output, choice, option
from diagnose.errors import UsageError
from diagnose.reference.options import Scope, ServeOptions

if TYPE_CHECKING:
    from diagnose.cli.app import Group

PANEL = "The server"
SCOPES: tuple[Scope, ...] = ("public", "private")
#: More digits than any number here has; what is longer is no number but a mistake.
DIGITS = 15


def serve(
    inv: Invocation,
    *,
    stdio: Annotated[
        bool, option("--stdio", panel=PANEL, text="Serve on standard input and output instead of HTTP.")
    ] = False,
    host: Annotated[
        str, option("--host", panel=PANEL, metavar="HOST", text="The address to listen on (default 127.0.0.1).")
    ] = "127.0.0.1",
    port: Annotated[
        str,
        option(
            "--port",
            panel=PANEL,
            metavar="PORT",
            text="The port; 0, the default, takes any free one. With --stdio, that of /control.",
        ),
    ] = "0",
    allow_remote: Annotated[
        bool, option("--allow-remote", panel=PANEL, text="Allow a --host that other machines can reach.")
    ] = False,
    page_size: Annotated[
        str, option("--page-size", panel=PANEL, metavar="N", text="Tools a page (default 50).")
    ] = "50",
    ttl_ms: Annotated[
        str | None,
        option("--ttl-ms", panel=PANEL, metavar="N", text="ttlMs of a list (default 60000; of the ledger, 300000)."),
    ] = None,
    scope: Annotated[
        str | None,
        option(
            "--scope",
            panel=PANEL,
            metavar="SCOPE",
            text="cacheScope of a list: public (default) or private (default of the ledger).",
        ),
    ] = None,
    token: Annotated[
        str | None,
        option("--token", panel=PANEL, metavar="env:VAR", text="Demand the bearer token that this variable holds."),
    ] = None,
    second_token: Annotated[
        str | None,
        option("--second-token", panel=PANEL, metavar="env:VAR", text="Admit a second principal by this token."),
    ] = None,
    second_without: Annotated[
        str | None,
        option(
            "--second-without",
            panel=PANEL,
            metavar="TOOL",
            text="A tool that the second principal is not shown; lists are private then.",
        ),
    ] = None,
    identity: Annotated[
        str | None, option("--identity", panel=PANEL, metavar="WORD", text="A word to show in /health.")
    ] = None,
    control: Annotated[
        bool,
        option(
            "--control",
            panel=PANEL,
            text='Let the surface be changed by POST /control, such as {"remove": "ripen"} or {"restore": true}.',
        ),
    ] = False,
    ledger: Annotated[
        bool,
        option(
            "--ledger", panel=PANEL, text="Serve a ledger that says how long its answers hold, instead of the orchard."
        ),
    ] = False,
    replay: Annotated[
        str | None,
        option(
            "--replay",
            panel=PANEL,
            metavar="FILE",
            text="Answer as the server in this recording did, instead of serving the orchard.",
        ),
    ] = None,
    fault: Annotated[
        str | None, option("--fault", panel=PANEL, metavar="NAME", text="Put this fault in front of the server.")
    ] = None,
    list_faults: Annotated[
        bool, option("--list-faults", panel=PANEL, text="List the faults, and start nothing.")
    ] = False,
    output: Output,
) -> int:
    """Run the reference server, honest or with a named fault, or one that was recorded; its URL is said when it answers.

    Ctrl-C ends it.
    """
    form = output.form
    if list_faults:
        inv.emit(_faults(inv, form), output=output.output)
        return 0
    from diagnose.reference import serve as reference

    address = _host(host, allow_remote=allow_remote, control=control)
    if replay is not None:
        if fault or ledger or control or token:
            raise UsageError(
                "--replay says what was recorded: --fault, --ledger, --control and --token do not go with it"
            )
        return _replay(inv, replay, None if stdio else (address, _number(port, "--port")))
    options = ServeOptions(
        host=address,
        port=_number(port, "--port"),
        page_size=_number(page_size, "--page-size"),
        ttl_ms=None if ttl_ms is None else _number(ttl_ms, "--ttl-ms"),
        scope=None if scope is None else choice(scope, "--scope", SCOPES),
        token=_token(inv, token),
        second_token=_token(inv, second_token),
        second_without=second_without,
        identity=identity,
        control=control,
        fault=fault,
        ledger=ledger,
    )
    if stdio and options.token is not None:
        raise UsageError("over stdio nobody can present a token: it goes with HTTP")
    if stdio:
        reference.serve_on_stdio(options)
    else:
        what = f" with the fault {fault}" if fault else ""
        reference.serve(options, lambda url: _announce(inv, url, fault, what))
    return 0


def _replay(inv: Invocation, path: str, address: tuple[str, int] | None) -> int:
    """Play a recording, at an address or on stdio."""
    from diagnose.jobs.replay import play_on_stdio, play_over_http, read_tape

    tape = read_tape(path)
    if address is None:
        return play_on_stdio(tape)
    play_over_http(tape, *address, lambda url: _announce(inv, url, None, f", replayed from {tape.source}"))
    return 0


def _announce(inv: Invocation, url: str, fault: str | None, what: str) -> None:
    """Say where the server answers: one line of JSON for a program, one in words for a person."""
    inv.emit(json.dumps({"schema": "diagnose.serving/1", "url": url, "pid": os.getpid(), "fault": fault}))
    inv.note(f"serving {url}{what}; Ctrl-C ends it")


def _faults(inv: Invocation, form: str) -> str:
    from diagnose.reference.faults import FAULTS
    from diagnose.report.faults import faults_json, faults_text

    faults = sorted(FAULTS.values(), key=lambda fault: fault.name)
    return faults_json(faults) if form == "json" else faults_text(faults, inv.width())


def _host(host: str, *, allow_remote: bool, control: bool) -> str:
    """Return the host; one that other machines can reach has to be allowed, and never with `--control`."""
    from diagnose.transport.origin import Origin

    if Origin(scheme="http", host=host, port=80).is_loopback:
        return host
    if control:
        raise UsageError("--control changes the surface without asking who is there: it goes with loopback only")
    if not allow_remote:
        raise UsageError(
            f"{host} can be reached from other machines",
            advice="Leave --host out to serve this machine only, or say --allow-remote.",
        )
    return host


def _token(inv: Invocation, way: str | None) -> str | None:
    if way is None:
        return None
    name = way.removeprefix("env:")
    if name == way:
        raise UsageError("the token is named as env:VAR, so that it stands on no command line")
    token = inv.env.get(name, "")
    if not token.isascii() or not token.isprintable() or not token:
        raise UsageError(f"the variable {name} holds no token")
    inv.redactor.learn(token)
    return token


def _number(text: str, name: str) -> int:
    if not text.isdecimal() or len(text) > DIGITS:
        raise UsageError(f"{name} takes a whole number, not {text!r}")
    return int(text)


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("serve", panel="Try")(serve)
